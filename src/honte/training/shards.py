"""Shards: files of training samples of Go, one position a row, all of one board size.

A sample holds what the network sees (KataGo's 22 planes as bits, 19 numbers), the move that was
played and the result: about 1.1 kB on 19 × 19, so that a shard of 10,000 is read in a moment. What
a teacher says of the same rows lies beside it in a file of its own.
"""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from honte.errors import HonteError
from honte.networks.layers import GLOBAL_FEATURES, SPATIAL_PLANES, Float

COMPRESSION = 3
"""zlib's level: on planes of Go as quick as 1 and half as large, a third larger than 6."""

UNKNOWN_ACTION = 65535
"""Stands for the played move where there is none to learn from."""


@dataclass(frozen=True, slots=True)
class Arrays:
    """Arrays with the same number of rows, kept in one file."""

    def save(self, path: Path, *, compressed: bool = False) -> None:
        """Write the file, whole or not at all. Raises HonteError if it cannot be written."""
        temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
        method = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
        try:
            with zipfile.ZipFile(temporary, "w", method, compresslevel=COMPRESSION) as file:
                for field in fields(self):
                    with file.open(f"{field.name}.npy", "w", force_zip64=True) as entry:
                        array = getattr(self, field.name)
                        np.lib.format.write_array(entry, array, allow_pickle=False)
            os.replace(temporary, path)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise HonteError(f"{path} cannot be written: {error.strerror or error}.") from None

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a file that :meth:`save` wrote. Raises HonteError if it is no such file."""
        try:
            with np.load(path, allow_pickle=False) as arrays:
                return cls(**{field.name: arrays[field.name] for field in fields(cls)})
        except FileNotFoundError:
            raise HonteError(f"There are no samples at {path}.") from None
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
            raise HonteError(
                f"{path} holds no samples that can be read ({error}): delete it and make it again."
            ) from None

    def take(self, rows: NDArray[Any]) -> Self:
        """Some of the rows."""
        return type(self)(*(getattr(self, field.name)[rows] for field in fields(self)))

    @classmethod
    def join(cls, parts: Iterable[Self]) -> Self:
        """The rows of all parts, one after another."""
        parts = list(parts)
        return cls(
            *(
                np.concatenate([getattr(part, field.name) for part in parts])
                for field in fields(cls)
            )
        )


@dataclass(frozen=True, slots=True)
class Shard(Arrays):
    """N samples of one board size. Everything is from the side to move."""

    planes: NDArray[np.uint8]
    """[N, ⌈22 · H · W / 8⌉]: the 22 planes [22, H, W] of each row as bits."""
    numbers: Float
    """[N, 19]."""
    action: NDArray[np.uint16]
    """[N]: the move played, or UNKNOWN_ACTION."""
    value: Float
    """[N]: 1 the side to move won, −1 lost, 0 drawn; NaN where it is not known."""
    game: NDArray[np.int32]
    """[N]: the number of the game in its collection."""
    size: NDArray[np.int16]
    """[N, 2]: height and width, the same in all rows."""

    def __len__(self) -> int:
        return len(self.action)

    @property
    def board_shape(self) -> tuple[int, int]:
        """(H, W)."""
        return int(self.size[0, 0]), int(self.size[0, 1])

    def spatial(self) -> NDArray[np.uint8]:
        """[N, 22, H, W] of zeros and ones."""
        height, width = self.board_shape
        bits = np.unpackbits(self.planes, axis=1, count=SPATIAL_PLANES * height * width)
        return bits.reshape(-1, SPATIAL_PLANES, height, width)


class ShardBuilder:
    """Collects samples of one board size."""

    def __init__(self, height: int, width: int) -> None:
        self.height, self.width = height, width
        self._rows: list[tuple[NDArray[np.uint8], Float, int, float, int]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, state: Any, action: int, value: float, game: int) -> None:
        """A :class:`honte.games.go.GoState`, the move played in it, and its result."""
        from honte._core import katago_features

        spatial, numbers = katago_features(state)
        bits = np.packbits(spatial.reshape(-1).astype(np.uint8))
        self._rows.append((bits, numbers, action, value, game))

    def shard(self) -> Shard:
        """What was collected; at least one sample."""
        planes, numbers, action, value, game = zip(*self._rows, strict=True)
        return Shard(
            planes=np.stack(planes),
            numbers=np.stack(numbers).reshape(-1, GLOBAL_FEATURES).astype(np.float32),
            action=np.array(action, np.uint16),
            value=np.array(value, np.float32),
            game=np.array(game, np.int32),
            size=np.tile(np.array([[self.height, self.width]], np.int16), (len(action), 1)),
        )


@dataclass(frozen=True, slots=True)
class TeacherLabels(Arrays):
    """What a teacher says of the rows of a shard, from the side to move."""

    policy: NDArray[np.float16]
    """[N, H · W + 1] probabilities."""
    value: NDArray[np.float16]
    """[N, 3]: P(win), P(loss), P(no result)."""
    score: Float
    """[N, 3] in points: mean, standard deviation, lead."""
    ownership: NDArray[np.int8]
    """[N, H, W]: 127 where the side to move owns the point, −127 where the opponent does."""


def shard_paths(folder: Path) -> list[Path]:
    """The shards of a folder to train on, in order. Raises HonteError if there are none."""
    found = sorted(folder.glob("shard-*.npz"))
    if not found:
        raise HonteError(
            f"{folder} holds no samples: make some with `honte train samples GAMES --out {folder}`."
        )
    return found


def held_out_paths(folder: Path) -> list[Path]:
    """The shards of games that are kept for measuring."""
    return sorted(folder.glob("held-out-*.npz"))
