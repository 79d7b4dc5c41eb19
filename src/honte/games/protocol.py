"""The State protocol: what honte asks of a game.

The names and meanings are those of an OpenSpiel state, so every two-player, perfect-information
``pyspiel`` state works as it is, and a game of your own is one small class. The native games
(:mod:`honte.games.go` and the small ones) offer the same methods.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, Self, runtime_checkable

TERMINAL_PLAYER = -4
"""What :meth:`State.current_player` says once the game is over (OpenSpiel's number)."""


@runtime_checkable
class State(Protocol):
    """A position of a game for one or two players, with perfect information and without chance.

    Two-player games are zero-sum: ``returns()[0] == -returns()[1]``.
    """

    def num_distinct_actions(self) -> int:
        """The size A of the action space; actions are the integers 0 … A − 1."""
        ...

    def current_player(self) -> int:
        """Who moves: 0 or 1, or :data:`TERMINAL_PLAYER` when the game is over.

        The same player may move several times in a row.
        """
        ...

    def legal_actions(self) -> Sequence[int]:
        """The legal actions in ascending order; empty only when the game is over."""
        ...

    def apply_action(self, action: int) -> None:
        """Play a legal action, changing this state in place."""
        ...

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        ...

    def returns(self) -> Sequence[float]:
        """Each player's result in [−1, 1]; asked only of a finished game."""
        ...

    def clone(self) -> Self:
        """An independent copy."""
        ...


@runtime_checkable
class Observable(Protocol):
    """A state that also offers the planes a network of the user's own would see."""

    def observation_tensor(self) -> Sequence[float]:
        """The position from the side to move, flattened; its shape is the network's business."""
        ...
