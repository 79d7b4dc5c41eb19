"""A stream of searches that share an evaluator: where one ends, the next takes its place."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from honte import _core
from honte.errors import HonteError
from honte.evaluation.contract import AsyncEvaluator, Evaluation, Evaluator
from honte.evaluation.simple import Rollout, Uniform
from honte.search.budget import Budget
from honte.search.config import Parallelism
from honte.search.driver import Job, deliver, drive, evaluator_name
from honte.search.result import SearchResult
from honte.search.search import Search

Entry = tuple[Search, Budget]


def run_stream(
    entries: Iterable[Entry],
    on_finished: Callable[[Search, SearchResult], Entry | None],
    *,
    on_round: Callable[[], None] | None = None,
) -> None:
    """Run searches that fill one evaluator's batches together, until none is left.

    ``on_finished`` gets each search as it ends, with its result, and may give the next one to
    run in its place, which can be the same search advanced. Every search has one leaf in flight,
    so that what it finds does not depend on the others: for full speed keep twice as many going
    as leaves fit the batches in flight. Batch size and batches in flight are the first one's.
    ``on_round`` is called about once a batch.

    Budgets are of visits or simulations. All searches must hold the same evaluator object. Raises
    HonteError where they do not, and if an answer of the evaluator cannot be used.
    """
    waiting = deque(entries)
    if not waiting:
        return
    first = waiting[0][0]
    try:
        if isinstance(first.evaluator, Uniform | Rollout):
            _run_inside(waiting, on_finished, on_round)
        else:
            stream = _Stream(first.evaluator, first.config.parallelism, on_finished, on_round)
            for search, budget in waiting:
                stream.add(search, budget)
            stream.run()
    except _core.StateError as error:
        raise HonteError(str(error)) from None


def _run_inside(
    waiting: deque[Entry],
    on_finished: Callable[[Search, SearchResult], Entry | None],
    on_round: Callable[[], None] | None,
) -> None:
    while waiting:
        search, budget = waiting.popleft()
        job = search._job(budget)
        drive([job], search.evaluator, search.config.parallelism)
        search._finish(job)
        following = on_finished(search, search.result())
        if following is not None:
            waiting.append(following)
        if on_round is not None:
            on_round()


@dataclass(frozen=True, slots=True)
class _Flight:
    batch: _core.LeafBatch
    result: Callable[[], Evaluation]


class _Stream:
    def __init__(
        self,
        evaluator: Evaluator,
        parallelism: Parallelism,
        on_finished: Callable[[Search, SearchResult], Entry | None],
        on_round: Callable[[], None] | None,
    ) -> None:
        self._evaluator = evaluator
        self._submit: Callable[[_core.LeafBatch], Callable[[], Evaluation]]
        if isinstance(evaluator, AsyncEvaluator):
            submit = evaluator.submit
            self._submit = lambda batch: submit(batch).result
            preferred = evaluator.preferred_batch_size
        else:
            self._submit = lambda batch: _known(evaluator(batch))
            preferred = 8
        self._rows = parallelism.batch_size or preferred
        self._threads = parallelism.threads
        self._most_in_flight = parallelism.batches_in_flight
        self._on_finished = on_finished
        self._on_round = on_round
        self._pool = _core.SearchPool()
        self._running: dict[int, tuple[Search, Job]] = {}
        self._flights: deque[_Flight] = deque()

    def add(self, search: Search, budget: Budget) -> None:
        """Put a search into the pool."""
        if search.evaluator is not self._evaluator:
            raise HonteError("Searches that run together must share one evaluator object.")
        if budget.visits is None and budget.simulations is None:
            raise HonteError("A stream's budgets are of visits or simulations, not of seconds.")
        job = search._job(budget)
        self._running[id(search._core)] = (search, job)
        self._pool.add(search._core, job.remaining())

    def run(self) -> None:
        """Until no search is left."""
        try:
            while True:
                while len(self._flights) < self._most_in_flight and self._send():
                    pass
                if not self._flights:
                    return
                self._receive()
                if self._on_round is not None:
                    self._on_round()
        except BaseException:
            while self._flights:
                flight = self._flights.popleft()
                flight.batch.cancel()
                flight.result()  # nobody wants it, but its evaluator wants its place back
            raise

    def _send(self) -> bool:
        """Fill a batch and start on it; False if no leaf needs an answer."""
        batch = _core.LeafBatch()
        batch.threads = self._threads
        try:
            while ended := self._pool.fill(batch, self._rows):
                for core in ended:
                    self._end(core)
            if batch.size == 0:
                return False
            self._flights.append(_Flight(batch, self._submit(batch)))
        except BaseException:
            batch.cancel()
            raise
        return True

    def _end(self, core: _core.TreeSearch) -> None:
        search, job = self._running.pop(id(core))
        job.remaining()  # which notes why it has ended
        search._finish(job)
        following = self._on_finished(search, search.result())
        if following is not None:
            self.add(*following)

    def _receive(self) -> None:
        flight = self._flights.popleft()
        try:
            refusals = deliver(flight.batch, flight.result())
        except BaseException:
            flight.batch.cancel()
            raise
        for _, reason in refusals:
            raise HonteError(
                f"The evaluator {evaluator_name(self._evaluator)} gave an answer that cannot be "
                f"used: {reason}."
            )


def _known(evaluation: Evaluation) -> Callable[[], Evaluation]:
    return lambda: evaluation
