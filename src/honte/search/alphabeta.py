"""Minimax to a limited depth with alpha-beta pruning: what was there before the tree of visits.

The value of a position is the best that its side to move can force among the positions ``depth``
actions on, which an evaluator judges; finished games have their exact results. Pruning leaves out
what cannot change that value [Knuth & Moore 1975]. Depths are searched one after the other, each
ordered by what the last one found, until the budget is spent [Slate & Atkin 1977].
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from honte.errors import HonteError
from honte.evaluation.contract import Evaluator
from honte.evaluation.simple import Rollout, Uniform
from honte.search.budget import Budget
from honte.search.result import ChildStatistics, SearchResult, StopReason
from honte.search.search import Search, run_many

MAXIMUM_DEPTH = 128
"""The walk is a recursion, and Python's is bounded."""


@dataclass(frozen=True, slots=True)
class AlphaBetaConfig:
    """How deep to look. Raises HonteError for a depth that cannot be."""

    depth: int = 4
    """Actions from the root to the positions that the evaluator judges, where the budget allows."""

    def __post_init__(self) -> None:
        if not 1 <= self.depth <= MAXIMUM_DEPTH:
            raise HonteError(
                f"AlphaBetaConfig: depth = {self.depth} cannot be: give 1 to {MAXIMUM_DEPTH}."
            )


