"""One cluster for all tests of this folder, which are for one process."""

import pytest

from honte.cluster import connect, connection, learning, workforce
from patience import PATIENCE
from ray_cluster import running_nodes


@pytest.fixture(scope="session", autouse=True)
def patience():
    """However slow the machine is, every desk is ready before the work begins."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workforce, "PATIENCE", PATIENCE)
        patch.setattr(learning, "PATIENCE", PATIENCE)
        patch.setattr(connection, "LOOK_PATIENCE", PATIENCE)
        yield


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
