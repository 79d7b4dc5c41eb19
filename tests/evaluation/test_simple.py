"""Rollouts, ignorance and mixtures, as evaluators of a batch."""

from __future__ import annotations

import numpy as np
import pytest

from honte.errors import HonteError
from honte.evaluation import AsyncEvaluator, Evaluation, LeafBatch, Mixture, Rollout, Uniform
from leaf_rows import LeafRows


class Prior:
    """A policy of its own and a fixed value."""

    def __init__(self, value: float) -> None:
        self.value = value

    def __call__(self, batch: LeafBatch) -> Evaluation:
        return Evaluation(
            value=np.full(batch.size, self.value, np.float32),
            policy_logits=np.tile(np.arange(3, dtype=np.float32), (batch.size, 1)),
            score_lead=np.full(batch.size, 4.5, np.float32),
        )


def rolled(*values: float) -> LeafRows:
    return LeafRows(rollouts=np.array(values, np.float32))


def test_uniform_says_zero_and_no_priors() -> None:
    answer = Uniform()(rolled(1, -1))
    assert answer.value.tolist() == [0, 0]
    assert answer.policy_logits is None


def test_a_rollout_asks_for_its_playouts() -> None:
    batch = rolled(1, -1, 0.5)
    assert Rollout(count=4)(batch).value.tolist() == [1, -1, 0.5]
    assert batch.asked_playouts == [4]


@pytest.mark.parametrize("count", [0, -1])
def test_no_playouts_are_no_evaluation(count: int) -> None:
    with pytest.raises(HonteError, match=f"{count} playouts"):
        Rollout(count=count)


def test_alphago_mixes_value_network_and_rollout_half_and_half() -> None:
    answer = Mixture(Prior(0.5), Rollout(), weight=0.5)(rolled(1, -1))
    assert answer.value.tolist() == [0.75, -0.25]


@pytest.mark.parametrize(("weight", "expected"), [(0.0, 0.5), (0.25, 0.625), (1.0, 1.0)])
def test_the_weight_is_that_of_the_second(weight: float, expected: float) -> None:
    assert Mixture(Prior(0.5), Rollout(), weight)(rolled(1)).value[0] == expected


def test_a_mixture_keeps_everything_but_the_value_of_the_first() -> None:
    answer = Mixture(Prior(0.5), Rollout())(rolled(1))
    assert answer.policy_logits is not None
    assert answer.policy_logits[0].tolist() == [0, 1, 2]
    assert answer.score_lead is not None
    assert answer.score_lead.tolist() == [4.5]


@pytest.mark.parametrize("weight", [-0.1, 1.5, float("nan"), float("inf")])
def test_a_weight_outside_0_to_1_is_refused(weight: float) -> None:
    with pytest.raises(HonteError, match="from 0 to 1"):
        Mixture(Prior(0), Rollout(), weight)


class Slow(Prior):
    """Works on two batches at once; counts those under way."""

    streams = 2
    preferred_batch_size = 16

    def __init__(self, value: float) -> None:
        super().__init__(value)
        self.under_way = 0

    def submit(self, batch: LeafBatch) -> SlowAnswer:
        self.under_way += 1
        return SlowAnswer(self, batch)


class SlowAnswer:
    def __init__(self, evaluator: Slow, batch: LeafBatch) -> None:
        self.evaluator = evaluator
        self.batch = batch

    def result(self) -> Evaluation:
        self.evaluator.under_way -= 1
        return self.evaluator(self.batch)


def test_a_mixture_is_as_asynchronous_as_its_first() -> None:
    slow = Slow(0.5)
    mixture = Mixture(slow, Rollout())
    assert isinstance(mixture, AsyncEvaluator)
    assert (mixture.streams, mixture.preferred_batch_size) == (2, 16)
    first, second = mixture.submit(rolled(1)), mixture.submit(rolled(-1))
    assert slow.under_way == 2
    assert second.result().value[0] == -0.25
    assert first.result().value[0] == 0.75


def test_a_mixture_with_a_plain_first_answers_at_once() -> None:
    mixture = Mixture(Prior(0.5), Rollout())
    assert (mixture.streams, mixture.preferred_batch_size) == (1, 1)
    assert mixture.submit(rolled(1)).result().value[0] == 0.75
