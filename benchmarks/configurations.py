"""Every kind of search beside plain PUCT and OpenSpiel's searches: Connect Four, 9×9, 19×19 Go.

    python benchmarks/configurations.py [--game connect_four] [--rounds 5]

Simulations per second of processor time from the first position, value 0 and equal priors inside
the core, so that what is timed is the search alone; a fresh tree each. OpenSpiel's Python search
gets the same evaluator, written in Python. RAVE and GRAVE live on playouts, so they are timed with
a rollout a leaf, beside UCT with the same and OpenSpiel's C++ search, whose only evaluator from
Python is the rollout.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import numpy as np
import typer
from _measure import in_turn, quotients, report

import honte.presets
from honte.evaluation import Evaluator, Rollout, Uniform
from honte.games import ConnectFour, Go
from honte.search import Search, SearchConfig
from honte.search.config import (
    Backup,
    Expansion,
    Gumbel,
    GumbelDecision,
    PolynomialPuct,
    ProgressiveWidening,
    Puct,
    RootNoise,
    Spread,
    Ucb1,
    UctLikePuct,
)

PLAIN, PLAYOUTS = "PUCT", "UCT, rollouts"
CONFIGURATIONS: dict[str, tuple[SearchConfig, Evaluator]] = {
    PLAIN: (SearchConfig(), Uniform()),
    "growing c_puct": (SearchConfig(selection=Puct(c_log=1.0)), Uniform()),
    "variance-scaled c_puct": (SearchConfig(selection=Puct(spread=Spread())), Uniform()),
    "polynomial PUCT": (SearchConfig(selection=PolynomialPuct()), Uniform()),
    "UCT-like PUCT": (SearchConfig(selection=UctLikePuct()), Uniform()),
    "UCB1": (SearchConfig(selection=Ucb1()), Uniform()),
    "Gumbel": (SearchConfig(selection=Gumbel(), decision=GumbelDecision()), Uniform()),
    "root noise": (SearchConfig(expansion=Expansion(root_noise=RootNoise())), Uniform()),
    "progressive widening": (
        SearchConfig(expansion=Expansion(progressive_widening=ProgressiveWidening())),
        Uniform(),
    ),
    "threshold 40": (SearchConfig(expansion=Expansion(threshold=40)), Uniform()),
    "solver": (SearchConfig(backup=Backup(solver=True)), Uniform()),
    "KataGo's": (honte.presets.katago(), Uniform()),
    PLAYOUTS: (honte.presets.uct(), Rollout()),
    "RAVE": (honte.presets.rave(), Rollout()),
    "GRAVE": (honte.presets.grave(), Rollout()),
}
GAMES: dict[str, tuple[Any, str]] = {
    "connect_four": (ConnectFour(), "connect_four"),
    "go_9": (Go(9, komi=7.5), "go(board_size=9,komi=7.5)"),
    "go_19": (Go(19, komi=7.5), "go(board_size=19,komi=7.5)"),
}
IN_PYTHON, IN_PYTHON_ROLLOUTS = "OpenSpiel's Python", "OpenSpiel's Python, rollouts"
IN_CPP_ROLLOUTS = "OpenSpiel's C++, rollouts"
QUIET_CONNECT_FOUR = 3_000_000


def honte_rate(state: Any, config: SearchConfig, evaluator: Evaluator, simulations: int) -> float:
    begin = time.process_time()
    Search(state, config, evaluator, seed=1).run(simulations=simulations)
    return simulations / (time.process_time() - begin)


def mean_depth(state: Any, config: SearchConfig, evaluator: Evaluator) -> float:
    """Actions from the root to the leaf of a simulation, over 10,000 of them: a search that goes
    deeper walks and backs up more in each."""
    search = Search(state, config, evaluator, seed=1)
    search.run(simulations=10_000)
    steps, nodes = 0, [search.root]
    while nodes:
        for edge in nodes.pop().edges():
            steps += edge.n
            if edge.child is not None:
                nodes.append(edge.child)
    return steps / search.root.n


def open_spiel_runs(name: str, simulations: int) -> dict[str, Callable[[], float]]:
    """OpenSpiel's searches of the same game, at their own pace."""
    import pyspiel
    from open_spiel.python.algorithms import mcts

    game = pyspiel.load_game(name)
    state = game.new_initial_state()

    class PythonIgnorance(mcts.Evaluator):  # type: ignore[misc]
        def evaluate(self, state: Any) -> np.ndarray:
            return np.zeros(2)

        def prior(self, state: Any) -> list[tuple[int, float]]:
            actions = state.legal_actions()
            return [(action, 1.0 / len(actions)) for action in actions]

    def timed(bot: Any, count: int) -> float:
        begin = time.process_time()
        bot.mcts_search(state)
        return count / (time.process_time() - begin)

    few = max(100, simulations // 500)
    puct, uct = mcts.SearchNode.puct_value, mcts.SearchNode.uct_value

    def in_python(evaluator: Any, formula: Any, count: int) -> float:
        bot = mcts.MCTSBot(game, 1.5, count, evaluator, solve=False, child_selection_fn=formula)
        return timed(bot, count)

    def in_cpp() -> float:
        evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
        count = max(200, simulations // 20)
        return timed(pyspiel.MCTSBot(game, evaluator, 1.5, count, 4000, False, 1, False), count)

    rollouts = mcts.RandomRolloutEvaluator(1, np.random.RandomState(1))
    return {
        IN_PYTHON: lambda: in_python(PythonIgnorance(), puct, few),
        IN_PYTHON_ROLLOUTS: lambda: in_python(rollouts, uct, max(20, few // 10)),
        IN_CPP_ROLLOUTS: in_cpp,
    }


def main(
    game: Annotated[str | None, typer.Option(help=f"One of {', '.join(GAMES)}.")] = None,
    rounds: Annotated[int, typer.Option(help="Runs of each.")] = 5,
    simulations: Annotated[int, typer.Option(help="Simulations of a search.")] = 200_000,
) -> None:
    """Time each in turn, game by game; ratios are round by round."""
    holds = True
    for name in GAMES if game is None else [game]:
        ours, theirs = GAMES[name]
        state = ours.new_initial_state()
        count = simulations if name == "connect_four" else simulations // 4
        runs: dict[str, Callable[[], float]] = {}
        for kind, (config, evaluator) in CONFIGURATIONS.items():
            slower = 10 if name == "go_19" and isinstance(evaluator, Rollout) else 1
            runs[kind] = partial(honte_rate, state, config, evaluator, count // slower)
        runs |= open_spiel_runs(theirs, count)
        found = in_turn(runs, rounds)
        ratios: list[tuple[str, list[float], float | None]] = []
        for kind, (_, evaluator) in CONFIGURATIONS.items():
            inside = isinstance(evaluator, Uniform)
            plain, peer = (PLAIN, IN_PYTHON) if inside else (PLAYOUTS, IN_PYTHON_ROLLOUTS)
            if kind != plain:
                ratios.append((f"of {kind} to {plain}", quotients(found[kind], found[plain]), 0.5))
            ratios.append((f"of {kind} to {peer}", quotients(found[kind], found[peer]), 10.0))
        in_cpp = quotients(found[PLAYOUTS], found[IN_CPP_ROLLOUTS])
        ratios.append((f"of {PLAYOUTS} to {IN_CPP_ROLLOUTS}", in_cpp, None))
        if name == "connect_four":
            quiet = [rate / QUIET_CONNECT_FOUR for rate in found[PLAIN]]
            ratios.append((f"of PUCT to {QUIET_CONNECT_FOUR:,} a second", quiet, 1.0))
        depths = {kind: mean_depth(state, *made) for kind, made in CONFIGURATIONS.items()}
        for kind, (_, evaluator) in CONFIGURATIONS.items():
            plain = PLAIN if isinstance(evaluator, Uniform) else PLAYOUTS
            if depths[kind] > 1.5 * depths[plain]:
                deeper = depths[kind] / depths[plain]
                a_step = [deeper * ratio for ratio in quotients(found[kind], found[plain])]
                to = f"to {plain}, step by step: it goes {deeper:.1f} times as deep"
                ratios.append((f"of {kind} {to}", a_step, None))
        holds = report(name, "simulations per CPU second", found, ratios) and holds
    if not holds:
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
