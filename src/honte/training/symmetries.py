"""The eight symmetries of a square board, as permutations of its points."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray


@lru_cache(maxsize=32)
def point_permutations(height: int, width: int) -> NDArray[np.intp]:
    """[S, H · W]: row s holds, for every point shown, the point it comes from.

    S is 8 on a square and 4 on a rectangle. Bit 0 flips the rows, bit 1 the columns, bit 2
    transposes, in this order.
    """
    points = np.arange(height * width).reshape(height, width)
    shown = []
    for symmetry in range(8 if height == width else 4):
        board = points
        if symmetry & 1:
            board = board[::-1]
        if symmetry & 2:
            board = board[:, ::-1]
        if symmetry & 4:
            board = board.T
        shown.append(board.reshape(-1))
    return np.array(shown, dtype=np.intp)
