"""The loop between the core and an evaluator: batches out, answers in, for one tree or many.

Batches are received in the order in which they were sent, whichever stream finishes first, so
a search does not depend on how fast anything was.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from honte import _core
from honte.errors import HonteError
from honte.evaluation.contract import AsyncEvaluator, Evaluation, Evaluator
from honte.evaluation.simple import Rollout, Uniform
from honte.search.budget import Budget
from honte.search.config import Parallelism
from honte.search.result import StopReason

SIMULATIONS_PER_LOOK = 1024
"""How many simulations without an evaluator pass before limits are looked at again."""

LONGEST_SILENCE = 0.01
"""Seconds that a watched search goes without looking up while a batch is under way."""

VISITS_PER_LEAF_IN_FLIGHT = 8
"""A tree has at most one leaf in flight for so many visits of its root, where the batch size is
left to honte."""


class Job:
    """One search on its way to its budget."""

    def __init__(
        self,
        core: _core.TreeSearch,
        budget: Budget,
        stopped: Callable[[], bool],
        *,
        gumbel: bool = False,
        resume: bool = False,
    ) -> None:
        self.core = core
        self.budget = budget
        self.error: HonteError | None = None
        self.reason: StopReason | None = None
        self.started = time.perf_counter()
        self._stopped = stopped
        simulations, visits, _, _ = core.standing()
        self._before: int = simulations
        limits: list[tuple[int, StopReason | None]] = [(2**62, None)]
        if budget.simulations is not None:
            limits.append((budget.simulations, StopReason.SIMULATIONS))
        if budget.visits is not None:
            missing = max(budget.visits - visits, budget.minimum_simulations)
            limits.append((missing, StopReason.VISITS))
        self._limit, self._limit_reason = min(limits, key=lambda limit: limit[0])
        if visits == 0:
            self._limit = max(1, self._limit)  # a decision needs the root's own evaluation
        if gumbel and self._limit_reason is None:
            raise HonteError(
                "Gumbel's halving needs to know its simulations: give visits or simulations, "
                "not seconds alone."
            )
        if not resume:
            planned = 0 if self._limit_reason is None else max(0, self._limit - (visits == 0))
            core.plan(planned)

    @property
    def simulations(self) -> int:
        """Simulations started in this job."""
        return int(self.core.standing()[0]) - self._before

    def remaining(self) -> int:
        """How many simulations may still be started; 0 once there is a reason to stop."""
        if self.reason is not None:
            return 0
        simulations, visits, terminal, proven = self.core.standing()
        left: int = self._limit - (simulations - self._before)
        if terminal:
            self.reason = StopReason.TERMINAL
        elif proven and visits > 0:
            self.reason = StopReason.PROVEN
        elif left <= 0:
            self.reason = self._limit_reason
        elif visits > 0 and self._stopped():
            self.reason = StopReason.CANCELLED
        elif visits > 0 and self._out_of_time():
            self.reason = StopReason.TIME
        elif self.budget.stop_when_settled and self._settled():
            self.reason = StopReason.SETTLED
        return 0 if self.reason is not None else left

    def is_to_end_now(self) -> bool:
        """Whether it was stopped or is out of time, so that even leaves in flight are given up."""
        return self.remaining() == 0 and self.reason in (StopReason.CANCELLED, StopReason.TIME)

    def _out_of_time(self) -> bool:
        seconds = self.budget.seconds
        return seconds is not None and time.perf_counter() - self.started >= seconds

    def _settled(self) -> bool:
        """Whether the runner-up can no longer catch up within what is left of the budget."""
        done = self.simulations
        left = float(self._limit - done)
        if self.budget.seconds is not None:
            elapsed = time.perf_counter() - self.started
            if elapsed > 0 and done >= self.budget.minimum_simulations:
                left = min(left, done / elapsed * (self.budget.seconds - elapsed))
        counts = sorted((edge.n for edge in self.core.edges(0)), reverse=True)
        if not counts or done < max(1, self.budget.minimum_simulations):
            return False
        return counts[0] - (counts[1] if len(counts) > 1 else 0) > left


@dataclass(slots=True)
class _Flight:
    batch: _core.LeafBatch
    result: Callable[[], Evaluation]


def drive(
    jobs: Sequence[Job],
    evaluator: Evaluator,
    parallelism: Parallelism,
    *,
    on_round: Callable[[], None] | None = None,
    on_finished: Callable[[Job], None] | None = None,
) -> None:
    """Run every job to its budget. An answer that cannot be ends its own job with an error;
    an exception of the evaluator itself takes every leaf back and passes on."""
    if isinstance(evaluator, Uniform | Rollout):
        _drive_inside(jobs, evaluator, on_round, on_finished)
    else:
        _Driver(jobs, evaluator, parallelism, on_round, on_finished).run()


def _drive_inside(
    jobs: Sequence[Job],
    evaluator: Uniform | Rollout,
    on_round: Callable[[], None] | None,
    on_finished: Callable[[Job], None] | None,
) -> None:
    kind = _core.NativeEvaluatorKind
    for job in jobs:
        chunk = 64
        while (left := job.remaining()) > 0:
            began = time.thread_time()
            if isinstance(evaluator, Uniform):
                job.core.simulate(kind.UNIFORM, 1, min(chunk, left))
            else:
                job.core.simulate(
                    kind.ROLLOUT, evaluator.count, min(chunk, left), evaluator.core_policy
                )
            # Grow towards looks at the clock every few milliseconds of work.
            took = time.thread_time() - began
            if took < 2e-3:
                chunk = min(1 << 20, chunk * (32 if took < 6e-5 else 8 if took < 2e-4 else 2))
            elif took > 1e-2:
                chunk = max(1, chunk // 2)
            if on_round is not None:
                on_round()
        if on_finished is not None:
            on_finished(job)


class _Driver:
    def __init__(
        self,
        jobs: Sequence[Job],
        evaluator: Evaluator,
        parallelism: Parallelism,
        on_round: Callable[[], None] | None,
        on_finished: Callable[[Job], None] | None,
    ) -> None:
        self._open = deque(jobs)
        self._job_of = {id(job.core): job for job in jobs}
        self._evaluator = evaluator
        self._submit: Callable[[Any], Callable[[], Evaluation]]
        if isinstance(evaluator, AsyncEvaluator):
            submit = evaluator.submit
            self._submit = lambda batch: submit(batch).result
            preferred = evaluator.preferred_batch_size
        else:
            self._submit = lambda batch: _known(evaluator(batch))
            preferred = 8
        self._rows = parallelism.batch_size or preferred
        self._spares_young_trees = parallelism.batch_size is None
        self._threads = parallelism.threads
        self._most_in_flight = parallelism.batches_in_flight
        self._flights: deque[_Flight] = deque()
        self._spare: list[_core.LeafBatch] = []
        self._on_round = on_round
        self._on_finished = on_finished
        # Only a watched search of an evaluator that takes its time looks up from waiting.
        self._waiter: ThreadPoolExecutor | None = None
        self._waits_long = on_round is not None and isinstance(evaluator, AsyncEvaluator)

    def run(self) -> None:
        try:
            while True:
                while len(self._flights) < self._most_in_flight and self._send():
                    pass
                if self._flights:
                    self._receive()
                elif not self._open:
                    return
                if self._on_round is not None:
                    self._on_round()
        except BaseException:
            self._take_back()
            raise
        finally:
            if self._waiter is not None:
                self._waiter.shutdown(wait=False)

    def _send(self) -> bool:
        """Fill a batch from the open jobs in turn and start on it; False if no leaf needs one."""
        batch = self._spare.pop() if self._spare else _core.LeafBatch()
        batch.threads = self._threads
        try:
            self._fill(batch)
            if batch.size == 0:
                self._spare.append(batch)
                return False
            self._flights.append(_Flight(batch, self._submit(batch)))
        except BaseException:
            batch.cancel()
            raise
        return True

    def _fill(self, batch: _core.LeafBatch) -> None:
        share = max(1, self._rows // max(1, len(self._open)))
        for _ in range(len(self._open)):
            if batch.size >= self._rows:
                break
            job = self._open.popleft()
            left = job.remaining()
            if left > 0 and job.core.wants_pruning and job.core.waiting == 0:
                job.core.prune()
            if left > 0:
                room = min(share, self._rows - batch.size, self._bearable(job.core))
                if room > 0:
                    job.core.select(batch, batch.size + room, min(left, SIMULATIONS_PER_LOOK))
                self._open.append(job)
            elif job.core.waiting > 0:
                self._open.append(job)
            elif self._on_finished is not None:
                self._on_finished(job)

    def _bearable(self, core: _core.TreeSearch) -> int:
        """How many leaves more a tree may have in flight. Each is chosen without the answers of
        the others, which costs a young tree dearly and an old one nothing."""
        if not self._spares_young_trees:
            return self._rows
        return 1 + core.node(0).n // VISITS_PER_LEAF_IN_FLIGHT - core.waiting

    def _receive(self) -> None:
        flight = self._flights.popleft()
        try:
            answer = self._await(flight)
            if answer is None:
                flight.batch.cancel()
                self._take_back()
                return
            refusals = deliver(flight.batch, answer)
        except BaseException:
            flight.batch.cancel()
            raise
        for core, reason in refusals:
            job = self._job_of[id(core)]
            job.reason = StopReason.FAILED
            job.error = HonteError(
                f"The evaluator {evaluator_name(self._evaluator)} gave an answer that cannot be "
                f"used: {reason}."
            )
        self._spare.append(flight.batch)

    def _await(self, flight: _Flight) -> Evaluation | None:
        """The answer; None where every search was stopped, or its time was over, before it came."""
        began = time.perf_counter()
        if not self._waits_long or self._on_round is None:
            answer: Evaluation | None = flight.result()
        else:
            coming = self._in_background(flight.result)
            while not wait([coming], LONGEST_SILENCE).done:
                self._on_round()
                if all(job.is_to_end_now() for job in self._job_of.values()):
                    return None
            answer = coming.result()
        watched = self._on_round is not None and isinstance(self._evaluator, AsyncEvaluator)
        self._waits_long = watched and time.perf_counter() - began > LONGEST_SILENCE / 2
        return answer

    def _take_back(self) -> None:
        while self._flights:
            flight = self._flights.popleft()
            flight.batch.cancel()
            # Nobody wants the answer, but its evaluator wants its place back.
            self._in_background(flight.result)

    def _in_background(self, act: Callable[[], Evaluation]) -> Future[Evaluation]:
        if self._waiter is None:
            self._waiter = ThreadPoolExecutor(1, "answer")
        return self._waiter.submit(act)


def deliver(batch: _core.LeafBatch, answer: Evaluation) -> list[tuple[_core.TreeSearch, str]]:
    """Give a batch its answer; returns the searches whose answer cannot be, with the reason."""
    return batch.receive(
        answer.value,
        answer.policy_logits,
        answer.score_mean,
        answer.score_stdev,
        answer.score_lead,
        answer.ownership,
        answer.no_result,
        answer.uncertainty,
        answer.rollout,
    )


def _known(evaluation: Evaluation) -> Callable[[], Evaluation]:
    return lambda: evaluation


def evaluator_name(evaluator: Any) -> str:
    """What messages call an evaluator."""
    name = getattr(evaluator, "name", None) or getattr(evaluator, "__name__", None)
    return str(name) if name else type(evaluator).__name__
