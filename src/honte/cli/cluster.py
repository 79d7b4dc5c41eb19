"""``--cluster ADDRESS`` of several commands: where to work, and how much of it there is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from honte.cluster.matches import ClusterPlayrooms

ClusterAddress = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Work on a Ray cluster: auto, HOST:6379 or ray://HOST:10001; local starts one here.",
        show_default=False,
    ),
]


@contextmanager
def playrooms_at(address: str | None) -> Iterator[ClusterPlayrooms | None]:
    """Where matches are played: on the cluster at an address, or for None in this process."""
    if address is None:
        yield None
        return
    from honte.cluster import connect
    from honte.cluster.matches import ClusterPlayrooms

    with connect(address) as cluster:
        yield ClusterPlayrooms(cluster)


def machines_at_work(machines: int) -> str:
    """``1 machine``, ``3 machines``."""
    return f"{machines} machine" + ("s" if machines != 1 else "")


def crew(machines: int, done: int, seconds: float) -> str:
    """What a progress bar says of a cluster: ``3 machines, 2.1 games/s``."""
    rate = done / seconds if done and seconds > 0 else 0.0
    return f"{machines_at_work(machines)}, {rate:.3g} games/s"
