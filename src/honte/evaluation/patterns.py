"""The fast rollout policy: moves of a playout by local patterns instead of all alike.

AlphaGo's rollouts of 2016 followed a linear softmax over small features [Silver 2016, Extended Data
Table 4; after Coulom 2007]: a move's probability is proportional to exp(Σ θ) over what it has of

- a **pattern**: the eight points around it, up to symmetry;
- **tactics**: it takes stones, joins a chain in atari, moves into atari, saves a chain that the
  last move put in atari;
- a **response**: it is one of the twelve points next to the opponent's last move, which has this
  surrounding (up to symmetry, and whether that move's chain is in atari).

Playouts by it run in the native core. Their first moves, 0.4 times the board's points, follow the
policy; the rest are uniformly random, which is four times as quick a move and on 9×9 keeps two
thirds of what the policy adds. ``honte train rollout`` learns the weights from records.
"""

from __future__ import annotations

import io
import os
import zipfile
from dataclasses import dataclass, fields
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from honte import _core
from honte.errors import HonteError

if TYPE_CHECKING:
    from honte.games.go import GoState

TACTICS = (
    "captures 1 stone",
    "captures 2 stones",
    "captures 3 stones or more",
    "extends 1 stone in atari",
    "extends 2 stones in atari",
    "extends 3 stones or more in atari",
    "puts itself in atari, 1 stone",
    "puts itself in atari, 2 stones",
    "puts itself in atari, 3 stones or more",
    "saves by extending what the last move put in atari",
    "saves by capturing beside what the last move put in atari",
)
"""What the weights of :attr:`PatternPolicy.tactics` are of, in order."""

STEP = 1 / 16
"""Weights are whole multiples of this, from −127 to 127 of it."""


@dataclass(frozen=True, eq=False)
class PatternPolicy:
    """The weights θ of a rollout policy for Go, in steps of STEP, for a :class:`Rollout`.

    >>> Rollout(policy=PatternPolicy.shipped())                       # doctest: +SKIP

    Codes hold 2 bits a point, north-west to south-east row by row, then for diamonds two to the
    north, west, east and south: 0 empty, 1 the mover's, 2 the opponent's, 3 off the board; bit 24
    of a diamond says that the last move's chain is in atari. A code stands for its eight
    symmetries, of which it is the smallest number. Raises HonteError where the arrays do not fit.
    """

    patterns: NDArray[np.uint16]
    """[P] codes."""
    pattern_weights: NDArray[np.int8]
    """[P]."""
    other_pattern: NDArray[np.int8]
    """[1]: of patterns that are not listed."""
    tactics: NDArray[np.int8]
    """[11], in the order of TACTICS; those of moving into atari count as 0 where above."""
    diamonds: NDArray[np.uint32]
    """[D] codes."""
    responses: NDArray[np.int8]
    """[D, 12], by the point of the diamond."""
    other_response: NDArray[np.int8]
    """[12]: beside last moves whose diamond is not listed."""

    def __post_init__(self) -> None:
        _ = self.core

    @cached_property
    def core(self) -> _core.PlayoutPolicy:
        """The same as tables of the native core."""
        try:
            return _core.PlayoutPolicy(
                self.patterns,
                self.pattern_weights,
                int(self.other_pattern[0]),
                self.tactics,
                self.diamonds,
                self.responses,
                self.other_response,
            )
        except (TypeError, ValueError, IndexError) as error:
            raise HonteError(f"These are no weights of a rollout policy: {error}") from None

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def probabilities(self, state: GoState) -> NDArray[np.float64]:
        """[A]: how likely each action is as the next move of a playout from this position.

        Passing is certain where every other move would fill an eye or is forbidden.
        """
        return self.core.probabilities(state)

    def save(self, path: Path) -> None:
        """Write the file, whole or not at all. Raises HonteError if it cannot be written."""
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **self.__getstate__())
        temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            temporary.write_bytes(buffer.getvalue())
            os.replace(temporary, path)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise HonteError(f"{path} cannot be written: {error.strerror or error}.") from None

    @classmethod
    def load(cls, path: str | Path) -> PatternPolicy:
        """Read a file of :meth:`save`. Raises HonteError if it is none."""
        try:
            with np.load(path, allow_pickle=False) as arrays:
                return cls(**{field.name: arrays[field.name] for field in fields(cls)})
        except FileNotFoundError:
            raise HonteError(f"There is no rollout policy at {path}.") from None
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            raise HonteError(
                f"{path} is no rollout policy: `honte train rollout` writes such files."
            ) from None

    @classmethod
    def shipped(cls) -> PatternPolicy:
        """The policy that comes with honte, read once; its card is in the documentation."""
        return _shipped()


@cache
def _shipped() -> PatternPolicy:
    return PatternPolicy.load(Path(str(files("honte.networks") / "weights" / "rollout.npz")))
