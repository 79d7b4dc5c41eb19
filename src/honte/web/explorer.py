"""The explorer: what a selection formula does at one node, by the real search.

A made-up node is a game of one move. Under RAVE and GRAVE it is given AMAF values besides, which
no game of one move has, so there the reference search's own phases make the simulations.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from honte.evaluation import Evaluator, Rollout
from honte.games.go import GoState
from honte.search import Budget, EvaluationCache, Search, SearchConfig
from honte.search.config import (
    Expansion,
    Grave,
    Gumbel,
    GumbelDecision,
    Memory,
    MostVisits,
    Parallelism,
    Rave,
)
from honte.search.reference.phases import halving_schedule
from honte.web import curves, events, views
from honte.web.engines import MOST_NODES
from honte.web.made_up import AmafNode, GivenPriors, OnePly
from honte.web.requests import Explore
from honte.web.scheduler import Work
from honte.web.scores import Action, Seen, drawn_gumbels, scores, terms_of

SHOWN = 12
"""Actions of a real position that are shown."""
AT_ONCE = 200
"""Simulations in plain Python between two pauses."""


@dataclass(frozen=True, slots=True)
class RealPosition:
    """The position on the board, and what answers its leaves."""

    state: GoState
    evaluator: Evaluator
    cache: EvaluationCache | None


class Node(Protocol):
    """A node whose actions a formula chooses among."""

    made_up: bool
    player: int

    def simulate(self, simulations: int) -> Work:
        """Simulate until the node's actions have so many visits in all."""

    def seen(self) -> Seen:
        """All of its actions as the formula sees them now."""

    def prior(self, action: int) -> float:
        """As it was given, not as the tree rounds it."""

    def halving(self) -> dict[int, tuple[int, float]]:
        """Gumbel's visits since the plan, and scores."""

    def urgency(self) -> float | None:
        """What stands in for an unvisited action; None: those come first."""


def explore(
    wish: Explore,
    real: RealPosition | None,
    seconds: float,
    send: Callable[[events.Explored], None],
) -> Work:
    """Search until each milestone and until N(s); an answer is sent at each. Yields often."""
    stops = sorted({wish.visits, *wish.milestones})
    # Gumbel's halving is planned over all simulations, so that each stop is a search of its own.
    again = isinstance(wish.selection, Gumbel)
    node = _node(wish, real, seconds)
    milestones: list[events.Milestone] = []
    found: events.Explored | None = None
    for stop in stops:
        if again and stop != stops[0]:
            node = _node(wish, real, seconds)
        yield from node.simulate(stop)
        if stop <= wish.visits:
            found = _explored(wish, node)
        if stop in wish.milestones:
            visits = {action.action: action.n for action in node.seen().actions}
            milestones.append(
                events.Milestone(
                    simulations=stop, visits=[visits.get(a, 0) for a in range(max(visits) + 1)]
                )
            )
        assert found is not None  # N(s) is a stop itself, and no later than the first of all
        told = {"milestones": list(milestones), "finished": stop == stops[-1]}
        send(found.model_copy(update=told))
        yield


def _node(wish: Explore, real: RealPosition | None, seconds: float) -> Node:
    if real is None and isinstance(wish.selection, Rave | Grave):
        return _AmafNode(wish, wish.selection)
    return _SearchNode(wish, real, seconds)


class _SearchNode:
    """The root of a real search, of a game of one move or of the position on the board."""

    def __init__(self, wish: Explore, real: RealPosition | None, seconds: float) -> None:
        gumbel = isinstance(wish.selection, Gumbel)
        config = SearchConfig(
            selection=wish.selection,
            expansion=Expansion(root_noise=wish.noise),
            decision=GumbelDecision() if gumbel else MostVisits(),
            memory=Memory(maximum_nodes=MOST_NODES),
            parallelism=Parallelism(batch_size=1 if real is None else None),
        )
        self.made_up = real is None
        self._wish = wish
        self._seconds = seconds
        if real is None:
            weight = sum(action.prior for action in wish.actions) or 1.0
            priors = tuple(action.prior / weight for action in wish.actions)
            values = [action.value for action in wish.actions]
            expected = sum(p * v for p, v in zip(priors, values, strict=True))
            answer: Evaluator = GivenPriors(priors, expected)
            self._search = Search(OnePly(values), config, answer, seed=wish.seed)
        else:
            # AMAF counts what playouts played, so only those can tell anything here.
            by_amaf = isinstance(wish.selection, Rave | Grave)
            evaluator = Rollout() if by_amaf else real.evaluator
            cache = None if by_amaf else real.cache
            self._search = Search(real.state, config, evaluator, seed=wish.seed, cache=cache)
        self.player = int(self._search.root.player)

    def simulate(self, simulations: int) -> Work:
        # The first simulation evaluates the node itself and visits no action.
        wanted = simulations + 1
        budget = Budget(visits=wanted, seconds=self._seconds)
        begun = False
        while self._search.root.n < wanted:
            self._search.run(budget, resume=begun)
            begun = True
            if self._search.root.n < wanted:
                yield

    def seen(self) -> Seen:
        root = self._search.root
        prior = self._search.result().prior
        edges = {edge.action: edge for edge in root.edges()}
        total = sum(edge.n for edge in edges.values())
        unvisited = self.urgency()
        actions = []
        for action in range(len(prior)):
            edge = edges.get(action)
            p = float(prior[action]) if edge is None else edge.p
            if edge is None and p <= 0.0 and not self.made_up:
                continue
            n = 0 if edge is None else edge.n
            q = edge.q if edge is not None and edge.n else math.inf
            if not n and unvisited is not None:
                q = unvisited
            u = curves.exploration(self._wish.selection, p, n, total)
            actions.append(Action(action, n, q, p, u))
        return Seen(actions, root.raw_value, root.amaf())

    def prior(self, action: int) -> float:
        if self.made_up and self._wish.noise is None:
            return self._wish.actions[action].prior
        return next(a.p for a in self.seen().actions if a.action == action)

    def halving(self) -> dict[int, tuple[int, float]]:
        return self._search.halving_scores()

    def urgency(self) -> float | None:
        root = self._search.root
        return views.finite(
            views.first_play_urgency(
                self._search.config,
                root.player,
                root.n,
                root.value,
                sum(edge.p for edge in root.edges()),
                True,
            )
        )