class AlphaBeta:
    """A minimax search of one position, with the face of :class:`honte.search.Search`.

    ``state`` is any :class:`honte.games.protocol.State`; it is copied. ``evaluator`` judges the
    positions at the depth: by default one random rollout, whose noise minimax takes for truth, so
    give it a count. ``Rollout`` and ``Uniform`` judge one position at a time, as pruning wants it;
    any other evaluator judges all that follow from one position in a batch, which costs it less
    than the few that pruning would have spared. The same arguments give the same result.
    """

    def __init__(
        self,
        state: Any,
        config: AlphaBetaConfig | None = None,
        evaluator: Evaluator | None = None,
        *,
        seed: int = 0,
    ) -> None:
        self.config = config if config is not None else AlphaBetaConfig()
        self.evaluator: Evaluator = evaluator if evaluator is not None else Rollout()
        self.seed = seed
        self.depth_finished = 0
        """The deepest depth that the last run finished."""
        self._state = state.clone()
        self._stop = threading.Event()

    @property
    def state(self) -> Any:
        """A copy of the position."""
        return self._state.clone()

    def run(
        self,
        budget: Budget | None = None,
        *,
        visits: int | None = None,
        simulations: int | None = None,
        seconds: float | None = None,
    ) -> SearchResult:
        """Look deeper and deeper, to the configured depth or until the budget is spent.

        Without a budget to the configured depth. ``visits`` and ``simulations`` both bound the
        positions looked at, the root of each depth included; depth 1 is always finished. The
        result is that of the deepest depth finished, and ``stop_reason`` is PROVEN where all lines
        ended within it, DEPTH where the depth was the limit.

        In the result ``visits`` are positions; a child's ``q`` is exact for the action chosen and
        at least as good as the truth for the others, which were left as soon as they were known
        not to be better; ``policy`` is all on the action chosen.
        """
        if budget is None and (visits, simulations, seconds) != (None, None, None):
            budget = Budget(visits=visits, simulations=simulations, seconds=seconds)
        slices = self.slices(budget)
        while True:
            try:
                next(slices)
            except StopIteration as end:
                found: SearchResult = end.value
                return found

    def slices(
        self, budget: Budget | None = None
    ) -> Generator[SearchResult | None, None, SearchResult]:
        """:meth:`run` for who shares the time with others: pauses with None before a position, or
        a batch of them, is judged, and with the result so far after each depth but the last."""
        self._stop.clear()
        began = time.perf_counter()
        self.depth_finished = 0
        walk = _Walk(self.evaluator, self.seed, budget, began, self._stop)
        if self._state.is_terminal():
            return self._finished(time.perf_counter() - began)
        found: _Iteration | None = None
        reason = StopReason.DEPTH
        for depth in range(1, self.config.depth + 1):
            walk.may_stop = found is not None
            try:
                found = yield from walk.iterate(self._state, depth)
            except _Spent as spent:
                reason = spent.reason
                break
            self.depth_finished = depth
            if not found.cut:
                reason = StopReason.PROVEN
                break
            if depth < self.config.depth:
                yield self._result(found, walk, reason, time.perf_counter() - began)
        assert found is not None
        return self._result(found, walk, reason, time.perf_counter() - began)

    def stop(self) -> None:
        """From any thread: the run under way returns soon with the deepest depth finished."""
        self._stop.set()

    def advance(self, action: int) -> None:
        """Play an action. Raises HonteError if it is not legal."""
        if action not in self._state.legal_actions():
            raise HonteError(f"Action {action} is not legal at the root.")
        self._state.apply_action(action)

    def _finished(self, seconds: float) -> SearchResult:
        actions = self._state.num_distinct_actions()
        value = float(self._state.returns()[0])
        return SearchResult(
            action=None,
            player=int(self._state.current_player()),
            visits=0,
            simulations=0,
            value=value,
            raw_value=None,
            utility=value,
            score_lead=None,
            score_stdev=None,
            policy=np.zeros(actions),
            prior=np.zeros(actions, np.float32),
            children=(),
            principal_variation=(),
            stop_reason=StopReason.TERMINAL,
            seconds=seconds,
            nodes=0,
            evaluations=0,
            cache_hits=0,
        )

    def _result(
        self, found: _Iteration, walk: _Walk, reason: StopReason, seconds: float
    ) -> SearchResult:
        player = int(self._state.current_player())
        sign = -1.0 if player == 1 else 1.0
        actions = self._state.num_distinct_actions()
        prior = np.zeros(actions, np.float32)
        prior[list(self._state.legal_actions())] = 1.0 / len(found.roots)
        policy = np.zeros(actions)
        best = found.roots[0]
        policy[best.action] = 1.0
        children = tuple(
            ChildStatistics(
                action=root.action,
                n=root.positions,
                w=sign * root.value * root.positions,
                q=sign * root.value,
                p=float(prior[root.action]),
                u=0.0,
                score_lead=None,
                lower_confidence_bound=sign * root.value,
                principal_variation=root.line,
                proven=sign * root.value if reason is StopReason.PROVEN and root is best else None,
            )
            for root in found.roots
        )
        return SearchResult(
            action=best.action,
            player=player,
            visits=walk.positions,
            simulations=walk.positions,
            value=sign * best.value,
            raw_value=None,
            utility=sign * best.value,
            score_lead=None,
            score_stdev=None,
            policy=policy,
            prior=prior,
            children=children,
            principal_variation=best.line,
            stop_reason=reason,
            seconds=seconds,
            nodes=walk.positions,
            evaluations=walk.evaluations,
            cache_hits=0,
        )


class _Spent(Exception):
    def __init__(self, reason: StopReason) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(slots=True)
class _Root:
    """An action at the root. ``value`` is player 0's, exact only for the best."""

    action: int
    value: float
    positions: int
    line: tuple[int, ...]


@dataclass(slots=True)
class _Iteration:
    roots: list[_Root]
    """Best first."""
    cut: bool
    """Whether the depth ended a line before the game did."""


