"""One simulation at a time: what selection saw, what was expanded, what backup changed.

For teaching, debugging and the web page. Selection and backup are the core's own; this module
only writes down what they did.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from honte import _core
from honte.errors import HonteError
from honte.evaluation.simple import Rollout, Uniform
from honte.search.config import Grave, Rave
from honte.search.driver import deliver
from honte.search.tree import TreeNode

if TYPE_CHECKING:
    from honte.search.search import Search


class LeafKind(Enum):
    """Where a simulation's way down ended."""

    NEW = "new"
    """A position without a visit: evaluated, and expanded with the answer's priors."""
    TERMINAL = "terminal"
    """A finished game: its result is exact."""
    PROVEN = "proven"
    """A position whose exact value the solver knows."""
    CACHED = "cached"
    """A new position whose evaluation was in the cache."""
    REVISITED = "revisited"
    """A leaf below the expansion threshold, evaluated once more."""
    TOO_DEEP = "too_deep"
    """The bound on depth: the position's mean value stands in."""
    TRANSPOSITION = "transposition"
    """In a graph, a position that was visited more often than the edge that led to it now."""
    CYCLE = "cycle"
    """In a graph, a position that lies on the way here."""


@dataclass(frozen=True, slots=True)
class StepEdge:
    """An action with an edge as selection saw it; values are from the side to move at its node."""

    action: int
    n: int
    w: float
    q: float
    """W/N or the exact value; the first-play urgency where N = 0."""
    u: float
    p: float

    @property
    def score(self) -> float:
        """Q + U: what selection maximises."""
        return self.q + self.u


@dataclass(frozen=True, slots=True)
class Step:
    """One node on the way down, before this simulation changed it."""

    node_index: int
    player: int
    """Who moves here, and whose side every value of the step is on."""
    n: int
    urgency: float
    """First-play urgency: the value that stands in for an unvisited action."""
    edges: tuple[StepEdge, ...]
    """The actions that had an edge, in the order in which they were opened."""
    chosen_action: int
    opened: bool
    """Whether the chosen action got its edge only now."""
    after: StepEdge
    """The chosen edge after backup."""
    amaf: dict[int, tuple[float, int]]
    """W and N of the AMAF statistics that selection read, for the side to move at the node that
    keeps them; empty where the formula has none."""
    amaf_node: int
    """Which node's those are: GRAVE reads an ancestor's."""


@dataclass(frozen=True, slots=True)
class Simulation:
    """One simulation through its four phases."""

    number: int
    """Counted from 1 since the search was made."""
    way: tuple[Step, ...]
    """Selection: from the root down; empty when the root itself was the leaf."""
    leaf_index: int
    leaf_kind: LeafKind
    player: int
    """The player to move at the leaf; TERMINAL_PLAYER at a finished game."""
    value: float
    """Evaluation: for the side to move at the leaf; at a finished game for player 0."""
    priors: dict[int, float] | None
    """Expansion: action → prior, where this simulation expanded the leaf."""

    @property
    def actions(self) -> tuple[int, ...]:
        """The actions from the root to the leaf."""
        return tuple(step.chosen_action for step in self.way)


def steps(search: Search) -> Iterator[Simulation]:
    """Run one simulation after another for as long as the iterator is asked.

    The search is the same as :meth:`honte.search.Search.run` makes with one leaf in flight. It
    ends when nothing is left to search: a finished game, or a proven root.
    """
    core = search._core
    core.set_tracing(True)
    amaf = _AmafBefore(search)
    try:
        while True:
            root = core.node(0)
            if root.terminal or (root.proven and root.n > 0):
                return
            yield _simulate(search, amaf)
    finally:
        core.set_tracing(False)


