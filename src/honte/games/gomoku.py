"""Gomoku without opening rules; actions and players are those of OpenSpiel's ``gomoku``."""

from __future__ import annotations

from dataclasses import dataclass

from honte._core import GomokuState

__all__ = ["Gomoku", "GomokuState"]


@dataclass(frozen=True, slots=True)
class Gomoku:
    """Five in a row on size × size points. An action is the point size · row + column.

    Raises ``HonteError`` for a size outside 1 … 19.
    """

    size: int = 15
    overline_wins: bool = True
    """Whether six or more in a row win too (freestyle gomoku, OpenSpiel's rule); standard
    gomoku asks for exactly five."""

    def __post_init__(self) -> None:
        GomokuState(self.size, self.overline_wins)

    def new_initial_state(self) -> GomokuState:
        """The empty board, player 0 to move."""
        return GomokuState(self.size, self.overline_wins)
