"""The score of each action of a node, taken apart into the terms of the selection formula.

Computed by the formulas of :mod:`honte.search.reference` from what the real search knows of the
node, so that the page shows what selection compares, term by term.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from honte.search.config import Grave, Gumbel, Rave, Selection
from honte.search.reference.amaf import weight
from honte.search.reference.phases import Edge, Node, completed, explored
from honte.web import events

Amaf = Mapping[int, tuple[float, int]]
"""W and N of actions as if they had been played first, for the side to move."""


@dataclass(frozen=True, slots=True)
class Action:
    """An action as selection sees it; ``q`` is for the side to move."""

    action: int
    n: int
    q: float
    """W/N or what stands in for it; not finite where unvisited actions come first."""
    p: float
    u: float
    """The exploration term."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A node as selection sees it."""

    actions: Sequence[Action]
    value: float = 0.0
    """The evaluator's own, for the side to move."""
    amaf: Amaf = field(default_factory=dict)
    drawn: Mapping[int, float] | None = None
    """At Gumbel's root: g of each action. None: inside the tree."""

    @property
    def total(self) -> int:
        """N(s): the sum over the actions."""
        return sum(action.n for action in self.actions)


def terms_of(selection: Selection, at_root: bool) -> events.Terms:
    """Which terms a formula's score is the sum of."""
    if isinstance(selection, Rave | Grave):
        return "amaf"
    if isinstance(selection, Gumbel):
        return "gumbel" if at_root else "improved"
    return "q_u"


def scores(selection: Selection, seen: Seen) -> list[events.Score]:
    """The score of each action, in their order."""
    if isinstance(selection, Rave | Grave):
        return [_by_amaf(selection, seen, action) for action in seen.actions]
    if isinstance(selection, Gumbel):
        by_plan = seen.drawn is not None
        return _by_halving(selection, seen) if by_plan else _improved(selection, seen)
    return [_plain(action.q, action.u) for action in seen.actions]


def _plain(*terms: float) -> events.Score:
    total = sum(terms)
    finite = math.isfinite(total)
    shown = [term if math.isfinite(term) else 0.0 for term in terms]
    return events.Score(terms=shown, total=total if finite else None)


def _by_amaf(selection: Rave | Grave, seen: Seen, action: Action) -> events.Score:
    w, n = seen.amaf.get(action.action, (0.0, 0))
    beta = weight(selection, seen.total, action.n, n)
    mean = (1.0 - beta) * action.q if action.n else 0.0
    first = math.inf if action.n == 0 and n == 0 else beta * w / n if n else 0.0
    score = _plain(mean, first, explored(selection, action.p, action.n, seen.total))
    return score.model_copy(
        update={"beta": beta, "amaf_n": n, "amaf_q": w / n if n else None},
    )


def _node(seen: Seen) -> Node:
    edges = [Edge(a.action, a.p, a.n, a.q * a.n if a.n else 0.0) for a in seen.actions]
    return Node(0, 0, n=1 + seen.total, raw_value=seen.value, edges=edges)


def _by_halving(selection: Gumbel, seen: Seen) -> list[events.Score]:
    assert seen.drawn is not None
    transformed, _ = completed(selection, _node(seen), solver=False)
    return [
        _plain(seen.drawn.get(action.action, 0.0), math.log(max(action.p, 1e-20)), sigma)
        for action, sigma in zip(seen.actions, transformed, strict=True)
    ]


def _improved(selection: Gumbel, seen: Seen) -> list[events.Score]:
    transformed, unvisited = completed(selection, _node(seen), solver=False)
    highest = max([unvisited, *transformed])
    rest = max(0.0, 1.0 - sum(action.p for action in seen.actions))
    weights = [
        action.p * math.exp(sigma - highest)
        for action, sigma in zip(seen.actions, transformed, strict=True)
    ]
    total = rest * math.exp(unvisited - highest) + sum(weights)
    return [
        _plain(share / total, -action.n / (1.0 + seen.total))
        for action, share in zip(seen.actions, weights, strict=True)
    ]


def drawn_gumbels(
    selection: Selection, root: Seen, halving: Mapping[int, tuple[int, float]]
) -> dict[int, float] | None:
    """g of each root action, from the scores that the search itself gives; None under another
    formula."""
    if not isinstance(selection, Gumbel):
        return None
    transformed, _ = completed(selection, _node(root), solver=False)
    return {
        action.action: halving[action.action][1] - math.log(max(action.p, 1e-20)) - sigma
        for action, sigma in zip(root.actions, transformed, strict=True)
        if action.action in halving
    }
