"""A Ray cluster of several nodes on this machine, which ends whatever the tests do."""

import contextlib
import os

import pytest

from patience import PATIENCE

OPTIONS = {
    "num_cpus": 1,
    "num_gpus": 0,
    "object_store_memory": 80_000_000,
    "include_log_monitor": False,
}


class Nodes:
    """A cluster whose nodes, of one core each, come and go."""

    def __init__(self, cluster, count):
        self.cluster = cluster
        cluster.add_node(wait=False, include_dashboard=False, **OPTIONS)
        cluster.wait_for_nodes(timeout=PATIENCE)  # the head, before any other
        self.have(count)

    @property
    def address(self):
        return self.cluster.address

    def have(self, count):
        """Start nodes until there are so many."""
        while len(self.cluster.list_all_nodes()) < count:
            self.cluster.add_node(wait=False, **OPTIONS)
        self.cluster.wait_for_nodes(timeout=PATIENCE)

    def kill_one(self):
        """End the processes of one that is not the head."""
        head = self.cluster.head_node
        self._kill(next(node for node in self.cluster.list_all_nodes() if node is not head))

    def kill(self, machine):
        """End the processes of this one."""
        nodes = self.cluster.list_all_nodes()
        self._kill(next(node for node in nodes if node.node_id == machine.identity))

    def _kill(self, node):
        """As if its power had failed."""
        self.cluster.remove_node(node, allow_graceful=False)


@contextlib.contextmanager
def running_nodes(count):
    """A cluster of so many nodes."""
    pytest.importorskip("ray", reason="needs Ray: pip install 'honte[cluster]'")
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster()
    try:
        yield Nodes(cluster, count)
    finally:
        ray.shutdown()
        cluster.shutdown()


# Before Ray is loaded: it reports to nobody, and its processes listen on 127.0.0.1 alone.
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
os.environ["RAY_DEDUP_LOGS_SKIP_REGEX"] = "."
