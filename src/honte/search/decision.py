"""Decision: what to play once the budget is spent, and the policy a network would learn from it.

Pure functions of the root's children; the native search and the reference share them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honte.search.config import (
    BestLowerBound,
    Decision,
    HighestPrior,
    HighestValue,
    SampleVisits,
    VisitsTimesValue,
)


@dataclass(frozen=True, slots=True)
class RootChild:
    """A visited action of the root; values are from the side to move at the root."""

    action: int
    n: int
    q: float
    p: float
    value_square_sum: float
    """Σ v² of the visits below."""
    proven: float | None = None


def lower_confidence_bound(q: float, n: int, value_square_sum: float, z: float) -> float:
    """Q − z · s/√N, with one imagined value at distance 1 added to the variance, so that a
    single visit is no certainty [after Leela Zero's LCB]."""
    if n == 0:
        return -math.inf
    variance = max(0.0, value_square_sum - n * q * q) + 1.0
    return q - z * math.sqrt(variance / n / n)


def ordered(decision: Decision, children: Sequence[RootChild]) -> list[RootChild]:
    """The children best first, by the decision rule; a proven win is best and a proven loss last,
    whatever the rule says (HighestPrior excepted)."""
    most = max((child.n for child in children), default=0)

    def merit(child: RootChild) -> tuple[float, ...]:
        if isinstance(decision, HighestPrior):
            return (child.p, child.n)
        certain = 0.0 if child.proven is None else float(child.proven >= 1.0) - float(child.proven <= -1.0)
        if isinstance(decision, BestLowerBound):
            bound = lower_confidence_bound(child.q, child.n, child.value_square_sum, decision.z)
            eligible = float(child.n >= decision.minimum_share * most)
            return (certain, eligible, bound if eligible else child.n, child.n, child.p)
        if isinstance(decision, VisitsTimesValue):
            return (certain, child.n * (1.0 + child.q), child.n, child.p)
        if isinstance(decision, HighestValue):
            return (certain, child.q, child.n, child.p)
        return (certain, child.n, child.q, child.p)

    return sorted(children, key=lambda child: (*merit(child), -child.action), reverse=True)


def visit_policy(visits: NDArray[np.float64], temperature: float) -> NDArray[np.float64]:
    """π ∝ N^(1/τ), shape as given; computed in logarithms: 1600^(1/0.01) would overflow."""
    policy = np.zeros_like(visits)
    visited = visits > 0
    logits = np.log(visits[visited]) / temperature
    weights = np.exp(logits - logits.max())
    policy[visited] = weights / weights.sum()
    return policy


def choose(decision: Decision, best_first: Sequence[RootChild], move: int, seed: int) -> int:
    """The action to play at a move of the game, counted from 0. Sampling draws from a stream
    named by seed and move, so a move can be replayed by itself."""
    if isinstance(decision, SampleVisits) and (decision.moves is None or move < decision.moves):
        policy = visit_policy(
            np.array([child.n for child in best_first], np.float64), decision.temperature
        )
        generator = np.random.Generator(np.random.Philox(key=[seed & (2**64 - 1), move]))
        place = int(np.searchsorted(np.cumsum(policy), generator.random(), side="right"))
        return best_first[min(place, len(best_first) - 1)].action
    return best_first[0].action
