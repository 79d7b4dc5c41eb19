"""The networks that come with honte, by name; each has a card in the documentation."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from honte.networks.network import Network

DEFAULT_NETWORK = "default"
"""For every board size and rule set; what commands use unless told otherwise."""


def shipped_networks() -> dict[str, Path]:
    """The files of the networks that are in this package, by name."""
    folder = Path(str(files("honte.networks") / "weights"))
    return {path.name.partition(".")[0]: path for path in sorted(folder.glob("*.bin.gz"))}


@cache
def default() -> Network:
    """The network named ``default``, read once."""
    from honte.networks.network import load

    return load(shipped_networks()[DEFAULT_NETWORK])
