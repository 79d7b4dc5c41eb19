"""A tree whose positions are shared is a graph: one node a position, and an edge is worth what its
child is, whoever visited it [KataGo, GraphSearch; Czech, Korus, Kersting 2020]."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from honte.search.config import Backup
from honte.search.reference.phases import Edge, Node, prove, side
from honte.search.reference.weighing import BiasTable, place_of, recompute, share_of


def key_of(state: Any) -> Any:
    """What names a position however it was reached."""
    return state.graph_key() if hasattr(state, "graph_key") else state.key()


def ends_at_edge(path: Sequence[tuple[Node, Edge]], child: Node) -> bool:
    """Whether a way down need not visit the child of its last edge: it lies on the way already, or
    has more visits than the edge, which catches up by one."""
    return child.n > path[-1][1].n or any(child is node for node, _ in path)


def back_up_graph(
    backup: Backup, path: Sequence[tuple[Node, Edge]], leaf: Node | None, bias: BiasTable
) -> None:
    """N += 1 along the way; every node on it reads all its children anew."""
    if leaf is not None:
        leaf.n += 1
        recompute(backup, leaf, bias)
    for node, edge in reversed(path):
        edge.n += 1
        node.n += 1
        mover = side(node.player)
        for each in node.edges:
            child = each.child
            if each.n == 0 or child is None or child.n == 0:
                continue
            each.w = mover * child.value_sum * (each.n / child.n)
            each.share = share_of(child, each.n)
            proven = child.proven if backup.solver else None
            each.exact = None if proven is None else mover * proven
        if any(each.exact is not None for each in node.edges):
            prove(node)
        recompute(backup, node, bias, place_of(node, edge))


def nodes_below(root: Node, left_out: Node | None = None) -> Iterator[Node]:
    """The root and what lies below it, each once, level by level; the edges to the node left out
    lose it."""
    seen, level = {id(root)}, [root]
    while level:
        yield from level
        below = []
        for node in level:
            for edge in node.edges:
                if edge.child is left_out:
                    edge.child = None
                elif edge.child is not None and id(edge.child) not in seen:
                    seen.add(id(edge.child))
                    below.append(edge.child)
        level = below
