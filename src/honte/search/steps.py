"""One simulation at a time: what selection saw, what was expanded, what backup changed.

For teaching, debugging and the web page. Selection and backup are the core's own; this module
only writes down what they did.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from honte import _core
from honte.errors import HonteError
from honte.evaluation.simple import Rollout, Uniform
from honte.search.driver import deliver

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
    try:
        while True:
            root = core.node(0)
            if root.terminal or (root.proven and root.n > 0):
                return
            yield _simulate(search)
    finally:
        core.set_tracing(False)


def _simulate(search: Search) -> Simulation:
    core = search._core
    if core.wants_pruning:
        core.prune()
    evaluator = search.evaluator
    if isinstance(evaluator, Uniform):
        core.simulate(_core.NativeEvaluatorKind.UNIFORM, 1, 1)
    elif isinstance(evaluator, Rollout):
        core.simulate(_core.NativeEvaluatorKind.ROLLOUT, evaluator.count, 1)
    else:
        batch = _core.LeafBatch()
        core.select(batch, 1, 1)
        if batch.size:
            _answer(search, batch)
    return _written_down(core)


def _answer(search: Search, batch: _core.LeafBatch) -> None:
    try:
        refusals = deliver(batch, search.evaluator(batch))
    except BaseException:
        batch.cancel()
        raise
    for _, reason in refusals:
        raise HonteError(f"The evaluator gave an answer that cannot be used: {reason}.")


def _written_down(core: _core.TreeSearch) -> Simulation:
    trace = core.trace()
    leaf = core.node(trace.leaf)
    kind = LeafKind[trace.kind.name]
    way = []
    for step in trace.steps:
        after = next(edge for edge in core.edges(step.node) if edge.action == step.chosen)
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
        return {action: everywhere[action] for action in legal}
    given = core.priors(trace.leaf) or [1.0 / len(legal)] * len(legal)
    return dict(zip(legal, given, strict=True))


def _edge(edge: _core.EdgeView) -> StepEdge:
    return StepEdge(edge.action, edge.n, edge.w, edge.q, edge.u, edge.p)
