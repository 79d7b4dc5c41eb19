"""The game of a run: its first position, what a network sees of it, its symmetries."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honte.errors import HonteError
from honte.games import ConnectFour, Go, Gomoku, GoState, Hex, Othello, TicTacToe
from honte.games.go import Rules
from honte.training.zero.config import GameTable


@dataclass(frozen=True, slots=True)
class ZeroGame:
    """A game as the loop sees it."""

    name: str
    new_state: Callable[[], Any]
    """The position before the first move."""
    is_go: bool
    """Whether KataGo's features and network format are used."""
    shape: tuple[int, int, int]
    """(C, H, W) of what the network sees."""
    actions: int
    """A."""
    symmetries: int
    """S: how many ways to show a position."""
    komi_deviation: float = 0.0
    """Of Go: the standard deviation of the komi from one game to the next."""

    @property
    def longest(self) -> int:
        """Moves after which a game is not worth going on, unless a run says otherwise."""
        return 3 * self.actions if self.is_go else 1000

    def state_of_game(self, random: np.random.Generator, random_moves: int = 0) -> Any:
        """The position in which self-play takes up a game: the first, or one after up to so many
        random moves, each number as likely, in which the game is not over."""
        state = self._first_state(random)
        while random_moves > 0:
            drawn = state.clone()
            for _ in range(int(random.integers(random_moves + 1))):
                drawn.apply_action(int(random.choice(drawn.legal_actions())))
                if drawn.is_terminal():
                    break
            else:
                return drawn
        return state

    def _first_state(self, random: np.random.Generator) -> Any:
        state = self.new_state()
        if self.komi_deviation > 0:
            drawn = state.komi + self.komi_deviation * random.standard_normal()
            # Half points, so that draws are as rare or as common as under the usual komi.
            offset = state.komi % 1.0
            state = state.with_komi(float(np.clip(round(drawn - offset) + offset, -60, 60)))
        return state

    def final_board(self, state: Any) -> tuple[float | None, NDArray[np.int8] | None]:
        """The score for player 0 and [H, W] whose each point is (1: player 0's, −1: player 1's)
        at the end of a game of Go; None of any other game, and of a game without a result."""
        if not self.is_go or state.is_no_result():
            return None, None
        # Without friendly passes the board counts as it stands, dead stones and all.
        area = state.area() if state.rules.friendly_pass else state.plain_area()
        owners = np.array([0, 1, -1], np.int8)[area]
        return -float(state.score()), owners

    def observe(self, state: Any) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Planes [S, C, H, W] and numbers [G] of a position; of Go S is 1, since its planes can be
        turned later."""
        if self.is_go:
            from honte._core import katago_features

            planes, numbers = katago_features(state)
            return planes[None], numbers
        if self.symmetries == 1:
            shown = [state.observation_tensor()]
        else:
            shown = [state.observation_tensor(symmetry=s) for s in range(self.symmetries)]
        planes = np.asarray(shown, np.float32).reshape(self.symmetries, *self.shape)
        return planes, np.zeros(0, np.float32)

    def turn_policy(self, state: Any, policy: NDArray[np.float64]) -> NDArray[np.float32]:
        """[S, A]: a policy under each symmetry; of Go [1, A]."""
        if self.is_go or self.symmetries == 1:
            return policy[None].astype(np.float32)
        turned = np.zeros((self.symmetries, self.actions), np.float32)
        actions = np.flatnonzero(policy)
        for symmetry in range(self.symmetries):
            moved = [state.transform_action(int(action), symmetry) for action in actions]
            turned[symmetry, moved] = policy[actions]
        return turned


def open_game(table: GameTable) -> ZeroGame:
    """The game that a configuration names. Raises HonteError where there is none."""
    make = _factory(table)
    try:
        state = make()
    except HonteError:
        raise
    except Exception as error:
        raise HonteError(f"The game {table.name} cannot be begun: {error}.") from error
    actions = int(state.num_distinct_actions())
    if isinstance(state, GoState):
        shape = (22, state.height, state.width)
        return ZeroGame(table.name, make, True, shape, actions, 1, table.komi_deviation)
    if not hasattr(state, "observation_tensor"):
        raise HonteError(
            f"The game {table.name} has no observation_tensor: a network has nothing to see."
        )
    seen = np.asarray(state.observation_tensor(), np.float32)
    full = seen.shape if seen.ndim == 3 else (seen.size, 1, 1)
    symmetries = int(state.num_symmetries()) if hasattr(state, "num_symmetries") else 1
    return ZeroGame(table.name, make, False, (full[0], full[1], full[2]), actions, symmetries)


def _factory(table: GameTable) -> Callable[[], Any]:
    size = table.size
    match table.name:
        case "go":
            komi = table.komi
            side = 9 if size is None else size
            return Go(side, rules=Rules.parse(table.rules), komi=komi).new_initial_state
        case "tic_tac_toe":
            return TicTacToe().new_initial_state
        case "connect_four":
            return ConnectFour().new_initial_state
        case "othello":
            return (Othello() if size is None else Othello(size)).new_initial_state
        case "gomoku":
            return (Gomoku() if size is None else Gomoku(size)).new_initial_state
        case "hex":
            return (Hex() if size is None else Hex(size)).new_initial_state
    if ":" not in table.name:
        raise HonteError(
            f"There is no game {table.name!r}; there are go, tic_tac_toe, connect_four, othello, "
            "gomoku, hex, and your own as module:factory."
        )
    return named_object(table.name, "game")


def named_object(name: str, kind: str) -> Callable[..., Any]:
    """What ``module:attribute`` names; modules beside the user's own program are found too.

    Raises HonteError, which calls it a ``kind``, where there is no such thing.
    """
    module, _, attribute = name.partition(":")
    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        made: Callable[..., Any] = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise HonteError(f"The {kind} {name} cannot be found: {error}.") from None
    return made
