"""What a search teaches: the policy target, and how much a position counts."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from honte.search import SearchResult


def pruned_policy(result: SearchResult, forced_playouts: float) -> NDArray[np.float64]:
    """[A]: visits as a policy, without the visits that were forced and not earned [KataGo].

    A move other than the most visited loses up to √(k·P·N) visits as long as PUCT would still
    have preferred the best one; what is left with a single visit is left out.
    """
    if forced_playouts == 0.0 or len(result.children) < 2:
        return result.policy
    children = list(result.children)
    best = max(children, key=lambda child: child.n)
    if best.p <= 0.0:
        return result.policy
    total = sum(child.n for child in children)
    # U = c·√N · P / (1 + n), so the best move's U gives c·√N.
    scale = best.u * (1 + best.n) / best.p
    wanted = best.q + best.u
    policy = np.zeros_like(result.policy)
    for child in children:
        visits = float(child.n)
        if child is not best:
            forced = math.ceil(math.sqrt(forced_playouts * child.p * total))
            if wanted > child.q:
                earned = scale * child.p / (wanted - child.q) - 1.0
                visits = min(visits, max(visits - forced, math.ceil(earned)))
            if visits <= 1.0:
                visits = 0.0
        policy[child.action] = visits
    pruned: NDArray[np.float64] = policy / policy.sum()
    return pruned


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
