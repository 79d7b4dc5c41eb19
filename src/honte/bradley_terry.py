"""The strengths of players from who beat whom, after Bradley and Terry (1952)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

ELO = 400.0 / math.log(10.0)
"""Elo in a natural unit of strength: a player d Elo stronger scores 1 / (1 + 10^(−d/400))."""

PRIOR = 0.5
"""Wins that are added for each of two players that met: a player that won everything then has a
finite rating, and intervals for few games cover the truth about as often as they say [Haldane 1956;
Anscombe 1956]."""


def maximum_likelihood(wins: NDArray[np.float64]) -> NDArray[np.float64]:
    """Strengths in natural units, mean 0, from points[a, b] that a scored against b.

    Newton's method on the concave likelihood. Every player must be connected to every other by
    wins and by losses.
    """
    n = len(wins)
    strength = np.zeros(n)
    scored = wins.sum(axis=1)
    met = wins + wins.T
    for _ in range(200):
        expected = 1.0 / (1.0 + np.exp(strength[None, :] - strength[:, None]))
        gradient = scored - (met * expected).sum(axis=1)
        step = np.linalg.solve(information(strength, met) + 1.0 / n, gradient)
        # Far from the top a whole step can overshoot.
        strength = strength + step * min(1.0, 2.0 / max(1e-12, float(np.abs(step).max())))
        strength -= strength.mean()
        if np.abs(step).max() < 1e-10:
            break
    return strength


def information(strength: NDArray[np.float64], met: NDArray[np.float64]) -> NDArray[np.float64]:
    """[n, n]: how sharply the likelihood of these strengths is curved, where a and b met
    ``met[a, b]`` times."""
    expected = 1.0 / (1.0 + np.exp(strength[None, :] - strength[:, None]))
    weight = met * expected * (1.0 - expected)
    matrix: NDArray[np.float64] = np.diag(weight.sum(axis=1)) - weight
    return matrix
