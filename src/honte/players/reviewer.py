"""Who reviews games: a network with the katago preset, or random playouts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from honte import presets
from honte.evaluation import Evaluator, NetworkEvaluator, Rollout
from honte.games.go import GoState
from honte.networks.backends.cores import usable_cores
from honte.players.analysis import GameAnalysis, analyze_game
from honte.search import Budget, SearchConfig

NO_NETWORK = "none"
"""In place of a network: random playouts."""
VISITS = 100
VISITS_OF_PLAYOUTS = 5000
"""For each position, where none are asked for."""


@dataclass(frozen=True, slots=True)
class Reviewer:
    """An evaluator and the search that asks it."""

    evaluator: Evaluator
    config: SearchConfig
    name: str
    """What evaluates the positions, in words."""
    threads: int

    @classmethod
    def open(cls, network: str, threads: int | None = None, *, ownership: bool = False) -> Self:
        """A network's file, the name of one that comes with honte, or ``none``.

        ``threads``: None for as many as there are cores. ``ownership``: whether the search
        averages whose each point will be. Raises HonteError for what is no network.
        """
        cores = threads or usable_cores()
        if network.lower() == NO_NETWORK:
            return cls(Rollout(), presets.uct(), "random playouts (UCB1)", cores)
        evaluator = NetworkEvaluator(network, streams=threads)
        config = presets.katago()
        config = config.replace(
            parallelism=config.parallelism.model_copy(update={"threads": cores}),
            backup=config.backup.model_copy(update={"ownership": ownership}),
        )
        name = f"{evaluator.network.name} ({evaluator.backend_name}, {evaluator.precision.value})"
        return cls(evaluator, config, name, cores)

    def review(
        self,
        states: Sequence[GoState],
        visits: int,
        *,
        turns: Iterable[int] | None = None,
        seed: int = 0,
        on_position: Callable[[int], None] | None = None,
    ) -> GameAnalysis:
        """Search the positions of a game: see :func:`honte.players.analysis.analyze_game`."""
        return analyze_game(
            states,
            self.evaluator,
            self.config,
            Budget(visits=visits),
            turns=turns,
            seed=seed,
            threads=self.threads,
            on_position=on_position,
        )


def usual_visits(network: str) -> int:
    """Visits for each position, where none are asked for."""
    return VISITS_OF_PLAYOUTS if network.lower() == NO_NETWORK else VISITS
