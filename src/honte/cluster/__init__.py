"""Many machines: matches, self-play and analysis handed out over a Ray cluster.

The machine that gives the command hands out games, and alone keeps what comes back; every other
machine needs honte and Ray, and no shared disk.
"""

from honte.cluster.connection import Cluster, Machine, connect

__all__ = ["Cluster", "Machine", "connect"]
