"""How much a position counts: by how far its search differed from what the policy expected."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


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
