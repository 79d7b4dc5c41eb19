"""Many searches at once on one evaluator, by priority, none of them starving another."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from honte.errors import HonteError
from honte.evaluation import Evaluator
from honte.players.counting import QUICK_SECONDS
from honte.players.ownership import (
    OwnershipReport,
    OwnershipSource,
    TreeOwnership,
    kept_ownership,
)
from honte.players.warm_up import WarmUp
from honte.protocols.json_analysis.query import AnalysisQuery, Turn
from honte.protocols.raw_network import RawAnswer
from honte.search import (
    Budget,
    EvaluationCache,
    Search,
    SearchResult,
    StopReason,
    TreeNode,
    run_many,
)

MOST_AT_ONCE = 16
"""Searches that fill batches together, unless it is said otherwise."""
QUANTUM = 1500
"""Simulations after which a search lets others of its priority go first …"""
QUANTUM_SECONDS = 1.0
"""… or so much time, where the evaluator is slow."""
CACHED_EVALUATIONS = 100_000
"""Answers of the evaluator that all queries share."""
ROUND_SECONDS = 0.1
"""How long a round is meant to take."""
LONGEST_ROUND = 0.2
"""No round goes on for longer, however slow the evaluator turns out to be."""
SHORTEST_LOOK = 0.01
"""How long to wait for a network that is being made ready before looking at the input again."""

_GOES_ON = (StopReason.SIMULATIONS, StopReason.TIME, StopReason.CANCELLED)
"""What ends a round and not a search."""


@dataclass(eq=False)
class Task:
    """One turn of one query."""

    query: AnalysisQuery
    turn: Turn
    order: int
    """Lower goes first among equal priorities; grows each time the quantum is used up."""
    search: Search | None = None
    started: float = 0.0
    next_report: float | None = None
    simulations_of_quantum: int = 0
    seconds_of_quantum: float = 0.0
    tree_ownership: TreeOwnership | None = None
    raw: RawAnswer | None = None
    """The network's own answer about the turn, once it was asked for."""

    @property
    def visits_wanted(self) -> int:
        """The query's limit on visits, or the engine's."""
        settings = self.query.parameters.settings
        return settings.visits or settings.default_visits

    @property
    def tree(self) -> TreeNode:
        """The root of its search, which has begun."""
        assert self.search is not None
        return self.search.root

    def result(self) -> SearchResult | None:
        """What there is so far; None before the first visit."""
        if self.search is None:
            return None
        result = self.search.result()
        return result if result.visits > 0 else None


