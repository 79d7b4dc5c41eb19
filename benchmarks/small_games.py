"""UCT with random rollouts on small games, beside OpenSpiel's own searches in C++ and Python.

    python benchmarks/small_games.py

Simulations per second of processor time from the first position, one rollout a leaf. "native" is
the game in honte's core; "adapted" is OpenSpiel's state, unchanged, in honte's search. An adapted
game cannot be faster than its own rules let it be: its playouts without any search stand beside it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
import typer
from _measure import in_turn, quotients, report

import honte.presets
from honte.evaluation import Rollout, Uniform
from honte.games import ConnectFour, Hex, Othello, TicTacToe
from honte.games.openspiel import load_game
from honte.search import Search

NATIVE = {
    "tic_tac_toe": TicTacToe(),
    "connect_four": ConnectFour(),
    "hex": Hex(),
    "othello": Othello(),
}
PLAYOUTS = "playouts of OpenSpiel's C++, no search"
ADAPTED = ["tic_tac_toe", "connect_four", "hex", "othello", "breakthrough"]


def rate(search: Callable[[], object], simulations: int) -> float:
    """Simulations per CPU second of one search."""
    begin = time.process_time()
    search()
    return simulations / (time.process_time() - begin)


def runs_of(name: str, simulations: int) -> dict[str, Callable[[], float]]:
    """Each way to search the game of that name."""
    import pyspiel
    from open_spiel.python.algorithms import mcts

    game = load_game(name)
    state = game.new_initial_state()
    config = honte.presets.uct()
    few = max(200, simulations // 1000)

    def honte_search(position: Any, evaluator: Any, count: int) -> Callable[[], float]:
        return lambda: rate(
            lambda: Search(position, config, evaluator).run(simulations=count), count
        )

    def in_cpp() -> object:
        evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
        bot = pyspiel.MCTSBot(game, evaluator, 1.4, simulations // 10, 4000, False, 1, False)
        return bot.mcts_search(state)

    def bare_playouts() -> None:
        for seed in range(few):
            bots = [pyspiel.make_uniform_random_bot(player, 2 * seed + player) for player in (0, 1)]
            pyspiel.evaluate_bots(state.clone(), bots, seed)

    def in_python() -> object:
        evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(1))
        return mcts.MCTSBot(game, 1.4, few, evaluator, solve=False).mcts_search(state)

    runs = {}
    if name in NATIVE:
        first = NATIVE[name].new_initial_state()
        runs["honte, native"] = honte_search(first, Rollout(), simulations)
        runs["honte, native, value 0"] = honte_search(first, Uniform(), simulations)
    runs["honte, adapted"] = honte_search(state, Rollout(), 10 * few)
    runs["OpenSpiel, C++"] = lambda: rate(in_cpp, simulations // 10)
    runs["OpenSpiel, Python"] = lambda: rate(in_python, few)
    runs[PLAYOUTS] = lambda: rate(bare_playouts, few)
    return runs


def main(
    simulations: Annotated[int, typer.Option(help="Simulations of a native search.")] = 300_000,
    rounds: Annotated[int, typer.Option(help="Runs of each.")] = 5,
    game: Annotated[str | None, typer.Option(help="Only this game.")] = None,
) -> None:
    """Time each search in turn, game by game."""
    holds = True
    for name in ADAPTED if game is None else [game]:
        found = in_turn(runs_of(name, simulations), rounds)
        adapted, in_python = found["honte, adapted"], found["OpenSpiel, Python"]
        ratios: list[tuple[str, list[float], float | None]] = [
            ("of the adapted game to OpenSpiel's Python", quotients(adapted, in_python), 2.0),
            (
                "of the adapted game to the game's own playouts",
                quotients(adapted, found[PLAYOUTS]),
                None,
            ),
        ]
        if "honte, native" in found:
            native = found["honte, native"]
            in_cpp = found["OpenSpiel, C++"]
            ratios.append(("of native to OpenSpiel's C++", quotients(native, in_cpp), 1.0))
            ratios.append(("of native to OpenSpiel's Python", quotients(native, in_python), 10.0))
        title = f"{name}, UCT, {simulations:,} simulations"
        holds = report(title, "simulations per CPU second", found, ratios) and holds
    if not holds:
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
