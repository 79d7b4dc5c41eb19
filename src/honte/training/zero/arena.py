"""Games between two searches, all at once: how a run measures itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from honte.evaluation import Evaluator
from honte.search import Budget, Search, SearchConfig, run_many
from honte.search.config import SampleVisits
from honte.training.zero.game import ZeroGame

OPENING_MOVES = 4
"""The first moves of a game are drawn from the visits, so that games differ."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two."""

    config: SearchConfig
    evaluator: Evaluator
    visits: int


def arena(
    game: ZeroGame,
    first: Side,
    second: Side,
    games: int,
    seed: int,
    longest: int | None = None,
) -> tuple[int, int, int]:
    """Wins, draws and losses of the first side; it moves first in every other game.

    After ``longest`` moves a game of Go is counted as it stands, as in self-play, and another is a
    draw.
    """
    longest = longest or game.longest
    states = [game.new_state() for _ in range(games)]
    moves = [0] * games
    results: dict[int, float] = {}
    while len(results) < games:
        for side, place in ((first, 0), (second, 1)):
            turn = [
                number
                for number in range(games)
                if number not in results and states[number].current_player() == (place + number) % 2
            ]
            searches = []
            for number in turn:
                # The opening is drawn; Search samples by its seed and the move.
                decision = side.config.decision
                if moves[number] < OPENING_MOVES:
                    decision = SampleVisits(temperature=1.0, moves=None)
                name = _name(seed, number, moves[number])
                config = side.config.replace(decision=decision)
                searches.append(Search(states[number], config, side.evaluator, seed=name))
            for number, found in zip(
                turn, run_many(searches, Budget(visits=side.visits)), strict=True
            ):
                assert found is not None
                assert found.action is not None
                states[number].apply_action(found.action)
                moves[number] += 1
                if states[number].is_terminal():
                    results[number] = float(states[number].returns()[number % 2])
                elif moves[number] >= longest:
                    ended = float(states[number].returns()[number % 2]) if game.is_go else 0.0
                    results[number] = ended
    values = list(results.values())
    wins = sum(value > 0 for value in values)
    losses = sum(value < 0 for value in values)
    return wins, games - wins - losses, losses


def _name(seed: int, number: int, move: int) -> int:
    random = np.random.Generator(np.random.Philox(key=[seed, (number << 32) + move]))
    return int(random.integers(2**63))
