"""What a network's raw numbers mean: the one place where they become probabilities and points.

Everything is from the side to move, as the network gives it. N rows, boards of up to H × W points
in the top left corner, A = H·W + 1 actions with the pass last.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honte.networks.layers import Float, OutputScales

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class RawOutputs:
    """The four outputs of the graph as they come."""

    policy: Float
    """[N, K, A] logits: K = 1, or more where the second is the optimistic policy."""
    value: Float
    """[N, 3] logits of win, loss, no result."""
    misc: Float
    """[N, 4 or 6]."""
    ownership: Float
    """[N, H, W] before tanh."""


@dataclass(frozen=True, slots=True)
class ValueOutputs:
    """What the value head says, each [N]. Scores count a game without result as 0."""

    win: Float
    loss: Float
    no_result: Float
    score_mean: Float
    """Points, as self-play would end."""
    score_mean_square: Float
    lead: Float
    """Points: how much komi would make the game even."""
    variance_time: Float | None
    """Turns until the outcome is as good as known; None before version 9."""
    short_term_value_error: Float | None
    """Expected error of win − loss compared with a search; None before version 9."""
    short_term_score_error: Float | None
    """The same of the score, in points."""

    @property
    def value(self) -> Float:
        """P(win) − P(loss), in [−1, 1]."""
        return self.win - self.loss

    @property
    def score_stdev(self) -> Float:
        """Points."""
        variance = self.score_mean_square - np.square(self.score_mean)
        return np.sqrt(np.maximum(variance, 0))


@dataclass(frozen=True, slots=True)
class Outputs:
    """A network's whole answer."""

    policy: Float
    """[N, A] probabilities, 0 where illegal; a row sums to 1."""
    values: ValueOutputs
    ownership: Float
    """[N, H, W] in [−1, 1], +1 where the side to move will own the point; 0 off the board."""


def interpret(
    raw: RawOutputs,
    *,
    scales: OutputScales,
    legal: Mask,
    on_board: Mask,
    no_result_possible: Mask,
    policy_optimism: float = 0.0,
    policy_temperature: float = 1.0,
) -> Outputs:
    """The whole answer. ``legal`` is [N, A], ``on_board`` [N, H, W], ``no_result_possible`` [N]."""
    logits = mixed_policy_logits(raw.policy, policy_optimism)
    return Outputs(
        policy=masked_softmax(logits / np.float32(policy_temperature), legal),
        values=interpret_value(raw.value, raw.misc, scales, no_result_possible),
        ownership=np.tanh(raw.ownership) * on_board,
    )


def mixed_policy_logits(policy: Float, optimism: float = 0.0) -> Float:
    """[N, A] logits from [N, K, A]: the policy, moved towards the optimistic one if there is one.

    ``optimism`` 0 is the plain policy, 1 the optimistic one, which looks for moves that may turn
    out better than they seem.
    """
    plain: Float = policy[:, 0]
    if optimism == 0.0 or policy.shape[1] == 1:
        return plain
    return plain + (policy[:, 1] - plain) * np.float32(optimism)


def masked_softmax(logits: Float, legal: Mask) -> Float:
    """[N, A] probabilities over the legal actions.

    A row without a legal action is all zeros.
    """
    masked: Float = np.where(legal, logits, np.float32(-np.inf))
    highest = masked.max(axis=1, keepdims=True)
    weights = np.exp(masked - np.where(np.isfinite(highest), highest, 0), where=legal,
                     out=np.zeros_like(logits))  # fmt: skip
    total = weights.sum(axis=1, keepdims=True)
    np.divide(weights, total, out=weights, where=total > 0)
    return weights


def interpret_value(
    value: Float, misc: Float, scales: OutputScales, no_result_possible: Mask
) -> ValueOutputs:
    """The value head's [N, 3] and [N, 4 or 6] as probabilities and points.

    ``no_result_possible`` [N]: whether the rules know games without result (simple ko or
    territory scoring); elsewhere that outcome is left out of the softmax.
    """
    logits = value.astype(np.float64)
    logits[~no_result_possible, 2] = -np.inf
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    win, loss, no_result = (weights / weights.sum(axis=1, keepdims=True)).T
    numbers = misc.astype(np.float64)
    has_result = 1.0 - no_result
    mean = numbers[:, 0] * scales.score_mean
    stdev = _softplus(numbers[:, 1]) * scales.score_stdev
    variance_time: Float | None = None
    value_error: Float | None = None
    score_error: Float | None = None
    if numbers.shape[1] >= 6:
        variance_time = _single(_softplus(numbers[:, 3]) * scales.variance_time)
        value_error, score_error = short_term_errors(misc, scales)
    return ValueOutputs(
        win=_single(win),
        loss=_single(loss),
        no_result=_single(no_result),
        score_mean=_single(mean * has_result),
        score_mean_square=_single((np.square(mean) + np.square(stdev)) * has_result),
        lead=_single(numbers[:, 2] * scales.lead * has_result),
        variance_time=variance_time,
        short_term_value_error=value_error,
        short_term_score_error=score_error,
    )


def short_term_errors(misc: Float, scales: OutputScales) -> tuple[Float, Float]:
    """Expected errors of P(win) − P(loss) and of the score, each [N], from ``misc`` [N, 6].

    Version 9 predicts the errors, 10 to 13 their squares, 14 and newer halves of roots.
    """
    value, score = misc[:, 4:6].astype(np.float64).T
    if scales.version <= 9:
        return _single(_softplus(value)), _single(_softplus(score) * 10.0)
    if scales.version <= 13:
        squares = _softplus(value), _softplus(score)
    else:
        squares = np.square(_softplus(value / 2)), np.square(_softplus(score / 2))
    return (
        _single(np.sqrt(squares[0] * scales.short_term_value)),
        _single(np.sqrt(squares[1] * scales.short_term_score)),
    )


def _softplus(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.logaddexp(0.0, x)


def _single(x: NDArray[np.float64]) -> Float:
    return x.astype(np.float32)
