"""A batch of leaves written down by hand, for evaluators without a search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class LeafRows:
    """Rows with the given observations, or KataGo features, and nothing behind them."""

    observed: np.ndarray | None = None
    num_actions: int = 3
    spatial: np.ndarray | None = None
    globals_: np.ndarray | None = None
    rollouts: np.ndarray | None = None
    wants_ownership: bool = False
    asked_playouts: list[int] = field(default_factory=list)

    @property
    def size(self) -> int:
        for rows in (self.observed, self.spatial, self.rollouts):
            if rows is not None:
                return len(rows)
        return 1

    @property
    def board_shape(self) -> tuple[int, int]:
        if self.spatial is None:
            raise TypeError("These are not positions of Go.")
        height, width = self.spatial.shape[2:]
        return height, width

    def states(self) -> list[Any]:
        return [None] * self.size

    def players(self) -> np.ndarray:
        return np.zeros(self.size, np.int32)

    def legal_mask(self) -> np.ndarray:
        return np.ones((self.size, self.num_actions), np.bool_)

    def observations(self) -> np.ndarray:
        assert self.observed is not None
        return self.observed

    def wants_value(self) -> np.ndarray:
        return np.ones(self.size, np.bool_)

    def only(self, rows: Sequence[int]) -> LeafRows:
        raise NotImplementedError("Rows written down by hand are asked for as a whole.")

    def rollout_values(self, playouts: int, policy: object = None) -> np.ndarray:
        assert self.rollouts is not None
        self.asked_playouts.append(playouts)
        return self.rollouts

    def write_katago_features(
        self, spatial: np.ndarray, globals_: np.ndarray, pass_alive_as_if_suicide: bool = False
    ) -> None:
        assert self.spatial is not None
        assert self.globals_ is not None
        spatial[: self.size] = self.spatial
        globals_[: self.size] = self.globals_


def go_rows(
    rows: int,
    height: int,
    width: int,
    *,
    seed: int = 0,
    simple_ko: bool = False,
    komi: float = 0.375,
) -> LeafRows:
    """Random stones on full boards: nothing a game would reach, but features all the same."""
    random = np.random.default_rng(seed)
    spatial = np.zeros((rows, 22, height, width), np.float32)
    spatial[:, 0] = 1
    colour = random.integers(0, 4, (rows, height, width))
    spatial[:, 1], spatial[:, 2] = colour == 1, colour == 2
    globals_ = np.zeros((rows, 19), np.float32)
    globals_[:, 5] = komi
    if not simple_ko:
        globals_[:, 6], globals_[:, 7] = 1, 0.5
    return LeafRows(num_actions=height * width + 1, spatial=spatial, globals_=globals_)
