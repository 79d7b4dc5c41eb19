"""A Ray cluster of several nodes on this machine, which ends whatever the test does."""

import contextlib
import os
import time

import pytest

STORE = 80_000_000  # bytes; Ray's smallest


@contextlib.contextmanager
def nodes(count):
    """A cluster of so many nodes with a core each: Ray's own object for it, and the nodes."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = "0"
    pytest.importorskip("ray", reason="needs Ray: pip install 'honte[cluster]'")
    from ray.cluster_utils import Cluster

    options = {
        "num_cpus": 1,
        "num_gpus": 0,
        "object_store_memory": STORE,
        "include_dashboard": False,
    }
    cluster = Cluster()
    try:
        started = [cluster.add_node(wait=False, **options) for _ in range(count)]
        yield cluster, started
    finally:
        import ray

        ray.shutdown()
        cluster.shutdown()


def until(condition, seconds=30.0):
    """Wait for something that another process brings about."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)
