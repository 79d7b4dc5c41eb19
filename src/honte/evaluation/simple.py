"""Evaluators that need no network, and the mixture of two."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace

import numpy as np

from honte import _core
from honte.errors import HonteError
from honte.evaluation.contract import (
    AsyncEvaluator,
    Evaluation,
    Evaluator,
    Float,
    LeafBatch,
    Pending,
)
from honte.evaluation.patterns import PatternPolicy


@dataclass(frozen=True, slots=True)
class Uniform:
    """Knows nothing: value 0 and equal priors everywhere.

    A search that is given this evaluator itself answers its leaves inside the native core.
    """

    def __call__(self, batch: LeafBatch) -> Evaluation:
        return Evaluation(value=np.zeros(batch.size, np.float32))


@dataclass(frozen=True, slots=True)
class Rollout:
    """Plays random legal actions to the end: the mean result of ``count`` playouts, equal priors.

    The evaluation of UCT (Kocsis & Szepesvári 2006), whose moves are uniformly random; with a
    ``policy`` that of AlphaGo's rollouts (Silver et al. 2016), for honte's own Go alone: a search
    of another game raises HonteError. A search that is given this evaluator itself answers its
    leaves inside the native core. Raises HonteError for a count below 1.
    """

    count: int = 1
    """Playouts for each leaf."""
    policy: PatternPolicy | None = None
    """How moves are drawn; None: each with the same probability."""

    def __post_init__(self) -> None:
        if self.count < 1:
            raise HonteError(f"{self.count} playouts say nothing about a leaf: give at least 1.")

    def __call__(self, batch: LeafBatch) -> Evaluation:
        return Evaluation(value=batch.rollout_values(self.count, self.core_policy))

    @property
    def core_policy(self) -> _core.PlayoutPolicy | None:
        """The policy as the native core takes it."""
        return None if self.policy is None else self.policy.core


_ONE_ROLLOUT = Rollout()


class _Beside:
    """An evaluator that another one is asked beside; it sets how batches are sent."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self._asynchronous = evaluator if isinstance(evaluator, AsyncEvaluator) else None

    @property
    def streams(self) -> int:
        return self._asynchronous.streams if self._asynchronous else 1

    @property
    def preferred_batch_size(self) -> int:
        return self._asynchronous.preferred_batch_size if self._asynchronous else 1


class Mixture(_Beside):
    """(1 − weight) · evaluator + weight · other, for the value; all else is the first one's.

    AlphaGo's leaf value (Silver et al. 2016) with ``other=Rollout()`` and ``weight`` its λ, there
    0.5, mixed answer by answer; the paper itself mixes two means, see :class:`WithRollouts`. Works
    on several batches at once where the first evaluator does: the other's answer is found while the
    first one's is under way. Raises HonteError for a weight outside [0, 1].
    """

    def __init__(self, evaluator: Evaluator, other: Evaluator, weight: float = 0.5) -> None:
        if not (math.isfinite(weight) and 0.0 <= weight <= 1.0):
            raise HonteError(f"A mixture's weight is from 0 to 1, not {weight}.")
        super().__init__(evaluator)
        self.other = other
        self.weight = weight

    def submit(self, batch: LeafBatch) -> Pending:
        if self._asynchronous is None:
            return _Known(self(batch))
        pending = self._asynchronous.submit(batch)
        return _PendingMixture(self, pending, self.other(batch), batch.size)

    def __call__(self, batch: LeafBatch) -> Evaluation:
        return self._mixed(self.evaluator(batch), self.other(batch), batch.size)

    def _mixed(self, first: Evaluation, other: Evaluation, rows: int) -> Evaluation:
        weight = np.float32(self.weight)
        mixed = (np.float32(1) - weight) * first.value[:rows] + weight * other.value[:rows]
        return replace(first, value=mixed)


class WithRollouts(_Beside):
    """An evaluator's answer and a rollout's result, kept apart: for searches whose values have two
    means, :class:`honte.search.config.SeparateMeans` [Silver 2016].

    ``rollouts`` answers every row, ``evaluator`` those alone whose position has no value yet: below
    the expansion threshold a network is asked once and a rollout played at each visit. Works on
    several batches at once where the first evaluator does. A search of one mean reads the first
    one's answer.
    """

    def __init__(self, evaluator: Evaluator, rollouts: Evaluator = _ONE_ROLLOUT) -> None:
        super().__init__(evaluator)
        self.rollouts = rollouts

    def submit(self, batch: LeafBatch) -> Pending:
        if self._asynchronous is None:
            return _Known(self(batch))
        rows = self._rows_without_value(batch)
        asked = batch if len(rows) == batch.size else batch.only(rows)
        pending = self._asynchronous.submit(asked) if rows else None
        return _PendingWithRollouts(pending, rows, batch.size, self.rollouts(batch).value)

    def __call__(self, batch: LeafBatch) -> Evaluation:
        rows = self._rows_without_value(batch)
        asked = batch if len(rows) == batch.size else batch.only(rows)
        answer = self.evaluator(asked) if rows else None
        return _with_rollouts(answer, rows, batch.size, self.rollouts(batch).value)

    @staticmethod
    def _rows_without_value(batch: LeafBatch) -> list[int]:
        rows: list[int] = np.flatnonzero(batch.wants_value()).tolist()
        # A part of a batch of several board sizes may have fewer actions than the whole.
        if rows and len(rows) < batch.size and batch.only(rows).num_actions != batch.num_actions:
            return list(range(batch.size))
        return rows


def _with_rollouts(
    answer: Evaluation | None, rows: list[int], size: int, rollout: Float
) -> Evaluation:
    """The answer of some rows in its places among all of them, with every row's rollout."""
    if answer is None:
        return Evaluation(value=np.zeros(size, np.float32), rollout=rollout)
    if len(rows) == size:
        return replace(answer, rollout=rollout)
    placed = {}
    for name in (field.name for field in fields(Evaluation)):
        given = getattr(answer, name)
        if given is not None:
            whole = np.zeros((size, *given.shape[1:]), np.float32)
            whole[rows] = given[: len(rows)]
            placed[name] = whole
    return Evaluation(**{**placed, "rollout": rollout})


@dataclass(frozen=True, slots=True)
class _PendingWithRollouts:
    pending: Pending | None
    rows: list[int]
    size: int
    rollout: Float

    def result(self) -> Evaluation:
        answer = self.pending.result() if self.pending is not None else None
        return _with_rollouts(answer, self.rows, self.size, self.rollout)


@dataclass(frozen=True, slots=True)
class _Known:
    """An answer that is there already."""

    evaluation: Evaluation

    def result(self) -> Evaluation:
        return self.evaluation


@dataclass(frozen=True, slots=True)
class _PendingMixture:
    mixture: Mixture
    first: Pending
    other: Evaluation
    rows: int

    def result(self) -> Evaluation:
        return self.mixture._mixed(self.first.result(), self.other, self.rows)
