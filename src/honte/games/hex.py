"""Hex without the swap rule; actions and players are those of OpenSpiel's ``hex``."""

from __future__ import annotations

from dataclasses import dataclass

from honte._core import HexState

__all__ = ["Hex", "HexState"]


@dataclass(frozen=True, slots=True)
class Hex:
    """A chain across size × size cells: player 0 joins top and bottom, player 1 left and right.

    An action is the cell size · row + column. Raises ``HonteError`` for a size outside 1 … 19.
    """

    size: int = 11

    def __post_init__(self) -> None:
        HexState(self.size)

    def new_initial_state(self) -> HexState:
        """The empty board, player 0 to move."""
        return HexState(self.size)
