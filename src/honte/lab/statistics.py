"""How sure a result is."""

from __future__ import annotations

import math


def wilson_interval(wins: float, games: int, z: float = 1.96) -> tuple[float, float]:
    """The interval of a win rate after so many games, 95 % at z = 1.96 [Wilson 1927].

    Draws count half a win. (0, 1) without games.
    """
    if games == 0:
        return 0.0, 1.0
    rate = wins / games
    square = z * z / games
    middle = (rate + square / 2) / (1 + square)
    reach = z * math.sqrt(rate * (1 - rate) / games + square / (4 * games)) / (1 + square)
    return max(0.0, middle - reach), min(1.0, middle + reach)


def elo_difference(rate: float) -> float:
    """The difference in Elo points that a win rate means; infinite at 0 and 1."""
    if rate <= 0.0:
        return -math.inf
    if rate >= 1.0:
        return math.inf
    return 400.0 * math.log10(rate / (1.0 - rate))
