"""Which networks a match is played with: their names say where they lie, not what is in them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from honte.lab.specs import EnginePlayerSpec, MatchSpec, PlayerSpec
from honte.networks import shipped_networks
from honte.search.config import Phase

DIGITS = 12
"""Of a digest that are shown."""


class Fingerprint(Phase):
    """What is in a file."""

    size: int
    """In bytes."""
    sha256: str
    """In hexadecimal."""

    def __str__(self) -> str:
        return f"{self.size:,} bytes, SHA-256 {self.sha256[:DIGITS]}…"


def fingerprint(network: str) -> Fingerprint | None:
    """Of a network's file, or of one that comes with honte; None where none can be read."""
    try:
        content = shipped_networks().get(network, Path(network)).read_bytes()
    except OSError:
        return None
    return Fingerprint(size=len(content), sha256=hashlib.sha256(content).hexdigest())


def networks_of(match: MatchSpec, players: Iterable[PlayerSpec]) -> list[str]:
    """The networks by which players and openings go, each once."""
    leaves = [player.leaf for player in players if not isinstance(player, EnginePlayerSpec)]
    names = [match.openings.network, *(leaf.network for leaf in leaves)]
    return list(dict.fromkeys(name for name in names if name is not None))
