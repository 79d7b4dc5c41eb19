"""Openings: a few random moves, kept where neither side is ahead by much.

A pair of games starts from the same opening, with the players' sides exchanged, so that an
uneven opening favours nobody. Balance only makes the games tell more.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from honte import presets
from honte.evaluation import Evaluator, Rollout
from honte.lab.board_games import GameSpec
from honte.lab.specs import OpeningsSpec
from honte.search import Budget, Search

ATTEMPTS = 200
JUDGING_VISITS = 32
JUDGING_ROLLOUTS = 400


@dataclass(frozen=True, slots=True)
class Opening:
    """The first moves of a pair of games."""

    number: int
    actions: tuple[int, ...]
    value: float
    """What the judge says of it, in [−1, 1], for the player who starts the game."""


def derived_seed(*parts: object) -> int:
    """A 64-bit number that depends on every part, and on nothing else."""
    text = "\x1f".join(str(part) for part in parts)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def start_position(game: GameSpec, actions: tuple[int, ...]) -> Any:
    """The position after an opening's moves."""
    state = game.new_initial_state()
    for action in actions:
        state.apply_action(action)
    return state


class OpeningMaker:
    """Makes opening number n of a match: the same one each time for the same seed."""

    def __init__(self, game: GameSpec, spec: OpeningsSpec, judge: Evaluator, seed: int) -> None:
        self._game = game
        self._spec = spec
        self._judge = judge
        self._seed = seed
        self._blind = isinstance(judge, Rollout)
        self._known: set[tuple[int, ...]] = set()

    def know(self, opening: Opening) -> None:
        """This one exists already; others should differ from it."""
        self._known.add(opening.actions)

    def make(self, number: int) -> Opening:
        """The opening, different from those known if there are enough of them.

        If none of many tries is balanced, the most balanced is taken.
        """
        random = np.random.default_rng(derived_seed(self._seed, "opening", number))
        best: Opening | None = None
        for _ in range(ATTEMPTS):
            candidate = self._draw(number, random)
            if candidate is None:
                continue
            new = candidate.actions not in self._known
            if new and abs(candidate.value) <= self._spec.balance:
                best = candidate
                break
            if best is None or abs(candidate.value) < abs(best.value):
                best = candidate
            if not self._spec.plies:
                break
        if best is None:
            best = Opening(number, (), 0.0)
        self._known.add(best.actions)
        return best

    def _draw(self, number: int, random: np.random.Generator) -> Opening | None:
        state = self._game.new_initial_state()
        first = state.current_player()
        actions: list[int] = []
        for _ in range(self._spec.plies):
            actions.append(self._action(state, random))
            state.apply_action(actions[-1])
            if state.is_terminal():
                return None
        value = 0.0
        if self._spec.balance < 1:
            value = self._value(state)
            value = value if state.current_player() == first else -value
        return Opening(number, tuple(actions), value)

    def _action(self, state: Any, random: np.random.Generator) -> int:
        if self._blind:
            legal = [action for action in state.legal_actions() if not _passes(state, action)]
            return int(random.choice(legal))
        prior = Search(state, presets.policy_only(), self._judge).run(visits=1).prior
        weights = np.asarray(prior, np.float64).copy()
        if hasattr(state, "rules"):
            weights[-1] = 0.0
        return int(random.choice(len(weights), p=weights / weights.sum()))

    def _value(self, state: Any) -> float:
        if self._blind:
            search, visits = Search(state, presets.uct(), self._judge), JUDGING_ROLLOUTS
        else:
            search, visits = Search(state, presets.alphago_zero(), self._judge), JUDGING_VISITS
        return search.run(Budget(visits=visits)).value


def _passes(state: Any, action: int) -> bool:
    """Whether an action of Go gives up the turn, which opens no game."""
    return hasattr(state, "rules") and action == state.num_distinct_actions() - 1
