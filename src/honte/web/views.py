"""Searches as the page sees them: reports, trees, and scores taken apart."""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Sequence

import numpy as np

from honte.errors import HonteError
from honte.evaluation import Rollout, Uniform
from honte.games.go import BLACK, GoState
from honte.search import Search, SearchConfig, SearchResult, TreeEdge, TreeNode
from honte.search.config import Custom, Gumbel, Puct, Selection
from honte.search.reference.phases import Node as FormulaNode
from honte.search.reference.phases import explored, side, urgency
from honte.search.steps import Simulation as TracedSimulation
from honte.search.steps import StepEdge as TracedEdge
from honte.web import events

MOST_CANDIDATES = 400
LINE = 15
PLAYOUTS_FOR_OWNERSHIP = 100
PRIORS_SHOWN = 20


def report(
    search: Search, result: SearchResult, state: GoState, node: int, *, running: bool
) -> events.Report:
    """What a search of a Go position knows now."""
    player = result.player if result.player in (0, 1) else state.to_play
    black = 1.0 if player == BLACK else -1.0
    pointed = in_points(search)
    candidates = [
        events.Candidate(
            action=child.action,
            n=child.n,
            p=child.p,
            q=child.q,
            u=child.u,
            winrate=(child.q + 1.0) / 2.0,
            lead=child.score_lead if pointed else None,
            bound=child.lower_confidence_bound,
            line=list(child.principal_variation[:LINE]),
            line_visits=list(child.principal_variation_visits[:LINE]),
        )
        for child in result.children[:MOST_CANDIDATES]
    ]
    raw = result.raw_value
    lead = result.score_lead if pointed else None
    return events.Report(
        node=node,
        player=player,
        visits=result.visits,
        black_winrate=(black * result.value + 1.0) / 2.0,
        black_lead=None if lead is None else black * lead,
        raw_black_winrate=None if raw is None else (black * raw + 1.0) / 2.0,
        candidates=candidates,
        best=result.action,
        prior=[round(float(p), 5) for p in result.prior],
        ownership=_ownership(result, state, black),
        nodes=result.nodes,
        per_second=result.simulations / result.seconds if result.seconds > 0 else 0.0,
        running=running,
    )


def in_points(search: Search) -> bool:
    """Whether the search's evaluator counts points, and not only who won."""
    return not isinstance(search.evaluator, Rollout | Uniform)


def _ownership(result: SearchResult, state: GoState, black: float) -> list[float] | None:
    if result.ownership is not None:
        owned = np.asarray(result.ownership) * black
    else:
        owned = np.asarray(state.playout_ownership(PLAYOUTS_FOR_OWNERSHIP, 1))
    return [round(float(x), 2) for x in owned.ravel()]


def tree_rows(root: TreeNode, most: int) -> list[events.TreeRow]:
    """The most visited nodes of a tree, each after its parent (see events.SearchTree)."""
    order = itertools.count()
    rows: list[events.TreeRow] = []
    # Highest N first; a node never has more visits than its parent.
    waiting: list[tuple[int, int, TreeNode, int, float, float]] = [
        (-root.n, next(order), root, -1, root.value, 1.0)
    ]
    while waiting and len(rows) < most:
        minus_n, _, node, parent, q, p = heapq.heappop(waiting)
        place = len(rows)
        action = -1 if node.action is None or parent < 0 else node.action
        rows.append(
            (
                node.index,
                parent,
                action,
                -minus_n,
                round(q, 4),
                round(p, 5),
                node.player,
                node.proven,
            )
        )
        for edge in node.edges():
            if edge.child is not None and edge.n > 0:
                heapq.heappush(waiting, (-edge.n, next(order), edge.child, place, edge.q, edge.p))
    return rows


def walk(root: TreeNode, path: Sequence[int]) -> TreeNode:
    """The node at the end of a path of actions. Raises HonteError where the tree ends before."""
    node = root
    for action in path:
        child = node.child(action)
        if child is None:
            raise HonteError("The tree does not reach that far now; choose another node.")
        node = child
    return node


