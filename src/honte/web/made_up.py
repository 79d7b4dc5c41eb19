"""Made-up nodes for the real search: one ply deep, with given priors and values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from honte.evaluation import Evaluation, LeafBatch
from honte.games.protocol import TERMINAL_PLAYER


class OnePly:
    """A game of one move: action a ends it with ``values[a]`` for the player who moves."""

    def __init__(self, values: Sequence[float], chosen: int | None = None) -> None:
        self._values = tuple(values)
        self._chosen = chosen

    def num_distinct_actions(self) -> int:
        return len(self._values)

    def current_player(self) -> int:
        return 0 if self._chosen is None else TERMINAL_PLAYER

    def legal_actions(self) -> list[int]:
        return list(range(len(self._values))) if self._chosen is None else []

    def apply_action(self, action: int) -> None:
        self._chosen = action

    def is_terminal(self) -> bool:
        return self._chosen is not None

    def returns(self) -> list[float]:
        value = 0.0 if self._chosen is None else self._values[self._chosen]
        return [value, -value]

    def clone(self) -> Self:
        return type(self)(self._values, self._chosen)


class Arms(OnePly):
    """A bandit: what an action is worth is drawn anew by the evaluator at each visit."""

    def current_player(self) -> int:
        return 0

    def legal_actions(self) -> list[int]:
        return list(range(len(self._values))) if self._chosen is None else [0]

    def is_terminal(self) -> bool:
        return False

    @property
    def chosen(self) -> int | None:
        """The arm that was pulled; None before."""
        return self._chosen


@dataclass(frozen=True, slots=True)
class GivenPriors:
    """Answers the root of a :class:`OnePly` with fixed priors and value."""

    priors: tuple[float, ...]
    value: float

    def __call__(self, batch: LeafBatch) -> Evaluation:
        logits = np.log(np.maximum(np.array(self.priors, np.float32), np.float32(1e-20)))
        return Evaluation(
            value=np.full(batch.size, self.value, np.float32),
            policy_logits=np.tile(logits, (batch.size, 1)),
        )
