"""How strong a run's network is: against a fixed opponent, its earlier selves, and the truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import nn

from honte import presets
from honte.bradley_terry import ELO, PRIOR, maximum_likelihood
from honte.evaluation import Rollout
from honte.training.zero.arena import Side, arena
from honte.training.zero.config import ZeroConfig
from honte.training.zero.game import ZeroGame
from honte.training.zero.learning import evaluator_of, load_weights, save_weights
from honte.training.zero.problems import read_known_positions, share_right
from honte.training.zero.self_play import playing_config

ELO_NAME = "measured/elo"
AGAINST_UCT = "measured/score_against_uct"
AGAINST_EARLIER = "measured/score_against_earlier"


class Measuring:
    """The measurements of a run; each keeps its network in the run's folder for the next."""

    def __init__(self, game: ZeroGame, config: ZeroConfig, folder: Path) -> None:
        self.game = game
        self.config = config
        self.folder = folder
        self.search = playing_config(config.self_play, game.symmetries > 1 or game.is_go)
        table = config.measuring
        self._positions = (
            None if table.positions is None else read_known_positions(table.positions, game)
        )
        self._visits_there = table.positions_visits or config.self_play.visits

    def measure(
        self, network: nn.Module, iteration: int, lines: Sequence[Mapping[str, Any]]
    ) -> dict[str, float]:
        """Measure the network of an iteration. ``lines`` are the run's metrics so far."""
        table = self.config.measuring
        seed = self.config.seed + iteration
        side = self._side(network, f"{self.folder.name}-{iteration}")
        uct = Side(presets.uct(), Rollout(), table.opponent_visits)
        wins, draws, _ = self.play(side, uct, table.games, seed)
        values = {
            "measured/wins_against_uct": wins / table.games,
            "measured/draws_against_uct": draws / table.games,
            AGAINST_UCT: (wins + draws / 2) / table.games,
        }
        save_weights(network, self._kept(iteration))
        before = [int(line["step"]) for line in lines if AGAINST_UCT in line]
        games = table.games_against_earlier
        if games and before and self._kept(before[-1]).exists():
            earlier = load_weights(network, self._kept(before[-1]))
            other = self._side(earlier, f"{self.folder.name}-{before[-1]}")
            wins, draws, _ = self.play(side, other, games, seed + (1 << 33))
            values[AGAINST_EARLIER] = (wins + draws / 2) / games
        values[ELO_NAME] = float(elo_curve([*lines, values], table.games, games)[-1])
        if self._positions is not None:
            policy, search = share_right(
                self._positions, self.search, side.evaluator, self._visits_there, seed
            )
            values["measured/policy_right"], values["measured/search_right"] = policy, search
        return values

    def play(self, first: Side, second: Side, games: int, seed: int) -> tuple[int, int, int]:
        """Wins, draws and losses of the first side, in games as long as those of self-play."""
        return arena(self.game, first, second, games, seed, self.config.self_play.longest_game)

    def _side(self, network: nn.Module, name: str) -> Side:
        batch_size = self.config.self_play.batch_size
        evaluator = evaluator_of(network, name, self.game, batch_size)
        return Side(self.search, evaluator, self.config.measuring.visits)

    def _kept(self, iteration: int) -> Path:
        return self.folder / "networks" / f"{iteration:05}.pt"


def elo_curve(
    lines: Sequence[Mapping[str, Any]], games: int, games_against_earlier: int
) -> NDArray[np.float64]:
    """The Elo of each measured network, by all games together; the fixed opponent has 0.

    ``lines`` are a run's metrics. Each measured network met the fixed opponent, and all but the
    first the one measured before.
    """
    measured = [line for line in lines if AGAINST_UCT in line]
    points = np.zeros((len(measured) + 1, len(measured) + 1))

    def add(one: int, other: int, score: float, number: int) -> None:
        points[one, other] += score * number + PRIOR
        points[other, one] += (1.0 - score) * number + PRIOR

    for place, line in enumerate(measured, 1):
        add(place, 0, line[AGAINST_UCT], games)
        if AGAINST_EARLIER in line:
            add(place, place - 1, line[AGAINST_EARLIER], games_against_earlier)
    strength = maximum_likelihood(points) * ELO
    curve: NDArray[np.float64] = strength[1:] - strength[0]
    return curve