def node_table(search: Search, path: Sequence[int], number: int) -> events.NodeTable:
    """The children of a node with Q + U taken apart, unvisited ones of the root included."""
    node = walk(search.root, path)
    edges = node.edges()
    total = sum(edge.n for edge in edges)
    selection = search.config.selection
    constant = _constant_in_use(selection, edges, total)
    first_play = finite(
        first_play_urgency(
            search.config, node.player, node.n, node.value, sum(e.p for e in edges), not path
        )
    )
    rows = [
        events.TableRow(action=e.action, n=e.n, w=e.w, q=e.q, p=e.p, u=e.u, visited=e.n > 0)
        for e in edges
    ]
    if not path and not node.is_terminal:
        seen = {edge.action for edge in edges}
        prior = search.result().prior
        rows += [
            events.TableRow(
                action=int(action),
                n=0,
                w=0.0,
                q=0.0 if first_play is None else first_play,
                p=float(prior[action]),
                u=_hope(selection, constant, float(prior[action]), total),
                visited=False,
            )
            for action in np.argsort(-prior, kind="stable")[:60]
            if prior[action] > 0 and int(action) not in seen
        ]
    return events.NodeTable(
        number=number,
        path=list(path),
        player=node.player,
        n=node.n,
        total=total,
        value=node.value,
        formula=selection.kind,
        c=constant,
        urgency=first_play,
        rows=rows,
    )


def exploration_constant(selection: Selection, total: int) -> float:
    """The constant before P · f(N) at N(s) = total: c_puct, grown where the formula grows it."""
    if isinstance(selection, Puct):
        # U of P = 1 and N(s,a) = 0 is c(N) · √N.
        return explored(selection, 1.0, 0, total) / math.sqrt(max(1, total))
    return 0.0 if isinstance(selection, Gumbel | Custom) else selection.c


def _constant_in_use(selection: Selection, edges: Sequence[TreeEdge], total: int) -> float:
    """The constant behind the U of a node's edges, what scales it by the node's spread included."""
    if isinstance(selection, Puct) and edges and edges[0].p > 0:
        edge = edges[0]
        return edge.u * (1 + edge.n) / (edge.p * math.sqrt(max(1, total)))
    return exploration_constant(selection, total)


def _hope(selection: Selection, constant: float, p: float, total: int) -> float:
    """U of an unvisited action at a node whose edges have this constant."""
    if isinstance(selection, Gumbel | Custom):
        return 0.0
    if isinstance(selection, Puct):
        return constant * p * math.sqrt(max(1, total))
    return explored(selection, p, 0, total)


def first_play_urgency(
    config: SearchConfig, player: int, n: int, value: float, visited_prior: float, at_root: bool
) -> float:
    """The value that stands in for an unvisited action; infinite where those come first."""
    if player not in (0, 1) or n == 0:
        return 0.0
    node = FormulaNode(
        player, 0, n=n, value_sum=side(player) * value * n, visited_prior=visited_prior
    )
    return urgency(config.selection, node, at_root)


def finite(x: float) -> float | None:
    """None for infinities, which JSON has not."""
    return x if math.isfinite(x) else None


def simulation(traced: TracedSimulation, index: int) -> events.Simulation:
    """A simulation with every number that selection saw."""
    priors = traced.priors
    return events.Simulation(
        index=index,
        way=[
            events.StepOfWay(
                node_index=step.node_index,
                player=step.player,
                n=step.n,
                urgency=finite(step.urgency),
                edges=[_edge(edge) for edge in step.edges],
                chosen=step.chosen_action,
                opened=step.opened,
                after=_edge(step.after),
            )
            for step in traced.way
        ],
        leaf_index=traced.leaf_index,
        leaf_kind=traced.leaf_kind.value,
        player=traced.player,
        value=traced.value,
        priors=None
        if priors is None
        else sorted(priors.items(), key=lambda item: -item[1])[:PRIORS_SHOWN],
    )


def _edge(edge: TracedEdge) -> events.StepEdge:
    return events.StepEdge(
        action=edge.action,
        n=edge.n,
        w=edge.w,
        q=0.0 if not math.isfinite(edge.q) else edge.q,
        u=0.0 if not math.isfinite(edge.u) else edge.u,
        p=edge.p,
    )


def curve(selection: Selection, prior: float, total: int, visits: Sequence[int]) -> list[float]:
    """U at each N(s, a) for N(s) = total."""
    return [explored(selection, prior, n, total) for n in visits]
