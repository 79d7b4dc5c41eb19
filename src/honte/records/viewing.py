"""Boards of a record as a viewer shows them: every move is executed, legal or not.

The SGF standard has a move put down whatever stands there, and the stones it takes away. What the
rules of a game allow is :meth:`honte.records.GameRecord.states`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honte.records.tree import Node


@dataclass(frozen=True, slots=True)
class View:
    """The board after a node, and whether its move could not be played by any rules."""

    node: Node
    board: NDArray[np.int8]
    """[H, W]: 0 empty, 1 black, 2 white, row 0 on top."""
    overwrites: bool = False
    """The move was put on a stone."""
    retakes: bool = False
    """The move took back a ko at once: the board is as it was two moves before."""


def views(line: Iterable[Node]) -> Iterator[View]:
    """The boards along a line of nodes from the root, such as ``record.mainline()``.

    A move off the board, and a pass, leave the board as it is.
    """
    board: NDArray[np.int8] | None = None
    before: list[bytes] = []
    for node in line:
        width, height = node.board_size
        board = np.zeros((height, width), np.int8) if board is None else board.copy()
        setup = node.setup
        if setup is not None:
            stones = board.reshape(-1)
            for colour, points in ((1, setup.black), (2, setup.white), (0, setup.empty)):
                stones[list(points)] = colour
        overwrites = retakes = False
        move = node.move
        if move is not None and move[1] < width * height:
            player, action = move
            overwrites = bool(board.reshape(-1)[action])
            _execute(board, action, player + 1)
            retakes = len(before) > 1 and board.tobytes() == before[-2]
        before.append(board.tobytes())
        yield View(node, board, overwrites, retakes)


def _execute(board: NDArray[np.int8], action: int, colour: int) -> None:
    """Put a stone down and take away what has no liberty: the opponent's first, then one's own."""
    height, width = board.shape
    y, x = divmod(action, width)
    board[y, x] = colour
    for ny, nx in _beside(y, x, height, width):
        if board[ny, nx] == 3 - colour:
            _take_if_dead(board, ny, nx)
    _take_if_dead(board, y, x)


def _take_if_dead(board: NDArray[np.int8], y: int, x: int) -> None:
    height, width = board.shape
    colour = board[y, x]
    chain, waiting = {(y, x)}, [(y, x)]
    while waiting:
        for place in _beside(*waiting.pop(), height, width):
            if board[place] == 0:
                return
            if board[place] == colour and place not in chain:
                chain.add(place)
                waiting.append(place)
    for place in chain:
        board[place] = 0


def _beside(y: int, x: int, height: int, width: int) -> Iterator[tuple[int, int]]:
    for ny, nx in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
        if 0 <= ny < height and 0 <= nx < width:
            yield ny, nx
