"""The search alone: 9×9 Go, 800 simulations a move, uniform priors and value 0.

    python benchmarks/pure_search.py [--open-spiel]

Simulations per second of processor time, with the evaluator inside the core and with one
written in Python that answers batches. With --open-spiel, OpenSpiel's search in C++ and its
search in Python beside it, on its own 9×9 Go with an evaluator that says the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
import typer
from _measure import in_turn, report

from honte.evaluation import Evaluation, Evaluator, LeafBatch, Uniform
from honte.games.go import Go
from honte.search import Search, SearchConfig
from honte.search.config import Parallelism, Puct

INSIDE, BATCHED = "honte, evaluator in the core", "honte, evaluator in Python on batches"
CLAIMS = {INSIDE: 1_000_000, BATCHED: 400_000}


class Ignorance:
    """Value 0 and equal priors, as a user would write it: arrays for every batch."""

    def __call__(self, batch: LeafBatch) -> Evaluation:
        return Evaluation(
            value=np.zeros(batch.size, np.float32),
            policy_logits=np.zeros((batch.size, batch.num_actions), np.float32),
        )


def honte(evaluator: Evaluator, batch_size: int, moves: int, simulations: int) -> float:
    """Simulations per CPU second over a game's first moves, a fresh tree for each."""
    config = SearchConfig(
        selection=Puct(c_puct=1.5), parallelism=Parallelism(batch_size=batch_size)
    )
    state = Go(9).new_initial_state()
    done = 0
    begin = time.process_time()
    for _ in range(moves):
        result = Search(state, config, evaluator).run(simulations=simulations)
        done += result.simulations
        assert result.action is not None
        state.play(result.action)
    return done / (time.process_time() - begin)


def open_spiel_runs(moves: int, simulations: int) -> dict[str, Callable[[], float]]:
    """OpenSpiel's two searches on its own Go, if it is installed."""
    try:
        import pyspiel
        from open_spiel.python.algorithms import mcts
    except ImportError:
        raise typer.BadParameter(
            "OpenSpiel is not installed: run `pip install 'honte[openspiel]'`."
        ) from None
    game = pyspiel.load_game("go", {"board_size": 9, "komi": 7.5})

    class PythonIgnorance(mcts.Evaluator):  # type: ignore[misc]
        def evaluate(self, state: Any) -> np.ndarray:
            return np.zeros(2)

        def prior(self, state: Any) -> list[tuple[int, float]]:
            actions = state.legal_actions()
            return [(action, 1.0 / len(actions)) for action in actions]

    def run(make: Callable[[], Any], positions: int) -> float:
        state = game.new_initial_state()
        begin = time.process_time()
        for _ in range(positions):
            state.apply_action(make().mcts_search(state).best_child().action)
        return positions * simulations / (time.process_time() - begin)

    def in_python() -> Any:
        return mcts.MCTSBot(
            game, 1.5, simulations, PythonIgnorance(), solve=False,
            child_selection_fn=mcts.SearchNode.puct_value,
        )  # fmt: skip

    return {"OpenSpiel, Python search": lambda: run(in_python, max(1, moves // 10))}


def main(
    moves: Annotated[int, typer.Option(help="Moves searched in a run.")] = 40,
    simulations: Annotated[int, typer.Option(help="Simulations a move.")] = 800,
    batch_size: Annotated[int, typer.Option(help="Leaves a batch of the Python evaluator.")] = 64,
    rounds: Annotated[int, typer.Option(help="Runs of each.")] = 5,
    open_spiel: Annotated[bool, typer.Option(help="Run OpenSpiel's search beside it.")] = False,
) -> None:
    """Time each in turn."""
    runs: dict[str, Callable[[], float]] = {
        INSIDE: lambda: honte(Uniform(), 1, moves, simulations),
        BATCHED: lambda: honte(Ignorance(), batch_size, moves, simulations),
    }
    if open_spiel:
        runs.update(open_spiel_runs(moves, simulations))
    found = in_turn(runs, rounds)
    ratios: list[tuple[str, list[float], float | None]] = [
        (f"of {name} to {claim:,}", [value / claim for value in found[name]], 1.0)
        for name, claim in CLAIMS.items()
    ]
    for name in found.keys() - CLAIMS.keys():
        peer = found[name]
        ratios += [
            (f"of {mine} to {name}", [a / b for a, b in zip(found[mine], peer, strict=True)], None)
            for mine in CLAIMS
        ]
    title = f"9×9 Go, {simulations} simulations a move, uniform priors, value 0"
    if not report(title, "simulations per CPU second", found, ratios):
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
