"""Othello; actions and players are those of OpenSpiel's ``othello``."""

from __future__ import annotations

from dataclasses import dataclass

from honte._core import OthelloState

__all__ = ["Othello", "OthelloState"]


@dataclass(frozen=True, slots=True)
class Othello:
    """More discs on size × size cells; Black, player 0, moves first.

    An action is the cell size · row + column; the last action, size², is the pass, legal only
    when a player has no other move. The game ends when neither has one. Raises ``HonteError``
    for a size other than 4, 6 or 8.
    """

    size: int = 8

    def __post_init__(self) -> None:
        OthelloState(self.size)

    def new_initial_state(self) -> OthelloState:
        """The four discs in the middle, Black to move."""
        return OthelloState(self.size)