class _AmafNode:
    """A made-up node with AMAF values, under RAVE or GRAVE."""

    made_up = True
    player = 0

    def __init__(self, wish: Explore, selection: Rave | Grave) -> None:
        self._wish = wish
        weight = sum(action.prior for action in wish.actions) or 1.0
        self._node = AmafNode(
            selection,
            priors=[action.prior / weight for action in wish.actions],
            values=[action.value for action in wish.actions],
            amaf=[action.amaf for action in wish.actions],
            share=wish.amaf_share,
        )

    def simulate(self, simulations: int) -> Work:
        while (left := simulations - self._node.total) > 0:
            self._node.simulate(min(left, AT_ONCE))
            yield

    def seen(self) -> Seen:
        return self._node.seen()

    def prior(self, action: int) -> float:
        return self._wish.actions[action].prior

    def halving(self) -> dict[int, tuple[int, float]]:
        return {}

    def urgency(self) -> float | None:
        return None


def _explored(wish: Explore, node: Node) -> events.Explored:
    selection = wish.selection
    seen = node.seen()
    drawn = drawn_gumbels(selection, seen, node.halving())
    seen = Seen(seen.actions, seen.value, seen.amaf, drawn)
    scored = list(zip(seen.actions, scores(selection, seen), strict=True))
    chosen = _chosen(wish, node, scored)
    if not node.made_up:
        scored = _foremost(scored)
    return events.Explored(
        number=wish.number,
        made_up=node.made_up,
        player=node.player,
        total=seen.total,
        c=curves.constant(selection, seen),
        urgency=node.urgency(),
        terms=terms_of(selection, at_root=True),
        actions=[
            events.ExploredAction(
                action=action.action,
                prior=action.p,
                n=action.n,
                q=views.finite(action.q) or 0.0,
                u=action.u,
                score=score,
            )
            for action, score in scored
        ],
        chosen=chosen,
        curves=curves.curves(
            wish,
            [
                curves.Curve(action.action, node.prior(action.action), action.q, action.n)
                for action, _ in scored
            ],
            seen,
        ),
        curve_visits=wish.curve_visits,
        halving=_halving(selection, wish.visits, len(seen.actions)),
        milestones=[],
        finished=False,
    )


def _foremost(scored: list[tuple[Action, events.Score]]) -> list[tuple[Action, events.Score]]:
    """Those visited most, then those with the highest priors."""
    return sorted(scored, key=lambda pair: (-pair[0].n, -pair[0].p))[:SHOWN]


def _chosen(wish: Explore, node: Node, scored: Sequence[tuple[Action, events.Score]]) -> int | None:
    """What the next simulation takes: the highest score, the highest prior of equals. With Gumbel,
    whose plan is at its end, the decision: the highest score among the most visited."""
    offered = scored
    if isinstance(wish.selection, Gumbel):
        visits = {action: n for action, (n, _) in node.halving().items()}
        most = max(visits.values(), default=0)
        offered = [pair for pair in scored if visits.get(pair[0].action) == most]
    if not offered:
        return None

    def rank(pair: tuple[Action, events.Score]) -> tuple[float, float]:
        return math.inf if pair[1].total is None else pair[1].total, pair[0].p

    return max(offered, key=rank)[0].action


def _halving(selection: object, simulations: int, actions: int) -> list[events.HalvingRound]:
    """The plan's rounds: how many actions get one more visit, for how many visits in a row."""
    if not isinstance(selection, Gumbel):
        return []
    schedule = halving_schedule(min(selection.considered, actions), simulations)
    reached = Counter(schedule)
    counts = [reached[visits] for visits in range(len(reached))]
    return [
        events.HalvingRound(actions=count, visits=len(list(same)))
        for count, same in itertools.groupby(counts)
    ]