class Scheduler:
    """Holds the open tasks and works on the foremost of them, a short round at a time."""

    def __init__(
        self,
        evaluator: Evaluator,
        *,
        at_once: int,
        seed: int,
        on_final: Callable[[Task, SearchResult], None],
        on_partial: Callable[[Task, SearchResult], None],
        on_error: Callable[[Task, HonteError], None],
    ) -> None:
        self._evaluator = evaluator
        self._at_once = at_once
        self._seed = seed
        self._on_final = on_final
        self._on_partial = on_partial
        self._on_error = on_error
        self._tasks: list[Task] = []
        self._orders = itertools.count()
        # An answer that was kept without its ownership is of no use where ownership is asked for.
        self._caches: dict[bool, EvaluationCache] = {}
        self._slice = 16
        self._warm_up = WarmUp(evaluator)
        self._round: tuple[Search, ...] = ()

    @property
    def idle(self) -> bool:
        """Whether nothing is to be done."""
        return not self._tasks

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The open tasks."""
        return tuple(self._tasks)

    def add(self, query: AnalysisQuery) -> None:
        """Take a query up: one task for each of its turns."""
        self._tasks += [Task(query, turn, next(self._orders)) for turn in query.turns]

    def remove(self, task: Task) -> None:
        """Drop a task; what it found so far is still there."""
        self._tasks.remove(task)

    def clear_cache(self) -> None:
        """Forget the evaluator's answers; searches under way keep their trees."""
        for cache in self._caches.values():
            cache.clear()

    def interrupt(self) -> None:
        """From any thread: end the round under way soon; no task loses anything."""
        for search in self._round:
            search.stop()

    def close(self) -> None:
        """Nothing goes on in the background any more."""
        self._warm_up.close()

    def _cache(self, with_ownership: bool) -> EvaluationCache:
        if with_ownership not in self._caches:
            self._caches[with_ownership] = EvaluationCache(CACHED_EVALUATIONS)
        return self._caches[with_ownership]

    def work(self) -> None:
        """One round. Tasks on a board for which the network is not ready yet wait, and hold up
        no others."""
        self._tasks.sort(key=lambda task: (-task.turn.priority, task.order))
        active = [task for task in self._tasks if self._warm_up.wait(task.turn.board_shape, 0.0)]
        active = active[: self._at_once]
        if not active:
            self._warm_up.wait(self._tasks[0].turn.board_shape, SHORTEST_LOOK)
            return
        for task in active:
            if task.search is None:
                self._begin(task)
        active = [task for task in active if task in self._tasks]
        if not active:
            return
        begun = time.perf_counter()
        results = self._run(active)
        elapsed = max(time.perf_counter() - begun, 1e-4)
        growth = min(max(ROUND_SECONDS / elapsed, 0.5), 2.0)
        self._slice = int(min(max(self._slice * growth, 4), 1 << 16))
        for task, result in results:
            self._look_at(task, result, elapsed)

    def _begin(self, task: Task) -> None:
        task.started = time.perf_counter()
        query = task.query
        delay = query.first_report_after or query.report_every
        if query.report_every is not None and delay is not None:
            task.next_report = task.started + delay
        task.search = Search(
            task.turn.judged,
            query.parameters.keeping_ownership(query.wants_ownership).play_config(),
            self._evaluator,
            seed=self._seed,
            cache=self._cache(query.wants_ownership),
        )
        task.search.restrict(query.restrictions.below_root)
        allowed = query.restrictions.allowed_at_root(task.turn.state)
        if allowed is not None:
            try:
                # The restriction stays with the search for the rounds to come.
                task.search.run(Budget(simulations=1), allowed_actions=allowed)
            except HonteError as error:
                self._fail(task, error)

    def _run(self, active: list[Task]) -> list[tuple[Task, SearchResult]]:
        searches = [task.search for task in active if task.search is not None]
        budgets = [self._budget(task) for task in active]
        failed: dict[int, HonteError] = {}
        self._round = tuple(searches)
        try:
            results = run_many(searches, budgets, on_error=failed.__setitem__)
        except HonteError:
            # The evaluator refused a whole batch: find out whose position it was.
            results = []
            for index, (search, budget) in enumerate(zip(searches, budgets, strict=True)):
                try:
                    results.append(search.run(budget))
                except HonteError as error:
                    failed[index] = error
                    results.append(None)
        for index, failure in failed.items():
            self._fail(active[index], failure)
        return [
            (task, result)
            for task, result in zip(active, results, strict=True)
            if result is not None
        ]

    def _budget(self, task: Task) -> Budget:
        assert task.search is not None
        limit = task.query.parameters.settings.simulations
        visits = task.visits_wanted if limit is None else min(task.visits_wanted, limit + 1)
        return Budget(visits=visits, simulations=self._slice, seconds=LONGEST_ROUND)

    def _look_at(self, task: Task, result: SearchResult, elapsed: float) -> None:
        now = time.perf_counter()
        seconds = task.query.parameters.settings.seconds
        over = result.stop_reason not in _GOES_ON or result.visits >= task.visits_wanted
        if over or (seconds is not None and now - task.started >= seconds):
            self._tasks.remove(task)
            self._on_final(task, result)
            return
        if task.next_report is not None and now >= task.next_report:
            assert task.query.report_every is not None
            task.next_report = max(task.next_report + task.query.report_every, now)
            self._on_partial(task, result)
        task.simulations_of_quantum += result.simulations
        task.seconds_of_quantum += elapsed
        if task.simulations_of_quantum >= QUANTUM or task.seconds_of_quantum >= QUANTUM_SECONDS:
            task.simulations_of_quantum, task.seconds_of_quantum = 0, 0.0
            task.order = next(self._orders)

    def _fail(self, task: Task, error: HonteError) -> None:
        self._tasks.remove(task)
        self._on_error(task, error)


def ownership_of(
    task: Task, result: SearchResult, source: OwnershipSource, *, moves: bool, final: bool
) -> OwnershipReport:
    """Ownership over a task's tree: what can be found out quickly, or for the ``final`` reply all
    of it."""
    kept = kept_ownership(task.tree, task.turn.state, of_moves=moves)
    if kept is not None:
        return kept
    if task.tree_ownership is None:
        task.tree_ownership = TreeOwnership(source)
    seconds = math.inf if final else QUICK_SECONDS
    return task.tree_ownership.report(task.turn.state, result, of_moves=moves, seconds=seconds)
