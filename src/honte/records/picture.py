"""Pictures of a record's nodes, with the marks and labels that the record puts on the board."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from honte.games.go import GoState
from honte.games.go.picture import (
    DARK,
    PAPER,
    WOOD,
    Bubble,
    Mark,
    Picture,
    Theme,
    board_svg,
    star_points,
)
from honte.records.points import parse_points
from honte.records.text import split_composed
from honte.records.tree import Node

__all__ = [
    "DARK",
    "PAPER",
    "WOOD",
    "Bubble",
    "Mark",
    "Picture",
    "Theme",
    "board_svg",
    "node_svg",
    "star_points",
]


def node_svg(node: Node, board: GoState | NDArray[np.int8], *, theme: Theme = WOOD) -> Picture:
    """A position with the marks and labels that a record's node puts on it."""
    width, height = node.board_size
    labels: dict[int, str] = {}
    for raw in node.raw_values("LB"):
        place, text = split_composed(raw)
        for point in parse_points([place], width, height)[0]:
            labels[point] = text or ""
    marks = {
        point: mark
        for mark in Mark
        for point in parse_points(node.raw_values(mark.value), width, height)[0]
    }
    move = node.move
    return board_svg(
        board,
        last_action=None if move is None else move[1],
        labels=labels,
        marks=marks,
        theme=theme,
    )
