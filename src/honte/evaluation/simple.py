"""Evaluators that need no network, and the mixture of two."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from honte.errors import HonteError
from honte.evaluation.contract import AsyncEvaluator, Evaluation, Evaluator, LeafBatch, Pending


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

    The evaluation of UCT (Kocsis & Szepesvári 2006). A search that is given this evaluator itself
    answers its leaves inside the native core. Raises HonteError for a count below 1.
    """

    count: int = 1
    """Playouts for each leaf."""

    def __post_init__(self) -> None:
        if self.count < 1:
            raise HonteError(f"{self.count} playouts say nothing about a leaf: give at least 1.")

    def __call__(self, batch: LeafBatch) -> Evaluation:
        return Evaluation(value=batch.rollout_values(self.count))


class Mixture:
    """(1 − weight) · evaluator + weight · other, for the value; all else is the first one's.

    AlphaGo's leaf value (Silver et al. 2016) with ``other=Rollout()`` and ``weight`` its λ, there
    0.5. Works on several batches at once where the first evaluator does: the other's answer is
    found while the first one's is under way. Raises HonteError for a weight outside [0, 1].
    """

    def __init__(self, evaluator: Evaluator, other: Evaluator, weight: float = 0.5) -> None:
        if not (math.isfinite(weight) and 0.0 <= weight <= 1.0):
            raise HonteError(f"A mixture's weight is from 0 to 1, not {weight}.")
        self.evaluator = evaluator
        self.other = other
        self.weight = weight
        self._asynchronous = evaluator if isinstance(evaluator, AsyncEvaluator) else None

    @property
    def streams(self) -> int:
        return self._asynchronous.streams if self._asynchronous else 1

    @property
    def preferred_batch_size(self) -> int:
        return self._asynchronous.preferred_batch_size if self._asynchronous else 1

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
        return Evaluation(
            value=mixed,
            policy_logits=first.policy_logits,
            score_mean=first.score_mean,
            score_stdev=first.score_stdev,
            score_lead=first.score_lead,
            no_result=first.no_result,
            uncertainty=first.uncertainty,
            ownership=first.ownership,
        )


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
