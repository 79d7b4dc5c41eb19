"""Moves that a search may not, or may only, look at."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Restriction:
    """For ``player``, in positions fewer than ``until_depth`` plies below the root: these actions
    alone (``allow``), or all but these. Where nothing legal would be left, it has no say."""

    player: int
    actions: frozenset[int]
    until_depth: int
    allow: bool
