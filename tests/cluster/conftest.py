"""One cluster for all tests of this folder."""

from pathlib import Path

import pytest

from honte.cluster import connect
from ray_cluster import running_nodes

FOLDER = Path(__file__).parent


def pytest_collection_modifyitems(items):
    """Of several processes that test, one has the cluster."""
    for item in items:
        if FOLDER in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("ray"))


@pytest.fixture(scope="session")
def nodes():
    """Three machines to begin with."""
    with running_nodes(3) as found:
        yield found


@pytest.fixture(scope="session")
def cluster(nodes):
    """The connection to them, which all tests share."""
    with connect(nodes.address) as found:
        yield found
