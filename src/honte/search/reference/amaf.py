"""RAVE and GRAVE in plain Python: every action of a simulation counts for the nodes above it as
if it had been played there first [Gelly & Silver 2011; Cazenave 2015]."""

from __future__ import annotations

import math
from collections.abc import Sequence

from honte.search.config import Equivalence, Grave, Rave
from honte.search.reference.phases import Edge, Node, explored, open_next, q, side

Played = tuple[int, int]
"""A player and the action it chose."""


def weight(selection: Rave | Grave, node_visits: float, n: float, amaf_n: float) -> float:
    """β: the weight of the AMAF value beside the mean."""
    if amaf_n == 0:
        return 0.0
    if n == 0:
        return 1.0
    schedule = selection.schedule
    if isinstance(schedule, Equivalence):
        return math.sqrt(schedule.k / (3.0 * node_visits + schedule.k))
    return amaf_n / (n + amaf_n + schedule.bias * n * amaf_n)


def select_by_amaf(
    selection: Rave | Grave, node: Node, path: Sequence[tuple[Node, Edge]], root: Node, solver: bool
) -> Edge:
    """(1 − β) Q + β Q_AMAF + c √(ln N(s) / N(s,a)); an action nobody has played comes first."""
    while node.unopened:
        open_next(node)
    source = root
    if isinstance(selection, Rave) or node.n >= selection.reference:
        source = node
    else:
        for above, _ in path:
            if above.n >= selection.reference:
                source = above
    total = sum(edge.n for edge in node.edges)
    best, best_score = None, -math.inf
    for edge in node.edges:
        if edge.closed:
            continue
        w, amaf_n = source.amaf.get(edge.action, (0.0, 0))
        beta = weight(selection, total, edge.n, amaf_n) if source.player == node.player else 0.0
        score = math.inf
        if edge.n > 0 or beta > 0.0:
            mean = (1.0 - beta) * q(selection, edge, node.player, solver) if beta < 1.0 else 0.0
            first = beta * (w / amaf_n) if beta > 0.0 else 0.0
            score = mean + first + explored(selection, edge.p, edge.n, total)
        if score > best_score:
            best, best_score = edge, score
    assert best is not None
    return best


def count(
    path: Sequence[tuple[Node, Edge]], leaf: Node, after: Sequence[Played], value: float
) -> None:
    """Count one sequence for every node on the way: an action once a node, for who moves there."""
    later = list(after)
    nodes = [] if leaf.terminal else [(leaf, later)]
    for node, edge in reversed(path):
        later = [(node.player, edge.action), *later]
        nodes.append((node, later))
    for node, sequence in nodes:
        for action in {action for player, action in sequence if player == node.player}:
            w, n = node.amaf.get(action, (0.0, 0))
            node.amaf[action] = (w + side(node.player) * value, n + 1)
