"""Decision: what to play once the budget is spent, and the policy a network would learn from it.

Pure functions of the root's children; the native search and the reference share them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honte.search.config import (
    BestLowerBound,
    Decision,
    GumbelDecision,
    HighestPrior,
    HighestValue,
    Puct,
    SampleVisits,
    Selection,
    VisitsTimesValue,
)


@dataclass(frozen=True, slots=True)
class RootChildren:
    """The visited actions of the root as arrays of shape [E]; values are from the side to move
    at the root."""

    action: NDArray[np.int64]
    n: NDArray[np.float64]
    q: NDArray[np.float64]
    p: NDArray[np.float64]
    value_square_sum: NDArray[np.float64]
    """Σ v² of the visits below."""
    proven: NDArray[np.float64]
    """The exact value, NaN where it is not known."""
    gumbel: NDArray[np.float64]
    """g + log P + σ(q) under Gumbel's selection among the most visited of its plan, −∞ for the
    others; NaN under any other."""

    def __len__(self) -> int:
        return len(self.action)


def lower_confidence_bounds(children: RootChildren, z: float) -> NDArray[np.float64]:
    """Q − z · s/√N, shape [E], with one imagined value at distance 1 added to the variance, so
    that a single visit is no certainty [after Leela Zero's LCB]. Every N must be positive."""
    n, q = children.n, children.q
    spread = np.maximum(0.0, children.value_square_sum - n * q * q) + 1.0
    return q - z * np.sqrt(spread) / n


def best_first(decision: Decision, children: RootChildren) -> NDArray[np.intp]:
    """The order of the children by the decision rule, best first, shape [E]; a proven win is
    best and a proven loss last, whatever the rule says (HighestPrior excepted)."""
    n, q, p = children.n, children.q, children.p
    won, lost = children.proven >= 1.0, children.proven <= -1.0
    certain = won.view(np.int8) - lost.view(np.int8)
    merits: tuple[NDArray[Any], ...]
    if isinstance(decision, HighestPrior):
        merits = (p, n)
    elif isinstance(decision, BestLowerBound):
        eligible = n >= decision.minimum_share * n.max(initial=0.0)
        bound = np.where(eligible, lower_confidence_bounds(children, decision.z), n)
        merits = (certain, eligible.astype(float), bound, n, p)
    elif isinstance(decision, GumbelDecision):
        merits = (certain, children.gumbel, n, p)
    elif isinstance(decision, VisitsTimesValue):
        merits = (certain, n * (1.0 + q), n, p)
    elif isinstance(decision, HighestValue):
        merits = (certain, q, n, p)
    else:
        merits = (certain, n, q, p)
    # lexsort takes the weightiest key last and ascends; equal children go by ascending action.
    return np.lexsort((-children.action, *reversed(merits)))[::-1]


def target_visits(
    selection: Selection, children: RootChildren, scale: float
) -> NDArray[np.float64]:
    """Visits for a training target, shape [E]: without those that forced playouts alone brought.

    ``scale`` is c(N) · √N of the root. From every action but the most visited up to
    √(k · P · ΣN) visits are taken, as long as its score stays below that one's; what is left of
    a single visit goes too [KataGo: policy target pruning]. Other selections: N as it is.
    """
    k = selection.forced_playouts if isinstance(selection, Puct) else 0.0
    n, q, p = children.n, children.q, children.p
    if k == 0.0 or len(children) < 2:
        return n
    best = int(np.lexsort((-p, -n))[0])
    bar = q[best] + scale * p[best] / (1.0 + n[best])
    forced = np.floor(np.sqrt(k * p * n.sum()))
    with np.errstate(divide="ignore", invalid="ignore"):
        deserved = np.where(bar > q, np.ceil(scale * p / (bar - q) - 1.0), n)
    kept = np.clip(deserved, np.maximum(0.0, n - forced), n)
    kept[kept <= 1.0] = 0.0
    kept[best] = n[best]
    return kept


def visit_policy(visits: NDArray[np.float64], temperature: float) -> NDArray[np.float64]:
    """π ∝ N^(1/τ), shape as given; computed in logarithms: 1600^(1/0.01) would overflow."""
    if temperature == 1.0:
        shares: NDArray[np.float64] = visits / visits.sum()
        return shares
    policy = np.zeros_like(visits)
    visited = visits > 0
    logits = np.log(visits[visited]) / temperature
    weights = np.exp(logits - logits.max())
    policy[visited] = weights / weights.sum()
    return policy


def choose(decision: Decision, children: RootChildren, move: int, seed: int) -> int:
    """The place of the action to play among children that stand best first, at a move of the
    game counted from 0. Sampling draws from a stream named by seed and move, so a move can be
    replayed by itself."""
    if isinstance(decision, SampleVisits) and (decision.moves is None or move < decision.moves):
        policy = visit_policy(children.n, decision.temperature)
        generator = np.random.Generator(np.random.Philox(key=[seed & (2**64 - 1), move]))
        place = int(np.searchsorted(np.cumsum(policy), generator.random(), side="right"))
        return min(place, len(children) - 1)
    return 0
