"""The PUCT explorer: what a selection formula does at one node, by the real search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from honte.evaluation import Evaluator
from honte.games.go import GoState
from honte.search import Budget, EvaluationCache, Search, SearchConfig
from honte.search.config import Expansion, Memory, Parallelism
from honte.web import events, views
from honte.web.engines import MOST_NODES
from honte.web.made_up import GivenPriors, OnePly
from honte.web.requests import Explore
from honte.web.scheduler import Work

SHOWN = 12
"""Actions of a real position that are shown."""


@dataclass(frozen=True, slots=True)
class RealPosition:
    """The position on the board, and what answers its leaves."""

    state: GoState
    evaluator: Evaluator
    cache: EvaluationCache | None


def explore(
    wish: Explore,
    real: RealPosition | None,
    seconds: float,
    send: Callable[[events.Explored], None],
) -> Work:
    """Search until each milestone and until N(s); an answer is sent at each. Yields often."""
    search = _search(wish, real)
    stops = sorted({wish.visits, *wish.milestones})
    milestones: list[events.Milestone] = []
    scores: events.Explored | None = None
    for stop in stops:
        # The first simulation evaluates the node itself and visits no action.
        wanted = stop + 1
        while search.root.n < wanted:
            search.run(Budget(visits=wanted, seconds=seconds))
            if search.root.n < wanted:
                yield
        if stop <= wish.visits:
            scores = _scores(wish, search, made_up=real is None)
        if stop in wish.milestones:
            milestones.append(_milestone(search, stop))
        assert scores is not None  # N(s) is a stop itself, and no later than the first of all
        told = {"milestones": list(milestones), "finished": stop == stops[-1]}
        send(scores.model_copy(update=told))
        yield


def _search(wish: Explore, real: RealPosition | None) -> Search:
    config = SearchConfig(
        selection=wish.selection,
        expansion=Expansion(root_noise=wish.noise),
        memory=Memory(maximum_nodes=MOST_NODES),
        parallelism=Parallelism(batch_size=1 if real is None else None),
    )
    if real is not None:
        return Search(real.state, config, real.evaluator, seed=wish.seed, cache=real.cache)
    weight = sum(action.prior for action in wish.actions) or 1.0
    priors = tuple(action.prior / weight for action in wish.actions)
    values = [action.value for action in wish.actions]
    expected = sum(p * v for p, v in zip(priors, values, strict=True))
    return Search(OnePly(values), config, GivenPriors(priors, expected), seed=wish.seed)


def _scores(wish: Explore, search: Search, *, made_up: bool) -> events.Explored:
    root = search.root
    edges = {edge.action: edge for edge in root.edges()}
    total = sum(edge.n for edge in edges.values())
    first_play = views.first_play_urgency(
        search.config, root.player, root.n, root.value, sum(e.p for e in edges.values()), True
    )
    prior = search.result().prior
    if made_up:
        shown = list(range(len(prior)))
    else:
        shown = sorted(edges, key=lambda a: -edges[a].n)[:SHOWN]
        rest = sorted(range(len(prior)), key=lambda a: -prior[a])
        shown += [a for a in rest if a not in edges and prior[a] > 0][: SHOWN - len(shown)]
    unvisited = views.finite(first_play) or 0.0
    actions, curves = [], []
    for action in shown:
        edge = edges.get(action)
        p = float(prior[action]) if edge is None else edge.p
        # A formula's table is read at the prior as given, not as the tree rounds it.
        exact = wish.actions[action].prior if made_up and wish.noise is None else p
        u_now = views.curve(wish.selection, p, total, [0 if edge is None else edge.n])[0]
        actions.append(
            events.ExploredAction(
                action=action,
                prior=p,
                n=0 if edge is None else edge.n,
                q=unvisited if edge is None or edge.n == 0 else edge.q,
                u=u_now,
            )
        )
        curves.append(
            events.CurveRow(
                action=action,
                prior=exact,
                u=views.curve(wish.selection, exact, wish.visits, wish.curve_visits),
            )
        )
    return events.Explored(
        number=wish.number,
        made_up=made_up,
        player=root.player,
        total=total,
        c=views.exploration_constant(wish.selection, total),
        urgency=views.finite(first_play),
        actions=actions,
        curves=curves,
        curve_visits=wish.curve_visits,
        milestones=[],
        finished=False,
    )


def _milestone(search: Search, simulations: int) -> events.Milestone:
    visits = {edge.action: edge.n for edge in search.root.edges()}
    actions = search.result().policy.size
    return events.Milestone(
        simulations=simulations, visits=[visits.get(action, 0) for action in range(actions)]
    )