@dataclass(slots=True)
class _Walk:
    evaluator: Evaluator
    seed: int
    budget: Budget | None
    began: float
    stopped: threading.Event
    may_stop: bool = False
    positions: int = 0
    evaluations: int = 0
    cut: bool = False
    batches: bool = field(init=False)
    """Whether the evaluator is better asked for many positions at once."""
    best_reply: dict[tuple[int, ...], int] = field(default_factory=dict)
    """By the actions that led to a position: what was best there one depth ago, tried first."""

    def __post_init__(self) -> None:
        self.batches = not isinstance(self.evaluator, Rollout | Uniform)

    def iterate(self, state: Any, depth: int) -> Generator[None, None, _Iteration]:
        """All actions at the root, to this depth."""
        self.cut = False
        self._count()
        maximise = state.current_player() == 0
        low, high = -math.inf, math.inf
        roots: list[_Root] = []
        best: _Root | None = None
        legal = self._ordered(state.legal_actions(), ())
        values = yield from self._frontier(state, legal, depth)
        for index, action in enumerate(legal):
            before = self.positions
            line: tuple[int, ...] = ()
            if values is not None:
                value, positions = values[index], 1
            else:
                value, line = yield from self._value(
                    _after(state, action), (action,), depth - 1, low, high
                )
                positions = self.positions - before
            root = _Root(action, value, positions, (action, *line))
            roots.append(root)
            if best is None or (value > best.value if maximise else value < best.value):
                best = root
                if maximise:
                    low = value
                else:
                    high = value
        assert best is not None
        self.best_reply[()] = best.action
        roots.sort(key=lambda root: (root is not best, -root.value if maximise else root.value))
        return _Iteration(roots, self.cut)

    def _value(
        self, state: Any, way: tuple[int, ...], depth: int, low: float, high: float
    ) -> Generator[None, None, tuple[float, tuple[int, ...]]]:
        """Player 0's value and the line to it: exact within (low, high), a bound outside."""
        self._count()
        if state.is_terminal():
            return float(state.returns()[0]), ()
        if depth == 0:
            yield
            return self._judged([state])[0], ()
        maximise = state.current_player() == 0
        best = -math.inf if maximise else math.inf
        line: tuple[int, ...] = ()
        legal = self._ordered(state.legal_actions(), way)
        values = yield from self._frontier(state, legal, depth)
        for index, action in enumerate(legal):
            below: tuple[int, ...] = ()
            if values is not None:
                value = values[index]
            else:
                value, below = yield from self._value(
                    _after(state, action), (*way, action), depth - 1, low, high
                )
            if value > best if maximise else value < best:
                best, line = value, (action, *below)
                self.best_reply[way] = action
                if maximise:
                    low = max(low, value)
                else:
                    high = min(high, value)
            if low >= high:
                break
        return best, line

    def _frontier(
        self, state: Any, legal: Sequence[int], depth: int
    ) -> Generator[None, None, list[float] | None]:
        """Player 0's values of all that follows, where that is the last depth and goes in a
        batch."""
        if depth > 1 or not self.batches:
            return None
        after = [_after(state, action) for action in legal]
        for _ in after:
            self._count()
        yield
        return self._judged(after)

    def _judged(self, states: Sequence[Any]) -> list[float]:
        """The values of positions for player 0: exact of finished games, else the evaluator's."""
        values = [float(state.returns()[0]) if state.is_terminal() else 0.0 for state in states]
        open_ones = [index for index, state in enumerate(states) if not state.is_terminal()]
        self.cut = self.cut or bool(open_ones)
        first_seed = self.seed + self.evaluations + 1
        self.evaluations += len(open_ones)
        searches = [
            Search(states[index], evaluator=self.evaluator, seed=first_seed + number)
            for number, index in enumerate(open_ones)
        ]
        for index, found in zip(open_ones, run_many(searches, Budget(visits=1)), strict=True):
            assert found is not None
            values[index] = -found.value if states[index].current_player() == 1 else found.value
        return values

    def _ordered(self, legal: Sequence[int], way: tuple[int, ...]) -> list[int]:
        first = self.best_reply.get(way)
        return sorted(legal, key=lambda action: action != first)

    def _count(self) -> None:
        self.positions += 1
        if not self.may_stop:
            return
        if self.stopped.is_set():
            raise _Spent(StopReason.CANCELLED)
        budget = self.budget
        if budget is None:
            return
        if budget.visits is not None and self.positions > budget.visits:
            raise _Spent(StopReason.VISITS)
        if budget.simulations is not None and self.positions > budget.simulations:
            raise _Spent(StopReason.SIMULATIONS)
        if budget.seconds is not None and time.perf_counter() - self.began >= budget.seconds:
            raise _Spent(StopReason.TIME)


def _after(state: Any, action: int) -> Any:
    state = state.clone()
    state.apply_action(action)
    return state
