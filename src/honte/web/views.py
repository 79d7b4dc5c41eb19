"""Searches as the page sees them: reports, trees, and scores taken apart."""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from honte.errors import HonteError
from honte.evaluation import Evaluator, Rollout, Uniform
from honte.games.go import BLACK, GoState
from honte.search import Search, SearchConfig, SearchResult, TreeEdge, TreeNode
from honte.search.config import Grave, Puct, Selection
from honte.search.reference.phases import Node as FormulaNode
from honte.search.reference.phases import side, urgency
from honte.search.steps import Simulation as TracedSimulation
from honte.search.steps import StepEdge as TracedEdge
from honte.web import curves, events
from honte.web.scores import Action, Seen, drawn_gumbels, scores, terms_of

MOST_CANDIDATES = 400
LINE = 15
PLAYOUTS_FOR_OWNERSHIP = 100
PRIORS_SHOWN = 20


def report(
    evaluator: Evaluator, result: SearchResult, state: GoState, node: int, *, running: bool
) -> events.Report:
    """What a search of a Go position with this evaluator knows now."""
    player = result.player if result.player in (0, 1) else state.to_play
    black = 1.0 if player == BLACK else -1.0
    pointed = in_points(evaluator)
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


def in_points(evaluator: Evaluator) -> bool:
    """Whether an evaluator counts points, and not only who won."""
    return not isinstance(evaluator, Rollout | Uniform)


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
    """The children of a node with their scores taken apart, unvisited ones of the root included."""
    node = walk(search.root, path)
    edges = node.edges()
    total = sum(edge.n for edge in edges)
    selection = search.config.selection
    first_play = finite(
        first_play_urgency(
            search.config, node.player, node.n, node.value, sum(e.p for e in edges), not path
        )
    )
    scale = _constant_in_use(selection, edges, total)
    unvisited = math.inf if first_play is None else first_play
    actions = [Action(e.action, e.n, e.q if e.n else unvisited, e.p, e.u) for e in edges]
    if not path and not node.is_terminal:
        opened = {edge.action for edge in edges}
        prior = search.result().prior
        for place in np.argsort(-prior, kind="stable")[:60]:
            action, p = int(place), float(prior[place])
            if p > 0 and action not in opened:
                u = _hope(selection, scale, p, total)
                actions.append(Action(action, 0, unvisited, p, u))
    seen = seen_at(search, node, actions, path)
    constant = scale if isinstance(selection, Puct) and scale else curves.constant(selection, seen)
    w = {edge.action: edge.w for edge in edges}
    return events.NodeTable(
        number=number,
        path=list(path),
        player=node.player,
        n=node.n,
        total=total,
        value=node.value,
        formula=selection.kind,
        terms=terms_of(selection, at_root=not path),
        c=constant,
        urgency=first_play,
        rows=[
            events.TableRow(
                action=action.action,
                n=action.n,
                w=w.get(action.action, 0.0),
                q=finite(action.q) or 0.0,
                p=action.p,
                u=action.u,
                visited=action.n > 0,
                score=score,
            )
            for action, score in zip(actions, scores(selection, seen), strict=True)
        ],
    )


def seen_at(search: Search, node: TreeNode, actions: Sequence[Action], path: Sequence[int]) -> Seen:
    """A node of the tree as selection sees it."""
    selection = search.config.selection
    source = node
    if isinstance(selection, Grave) and node.n < selection.reference:
        above = [walk(search.root, path[:depth]) for depth in range(len(path))]
        source = next((a for a in reversed(above) if a.n >= selection.reference), search.root)
    amaf = source.amaf() if source.player == node.player else {}
    seen = Seen(actions, node.raw_value, amaf)
    if path:
        return seen
    return replace(seen, drawn=drawn_gumbels(selection, seen, search.halving_scores()))


def _constant_in_use(selection: Selection, edges: Sequence[TreeEdge], total: int) -> float:
    """PUCT's constant behind the U of a node's edges, what scales it by the node's spread included;
    0 where no edge tells."""
    if isinstance(selection, Puct) and edges and edges[0].p > 0:
        edge = edges[0]
        return edge.u * (1 + edge.n) / (edge.p * math.sqrt(max(1, total)))
    return 0.0


def _hope(selection: Selection, scale: float, p: float, total: int) -> float:
    """U of an unvisited action at a node whose edges have this constant."""
    if isinstance(selection, Puct) and scale:
        return scale * p * math.sqrt(max(1, total))
    return curves.exploration(selection, p, 0, total)


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


def simulation(search: Search, traced: TracedSimulation, index: int) -> events.Simulation:
    """A simulation with every number that selection saw."""
    priors = traced.priors
    return events.Simulation(
        index=index,
        way=[_step(search, traced, depth) for depth in range(len(traced.way))],
        leaf_index=traced.leaf_index,
        leaf_kind=traced.leaf_kind.value,
        player=traced.player,
        value=traced.value,
        priors=None
        if priors is None
        else sorted(priors.items(), key=lambda item: -item[1])[:PRIORS_SHOWN],
    )


def _step(search: Search, traced: TracedSimulation, depth: int) -> events.StepOfWay:
    step = traced.way[depth]
    selection = search.config.selection
    source = next(s for s in traced.way if s.node_index == step.amaf_node)
    amaf = step.amaf if source.player == step.player else {}
    value = search.node(step.node_index).raw_value
    actions = [Action(e.action, e.n, e.q, e.p, e.u) for e in step.edges]
    seen = Seen(actions, value, amaf)
    if depth == 0:
        drawn = drawn_gumbels(selection, _root_now(search), search.halving_scores())
        seen = replace(seen, drawn=drawn)
    found = scores(selection, seen)
    return events.StepOfWay(
        node_index=step.node_index,
        player=step.player,
        n=step.n,
        urgency=finite(step.urgency),
        terms=terms_of(selection, at_root=depth == 0),
        edges=[_edge(edge, score) for edge, score in zip(step.edges, found, strict=True)],
        chosen=step.chosen_action,
        opened=step.opened,
        after=_edge(step.after),
    )


def _root_now(search: Search) -> Seen:
    edges = search.root.edges()
    actions = [Action(e.action, e.n, e.q if e.n else 0.0, e.p, e.u) for e in edges]
    return Seen(actions, search.root.raw_value)


def _edge(edge: TracedEdge, score: events.Score | None = None) -> events.StepEdge:
    return events.StepEdge(
        action=edge.action,
        n=edge.n,
        w=edge.w,
        q=finite(edge.q) or 0.0,
        u=finite(edge.u) or 0.0,
        p=edge.p,
        score=score,
    )
