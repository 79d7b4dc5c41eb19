"""What raw outputs mean: the softmaxes, the scales of each version, whose side values are on."""

from __future__ import annotations

import numpy as np
import pytest

from honte.networks import OutputScales
from honte.networks.outputs import (
    RawOutputs,
    interpret,
    interpret_value,
    masked_softmax,
    mixed_policy_logits,
)

SCALES = OutputScales(version=14)


def values(version: int, misc: list[float], value: tuple[float, float, float] = (0, 0, -50)):
    scales = OutputScales(version)
    return interpret_value(
        np.array([value], np.float32), np.array([misc], np.float32), scales, np.array([True])
    )


def test_an_illegal_action_has_no_probability_however_high_its_logit() -> None:
    logits = np.array([[50.0, 1.0, 1.0], [0.0, 0.0, 0.0]], np.float32)
    legal = np.array([[False, True, True], [False, False, False]])
    np.testing.assert_allclose(masked_softmax(logits, legal), [[0, 0.5, 0.5], [0, 0, 0]])


def test_huge_logits_do_not_overflow() -> None:
    logits = np.array([[1e30, -1e30, 1e30]], np.float32)
    policy = masked_softmax(logits, np.array([[True, True, False]]))
    np.testing.assert_allclose(policy, [[1, 0, 0]])


def test_optimism_moves_the_policy_towards_the_optimistic_one() -> None:
    policy = np.array([[[0.0, 2.0], [1.0, 4.0]]], np.float32)
    np.testing.assert_allclose(mixed_policy_logits(policy, 0.0), [[0, 2]])
    np.testing.assert_allclose(mixed_policy_logits(policy, 0.5), [[0.5, 3]])
    np.testing.assert_allclose(mixed_policy_logits(policy, 1.0), [[1, 4]])
    np.testing.assert_allclose(mixed_policy_logits(policy[:, :1], 1.0), [[0, 2]])


def test_no_result_counts_only_where_the_rules_know_it() -> None:
    logits = np.zeros((2, 3), np.float32)
    found = interpret_value(
        logits, np.array([[1, 0, 2, 0]] * 2, np.float32), SCALES, np.array([True, False])
    )
    np.testing.assert_allclose(found.win, [1 / 3, 1 / 2])
    np.testing.assert_allclose(found.no_result, [1 / 3, 0])
    # A game without result is worth no points.
    np.testing.assert_allclose(found.score_mean, [20 * 2 / 3, 20])
    np.testing.assert_allclose(found.lead, [40 * 2 / 3, 40])
    np.testing.assert_allclose(found.value, [0, 0], atol=1e-7)


def test_scores_are_in_points() -> None:
    found = values(8, [0.5, 3.0, -0.25, 0.0])
    assert found.score_mean == pytest.approx([10])
    assert found.score_stdev == pytest.approx([20 * np.log1p(np.exp(3))], rel=1e-5)
    assert found.lead == pytest.approx([-5])
    assert found.variance_time is None
    assert found.short_term_value_error is None


@pytest.mark.parametrize(
    ("version", "value_error", "score_error"),
    [
        (9, np.log(2), 10 * np.log(2)),
        (10, np.sqrt(np.log(2) * 0.25), np.sqrt(np.log(2) * 30)),
        (13, np.sqrt(np.log(2) * 0.25), np.sqrt(np.log(2) * 30)),
        (14, np.log(2) * 0.5, np.log(2) * np.sqrt(30)),
        (17, np.log(2) * 0.5, np.log(2) * np.sqrt(30)),
    ],
)
def test_short_term_errors_are_read_as_their_version_means_them(
    version: int, value_error: float, score_error: float
) -> None:
    found = values(version, [0.0] * 6)
    assert found.short_term_value_error == pytest.approx([value_error], rel=1e-5)
    assert found.short_term_score_error == pytest.approx([score_error], rel=1e-5)
    assert found.variance_time == pytest.approx([40 * np.log(2)], rel=1e-5)


def test_versions_above_13_differ_from_older_ones_away_from_zero() -> None:
    old, new = (values(version, [0.0, 0, 0, 0, 2.0, 2.0]) for version in (13, 14))
    assert old.short_term_value_error == pytest.approx([np.sqrt(np.log1p(np.exp(2)) / 4)], rel=1e-5)
    assert new.short_term_value_error == pytest.approx([np.log1p(np.exp(1)) / 2], rel=1e-5)


def test_ownership_is_nothing_off_the_board() -> None:
    raw = RawOutputs(
        policy=np.zeros((1, 1, 5), np.float32),
        value=np.zeros((1, 3), np.float32),
        misc=np.zeros((1, 6), np.float32),
        ownership=np.full((1, 2, 2), 1.0, np.float32),
    )
    on_board = np.array([[[True, True], [False, False]]])
    found = interpret(
        raw,
        scales=SCALES,
        legal=np.array([[True, False, False, False, True]]),
        on_board=on_board,
        no_result_possible=np.array([False]),
    )
    np.testing.assert_allclose(found.ownership, np.tanh(1.0) * on_board, rtol=1e-6)
    np.testing.assert_allclose(found.policy, [[0.5, 0, 0, 0, 0.5]])
