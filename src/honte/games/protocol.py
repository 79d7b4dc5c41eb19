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


# A state may offer any of what follows; the search uses it where it is there.


@runtime_checkable
class PlayerCount(Protocol):
    """A state that says how many play; without this, two."""

    def num_players(self) -> int:
        """1 or 2."""
        ...


@runtime_checkable
class Keyed(Protocol):
    """A state that names its position, so that a cache or a graph may know it again."""

    def key(self) -> int | bytes | str:
        """Equal for two positions only if they have the same player to move, legal actions,
        future and observation: where repetition or a move count matters, it is part of the key.

        An integer of 0 … 2¹²⁸ − 1 is taken as it is; bytes and str are hashed to 128 bits.
        """
        ...


@runtime_checkable
class GraphKeyed(Protocol):
    """A state that knows its position however it was reached, for searches with transpositions."""

    def graph_key(self) -> int | bytes | str:
        """Equal for two positions only if they have the same player to move, legal actions and
        result, if finished. What only the past decides further on, such as superko, may be left
        out: it is asked for at every step. Without this, ``key`` is taken, once a position."""
        ...


@runtime_checkable
class Symmetric(Protocol):
    """A state whose board has symmetries that keep the rules."""

    def num_symmetries(self) -> int:
        """How many there are; number 0 changes nothing."""
        ...

    def transform_action(self, action: int, symmetry: int) -> int:
        """Where an action goes when the symmetry moves the board."""
        ...

    def observation_tensor(self, symmetry: int = 0) -> Sequence[float]:
        """The position as the symmetry shows it; called with ``symmetry=`` by name."""
        ...
