"""Samples of self-play on disk, one file an iteration, and the window that is learned from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from honte.training.shards import Arrays

if TYPE_CHECKING:
    from honte.training.zero.config import TrainingTable
    from honte.training.zero.game import ZeroGame


class Row(NamedTuple):
    """One sample, under each symmetry, from the side to move."""

    planes: NDArray[np.float32]
    """[S, C, H, W]."""
    numbers: NDArray[np.float32]
    """[G]."""
    policy: NDArray[np.float32]
    """[S, A]."""
    value: float
    score: float
    """Of Go, in points; NaN where it is not known."""
    ownership: NDArray[np.int8] | None
    """Of Go: [H, W], 1 mine, −1 the opponent's; None where it is not known."""
    short_term: NDArray[np.float32]
    """[3]: see :func:`honte.training.zero.targets.short_term_values`."""


@dataclass(frozen=True, slots=True)
class ZeroSamples(Arrays):
    """N samples, each shown under S symmetries; everything from the side to move."""

    planes: NDArray[Any]
    """[N, S, C, H, W], uint8 where all are 0 or 1, else float16."""
    numbers: NDArray[np.float32]
    """[N, G]; G is 19 for Go and 0 for other games."""
    policy: NDArray[np.float16]
    """[N, S, A]."""
    value: NDArray[np.float32]
    """[N]: the game's result."""
    score: NDArray[np.float32]
    """[N]: of Go, the final score in points; NaN where it is not known."""
    ownership: NDArray[np.int8]
    """Of Go [N, H, W]: 1 mine, −1 the opponent's, 0 nobody's, where the score is known; of other
    games [N, 0, 0]."""
    short_term: NDArray[np.float16]
    """[N, 3]: averages of the search's values from here on."""

    def __len__(self) -> int:
        return len(self.value)

    @classmethod
    def of_rows(cls, rows: Sequence[Row], game: ZeroGame) -> Self:
        """Join rows; no rows give an empty set."""
        symmetries = game.symmetries
        planes = np.array([row.planes for row in rows], np.float32)
        planes = planes.reshape(len(rows), symmetries, *game.shape)
        binary = bool(((planes == 0) | (planes == 1)).all())
        numbers = np.array([row.numbers for row in rows], np.float32)
        policy = np.array([row.policy for row in rows], np.float16)
        points = game.shape[1:] if game.is_go else (0, 0)
        unknown = np.zeros(points, np.int8)
        owners = [unknown if row.ownership is None else row.ownership for row in rows]
        short_term = np.array([row.short_term for row in rows], np.float16)
        return cls(
            planes=planes.astype(np.uint8 if binary else np.float16),
            numbers=numbers.reshape(len(rows), 19 if game.is_go else 0),
            policy=policy.reshape(len(rows), symmetries, game.actions),
            value=np.array([row.value for row in rows], np.float32),
            score=np.array([row.score for row in rows], np.float32),
            ownership=np.array(owners, np.int8).reshape(len(rows), *points),
            short_term=short_term.reshape(len(rows), 3),
        )


def window_size(samples: int, table: TrainingTable) -> int:
    """How many of the newest of so many samples are learned from [KataGo].

    c(1 + β((N/c)^α − 1)/α) beyond c, all of them before.
    """
    first = table.window_first
    if samples <= first:
        return samples
    exponent, growth = table.window_exponent, table.window_growth
    grown = first * (1 + growth * ((samples / first) ** exponent - 1) / exponent)
    return min(samples, int(grown))


class Replay:
    """The games of a run in its folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._kept: dict[int, ZeroSamples] = {}

    def path(self, iteration: int) -> Path:
        """The file of an iteration's samples."""
        return self.folder / f"games-{iteration:05}.npz"

    def load(self, iteration: int) -> ZeroSamples:
        """An iteration's samples. Raises HonteError where they are missing or damaged."""
        if iteration not in self._kept:
            self._kept[iteration] = ZeroSamples.load(self.path(iteration))
        return self._kept[iteration]

    def add(self, iteration: int, samples: ZeroSamples) -> None:
        """Keep an iteration's samples. Raises HonteError if they cannot be written."""
        self.folder.mkdir(parents=True, exist_ok=True)
        # Planes are mostly empty: a game of 19 × 19 takes 50 kB in place of 2 MB.
        samples.save(self.path(iteration), compressed=True)
        self._kept[iteration] = samples

    def rounds_of_window(self, counts: Sequence[int], table: TrainingTable) -> range:
        """The iterations that the window takes in, where iteration n made ``counts[n]``."""
        wanted = window_size(sum(counts), table)
        first, held = len(counts), 0
        while first > 0 and held < wanted:
            first -= 1
            held += counts[first]
        return range(first, len(counts))

    def window(self, rounds: range) -> ZeroSamples:
        """The samples of these iterations, of which the earlier ones are no more held in memory."""
        for iteration in [kept for kept in self._kept if kept < rounds.start]:
            del self._kept[iteration]
        return ZeroSamples.join(self.load(iteration) for iteration in rounds)
