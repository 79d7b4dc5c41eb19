"""Tic-tac-toe; actions and players are those of OpenSpiel's ``tic_tac_toe``."""

from __future__ import annotations

from dataclasses import dataclass

from honte._core import TicTacToeState

__all__ = ["TicTacToe", "TicTacToeState"]


@dataclass(frozen=True, slots=True)
class TicTacToe:
    """Three in a row on 3 × 3 cells. An action is the cell 3 · row + column."""

    def new_initial_state(self) -> TicTacToeState:
        """The empty board, player 0 to move."""
        return TicTacToeState()