class _AmafBefore:
    """The AMAF statistics of each node as they are before the next simulation."""

    def __init__(self, search: Search) -> None:
        self._core = search._core
        selection = search.config.selection
        self._selection = selection if isinstance(selection, Rave | Grave) else None
        self._tables: dict[int, dict[int, tuple[float, int]]] = {}
        self.read_all()

    def read_all(self) -> None:
        """Read every node's anew: the tree was another, or has other numbers."""
        if self._selection is not None:
            self._tables.clear()
            self._read(range(self._core.node_count))

    def of(self, trace: _core.Trace, depth: int) -> tuple[int, dict[int, tuple[float, int]]]:
        """The node whose statistics selection read at a depth of the last way, and those."""
        steps = trace.steps
        source = steps[depth].node
        if isinstance(self._selection, Grave):
            reference = self._selection.reference
            nearest = (s.node for s in reversed(steps[: depth + 1]) if s.n >= reference)
            source = next(nearest, steps[0].node)
        return source, self._tables.get(source, {})

    def take(self, trace: _core.Trace) -> None:
        """The last simulation changed the nodes on its way."""
        if self._selection is not None:
            self._read({trace.leaf, *(step.node for step in trace.steps)})

    def _read(self, nodes: Iterable[int]) -> None:
        for node in nodes:
            self._tables[node] = TreeNode(self._core, node, None).amaf()


def _simulate(search: Search, amaf: _AmafBefore) -> Simulation:
    core = search._core
    if core.wants_pruning:
        core.prune()
        amaf.read_all()
    evaluator = search.evaluator
    if isinstance(evaluator, Uniform):
        core.simulate(_core.NativeEvaluatorKind.UNIFORM, 1, 1)
    elif isinstance(evaluator, Rollout):
        core.simulate(_core.NativeEvaluatorKind.ROLLOUT, evaluator.count, 1, evaluator.core_policy)
    else:
        batch = _core.LeafBatch()
        core.select(batch, 1, 1)
        if batch.size:
            _answer(search, batch)
    written = _written_down(core, amaf)
    amaf.take(core.trace())
    return written


def _answer(search: Search, batch: _core.LeafBatch) -> None:
    try:
        refusals = deliver(batch, search.evaluator(batch))
    except BaseException:
        batch.cancel()
        raise
    for _, reason in refusals:
        raise HonteError(f"The evaluator gave an answer that cannot be used: {reason}.")


def _written_down(core: _core.TreeSearch, amaf: _AmafBefore) -> Simulation:
    trace = core.trace()
    leaf = core.node(trace.leaf)
    kind = LeafKind[trace.kind.name]
    way = []
    for depth, step in enumerate(trace.steps):
        after = next(edge for edge in core.edges(step.node) if edge.action == step.chosen)
        amaf_node, statistics = amaf.of(trace, depth)
        way.append(
            Step(
                step.node,
                step.player,
                step.n,
                step.urgency,
                tuple(_edge(edge) for edge in step.edges),
                step.chosen,
                step.opened,
                _edge(after),
                statistics,
                amaf_node,
            )
        )
    return Simulation(
        number=core.statistics.simulations,
        way=tuple(way),
        leaf_index=trace.leaf,
        leaf_kind=kind,
        player=leaf.player,
        value=-trace.value if leaf.player == 1 else trace.value,
        priors=_priors(core, trace) if kind in (LeafKind.NEW, LeafKind.CACHED) else None,
    )


def _priors(core: _core.TreeSearch, trace: _core.Trace) -> dict[int, float]:
    state: Any = core.root_state()
    for step in trace.steps:
        state.apply_action(step.chosen)
    legal = state.legal_actions()
    if trace.leaf == 0:
        everywhere = core.root_prior()
        return {action: float(everywhere[action]) for action in legal}
    given = core.priors(trace.leaf) or [1.0 / len(legal)] * len(legal)
    return dict(zip(legal, given, strict=True))


def _edge(edge: _core.EdgeView) -> StepEdge:
    return StepEdge(edge.action, edge.n, edge.w, edge.q, edge.u, edge.p)
