"""Connect Four; actions and players are those of OpenSpiel's ``connect_four``."""

from __future__ import annotations

from dataclasses import dataclass

from honte._core import ConnectFourState

__all__ = ["ConnectFour", "ConnectFourState"]


@dataclass(frozen=True, slots=True)
class ConnectFour:
    """Four in a row with discs that fall. An action is a column, counted from the left.

    Sizes from 1 up to 20 rows with (rows + 1) · columns ≤ 64. Raises ``HonteError`` for others.
    """

    rows: int = 6
    columns: int = 7

    def __post_init__(self) -> None:
        ConnectFourState(self.rows, self.columns)

    def new_initial_state(self) -> ConnectFourState:
        """The empty board, player 0 to move."""
        return ConnectFourState(self.rows, self.columns)
