"""A network's own answer about one position, without search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honte.evaluation import Evaluator, Mixture, NetworkEvaluator, WithRollouts
from honte.games.go import GoState


@dataclass(frozen=True, slots=True)
class RawAnswer:
    """All from the side to move; −1 stands for what a network of an older version cannot say."""

    win: float
    loss: float
    no_result: float
    lead: float
    score_mean: float
    score_mean_square: float
    variance_time_left: float
    value_error: float
    score_error: float
    policy: NDArray[np.float32]
    """[A] probabilities, NaN where illegal, the pass last."""
    ownership: NDArray[np.float32]
    """[H, W] in [−1, 1]."""

    @property
    def winrate(self) -> float:
        """A game without result counts as half won."""
        return self.win + 0.5 * self.no_result

    @property
    def score_stdev(self) -> float:
        """In points."""
        return float(np.sqrt(max(self.score_mean_square - self.score_mean**2, 0.0)))


class RawNetwork:
    """The network behind an evaluator."""

    def __init__(self, evaluator: NetworkEvaluator) -> None:
        self._evaluator = evaluator

    def evaluate(
        self, state: GoState, symmetry: int = 0, optimism: float | None = None
    ) -> RawAnswer:
        """Show the network a position under a symmetry of the board.

        ``optimism`` replaces the evaluator's policy optimism for this answer. Of a finished game,
        the position with play taken up again is shown. Raises HonteError for a symmetry that the
        board does not have.
        """
        if state.is_terminal():
            state = state.resumed()
        configured = self._evaluator.policy_optimism
        try:
            if optimism is not None:
                self._evaluator.policy_optimism = optimism
            outputs = self._evaluator.evaluate([state], [symmetry])
        finally:
            self._evaluator.policy_optimism = configured
        values = outputs.values
        policy = np.full(outputs.policy.shape[1], np.nan, np.float32)
        legal = state.legal_actions()
        policy[legal] = outputs.policy[0][legal]
        return RawAnswer(
            win=float(values.win[0]),
            loss=float(values.loss[0]),
            no_result=float(values.no_result[0]),
            lead=float(values.lead[0]),
            score_mean=float(values.score_mean[0]),
            score_mean_square=float(values.score_mean_square[0]),
            variance_time_left=_first(values.variance_time),
            value_error=_first(values.short_term_value_error),
            score_error=_first(values.short_term_score_error),
            policy=policy,
            ownership=outputs.ownership[0],
        )

    def description(self) -> dict[str, Any]:
        """What ``kata-get-models`` says of a model."""
        network = self._evaluator.network
        return {
            "name": network.name,
            "internalName": network.name,
            "maxBatchSize": self._evaluator.preferred_batch_size,
            "usesHumanSLProfile": False,
            "version": network.description.version,
            "usingFP16": self._evaluator.precision.value,
        }


def _first(values: NDArray[np.float32] | None) -> float:
    return float(values[0]) if values is not None else -1.0


def raw_network_of(evaluator: Evaluator | None) -> RawNetwork | None:
    """The network that an evaluator asks, or None if it asks none."""
    while isinstance(evaluator, Mixture | WithRollouts):
        evaluator = evaluator.evaluator
    return RawNetwork(evaluator) if isinstance(evaluator, NetworkEvaluator) else None
