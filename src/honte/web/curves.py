"""The curves of the explorer: what a formula adds to Q as visits grow, and how much it trusts Q."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from honte.search.config import (
    Custom,
    Equivalence,
    Grave,
    Gumbel,
    Puct,
    Rave,
    RaveSchedule,
    Selection,
    Ucb1,
)
from honte.search.reference.amaf import weight
from honte.search.reference.phases import explored
from honte.web.events import CurveRow
from honte.web.requests import Explore
from honte.web.scores import Seen

BESIDE = (0.1, 1.0, 10.0)
"""β is drawn for these multiples of its parameter."""


@dataclass(frozen=True, slots=True)
class Curve:
    """An action whose curve is asked for."""

    action: int
    prior: float
    q: float
    n: int


def exploration(selection: Selection, prior: float, n: int, total: int) -> float:
    """U of an action; 0 for a formula that adds none to Q."""
    if isinstance(selection, Gumbel | Custom):
        return 0.0
    return explored(selection, prior, n, total)


def constant(selection: Selection, seen: Seen) -> float:
    """The constant before P · f(N) at N(s), grown where the formula grows it; c of UCB1 and RAVE;
    what Gumbel's σ multiplies a winrate by."""
    if isinstance(selection, Puct):
        # U of P = 1 and N(s,a) = 0 is c(N) · √N.
        return explored(selection, 1.0, 0, seen.total) / math.sqrt(max(1, seen.total))
    if isinstance(selection, Gumbel):
        most = max((action.n for action in seen.actions), default=0)
        return (selection.c_visit + most) * selection.c_scale
    return 0.0 if isinstance(selection, Custom) else selection.c


def curves(wish: Explore, actions: Sequence[Curve], seen: Seen) -> list[CurveRow]:
    """The curves of a formula; see :class:`honte.web.events.Explored`."""
    selection, places = wish.selection, wish.curve_visits
    if isinstance(selection, Rave | Grave):
        return _trust_in_amaf(wish, selection, len(seen.actions))
    if isinstance(selection, Gumbel):
        return _improved_policies(selection, actions, seen, places)
    if isinstance(selection, Ucb1):
        # An arm that was never pulled comes before all others.
        bonus = [explored(selection, 0.0, n, wish.visits) if n else None for n in places]
        return [CurveRow(parameter=selection.c, values=bonus)]
    return [
        CurveRow(
            action=action.action,
            prior=action.prior,
            values=[explored(selection, action.prior, n, wish.visits) for n in places],
        )
        for action in actions
    ]


def _trust_in_amaf(wish: Explore, selection: Rave | Grave, actions: int) -> list[CurveRow]:
    """β over N(s), where the actions have equal shares of the visits."""
    rows = []
    for multiple in BESIDE:
        schedule: RaveSchedule
        if isinstance(selection.schedule, Equivalence):
            parameter = selection.schedule.k * multiple
            schedule = Equivalence(k=parameter)
        else:
            parameter = selection.schedule.bias * multiple
            schedule = selection.schedule.model_copy(update={"bias": parameter})
        varied = selection.model_copy(update={"schedule": schedule})
        values = []
        for total in wish.curve_visits:
            n = total / max(1, actions)
            values.append(weight(varied, total, n, total * wish.amaf_share))
        rows.append(CurveRow(parameter=parameter, values=values))
    return rows


def _improved_policies(
    selection: Gumbel, actions: Sequence[Curve], seen: Seen, places: Sequence[int]
) -> list[CurveRow]:
    """π'(a) = softmax(log P + σ(q)) over max N, at the values as they are now."""
    visited = [action for action in actions if action.n > 0]
    known = sum(action.prior for action in visited)
    mean = sum(action.prior * action.q for action in visited) / known if known else seen.value
    shares: list[list[float]] = []
    for most in places:
        scale = (selection.c_visit + most) * selection.c_scale
        logits = [
            math.log(max(action.prior, 1e-20))
            + scale * ((action.q if action.n else mean) + 1.0) / 2.0
            for action in actions
        ]
        highest = max(logits)
        weights = [math.exp(logit - highest) for logit in logits]
        shares.append([w / sum(weights) for w in weights])
    return [
        CurveRow(action=action.action, prior=action.prior, values=[row[i] for row in shares])
        for i, action in enumerate(actions)
    ]
