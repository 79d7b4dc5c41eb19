"""What the positions of a finished game teach, and how much each counts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

HORIZONS = (0.176, 0.056, 0.016)
"""Of the short-term values: 1 + so many times the points of the board is their mean distance in
turns; 64, 21 and 7 turns on 19 × 19, 15, 6 and 2 on 9 × 9 [KataGo]."""


def surprise(target: NDArray[np.float64], prior: NDArray[np.float32]) -> float:
    """KL divergence of the target from the prior, nats."""
    seen = target > 0
    log_prior = np.log(np.maximum(prior[seen], 1e-9))
    return float((target[seen] * (np.log(target[seen]) - log_prior)).sum())


def sample_counts(
    surprises: list[float], share: float, random: np.random.Generator
) -> NDArray[np.int64]:
    """How often each position of a game is kept, one on average [KataGo].

    ``share`` of the weight is spread by surprise, the rest evenly; fractions are drawn.
    """
    weights = np.full(len(surprises), 1.0 - share)
    total = sum(surprises)
    weights += share * (np.array(surprises) * len(surprises) / total if total > 0 else 1.0)
    whole = np.floor(weights)
    counts: NDArray[np.int64] = (whole + (random.random(len(weights)) < weights - whole)).astype(
        np.int64
    )
    return counts


def short_term_values(values: Sequence[float], result: float, points: int) -> NDArray[np.float32]:
    """[T, 3]: for each of T moves the exponential average of the search's values from there on.

    ``values`` are the T values of the searches and ``result`` the game's, all for player 0, and so
    are the averages: Σ λ(1 − λ)^k v(t + k), one for each of :data:`HORIZONS`, whose λ is
    1 / (1 + horizon · points); what is left of the weight is the result's [KataGo].
    """
    now = 1.0 / (1.0 + points * np.array(HORIZONS))
    averages = np.empty((len(values), len(HORIZONS)), np.float32)
    coming = np.full(len(HORIZONS), result)
    for turn in range(len(values) - 1, -1, -1):
        coming = now * values[turn] + (1.0 - now) * coming
        averages[turn] = coming
    return averages
