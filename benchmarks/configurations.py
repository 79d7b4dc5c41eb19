"""Every kind of search beside plain PUCT and OpenSpiel's searches: Connect Four, 9×9, 19×19 Go.

    python benchmarks/configurations.py [--game connect_four] [--rounds 5]

Simulations per second of processor time from the first position, a fresh tree each, and whoever
is compared answers its leaves alike, in three ways: with value 0 and equal priors inside the core,
so that what is timed is the search alone; with priors and a value that differ from leaf to leaf as
a network's do, drawn at random before and answered from Python on batches; and with a random
playout a leaf. OpenSpiel's Python search gets all three; its C++ search takes only playouts from
Python. RAVE and GRAVE learn from the actions of playouts and are compared with those alone.

With value 0 everywhere a search goes as deep as its rules for unvisited actions tell it, and each
step more costs a choice and a backup: "a step" multiplies the ratio to plain PUCT by how much
deeper a simulation went. Where answers differ, most searches go about as deep as each other.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np
import typer
from _measure import Spread, console, in_turn, machine, quotients, short
from rich.table import Table

from honte import presets
from honte.evaluation import Evaluation, Evaluator, LeafBatch, Rollout, Uniform
from honte.games import ConnectFour, Go
from honte.search import Search, SearchConfig, TreeNode
from honte.search.config import (
    Backup,
    Expansion,
    Grave,
    Parallelism,
    PolynomialPuct,
    ProgressiveWidening,
    Puct,
    RootNoise,
    ScoreUtility,
    Ucb1,
    UctLikePuct,
)
from honte.search.config import Spread as ValueSpread

PLAIN = "PUCT"
CONFIGURATIONS: dict[str, SearchConfig] = {
    PLAIN: SearchConfig(),
    "growing c_puct": SearchConfig(selection=Puct(c_log=1.0)),
    "variance-scaled c_puct": SearchConfig(selection=Puct(spread=ValueSpread())),
    "polynomial PUCT": SearchConfig(selection=PolynomialPuct()),
    "UCT-like PUCT": SearchConfig(selection=UctLikePuct()),
    "UCB1": SearchConfig(selection=Ucb1()),
    "root noise": SearchConfig(expansion=Expansion(root_noise=RootNoise())),
    "progressive widening": SearchConfig(
        expansion=Expansion(progressive_widening=ProgressiveWidening())
    ),
    "threshold 40": SearchConfig(expansion=Expansion(threshold=40)),
    "solver": SearchConfig(backup=Backup(solver=True)),
    "score utility": SearchConfig(backup=Backup(score_utility=ScoreUtility())),
    "value-weighted children": SearchConfig(backup=Backup(value_weight_exponent=0.25)),
    "RAVE": presets.rave(),
    "GRAVE": SearchConfig(selection=Grave()),
    "preset alphago_master": presets.alphago_master(),
    "preset alphago_zero": presets.alphago_zero(self_play=True),
    "preset alphazero": presets.alphazero(self_play=True),
    "preset leela_zero": presets.leela_zero(),
    "preset gumbel_alphazero": presets.gumbel_alphazero(),
    "transpositions": SearchConfig(backup=Backup(transpositions=True)),
    "preset katago": presets.katago(),
}
ON_PLAYOUTS = {"RAVE", "GRAVE"}
LEAST_OF_PLAIN, LEAST_OF_PYTHON = 0.5, 10.0
IN_PYTHON, IN_CPP = "OpenSpiel, Python", "OpenSpiel, C++"
CONNECT_FOUR_CLAIM, CONNECT_FOUR_SIMULATIONS = 3_000_000, 5_000


class Drawn:
    """Answers like a network's, drawn before: normal logits, and values spread around 0."""

    POOL, LOGITS, VALUES = 512, 2.5, 0.3

    def __init__(self, num_actions: int) -> None:
        random = np.random.default_rng(1)
        self.logits = random.normal(0, self.LOGITS, (self.POOL, num_actions)).astype(np.float32)
        self.values = np.clip(random.normal(0, self.VALUES, self.POOL), -1, 1).astype(np.float32)
        self._next = 0

    def place(self, count: int) -> int:
        """Where the next so many answers begin, one after the other in the pool."""
        if self._next + count > self.POOL:
            self._next = 0
        self._next += count
        return self._next - count

    def __call__(self, batch: LeafBatch) -> Evaluation:
        place = self.place(batch.size)
        rows = slice(place, place + batch.size)
        return Evaluation(value=self.values[rows], policy_logits=self.logits[rows])


BATCHES = Parallelism(batch_size=64, batches_in_flight=1)


@dataclass(frozen=True)
class Arena:
    """A game in honte and in OpenSpiel, and how many simulations fill a fraction of a second."""

    ours: Any
    theirs: str
    simulations: int
    drawn: int
    playouts: int


GAMES = {
    "connect_four": Arena(ConnectFour(), "connect_four", 200_000, 100_000, 100_000),
    "go_9": Arena(Go(9, komi=7.5), "go(board_size=9,komi=7.5)", 50_000, 30_000, 8_000),
    "go_19": Arena(Go(19, komi=7.5), "go(board_size=19,komi=7.5)", 50_000, 20_000, 2_000),
}


def honte_rate(state: Any, config: SearchConfig, evaluator: Evaluator, simulations: int) -> float:
    config = config.model_copy(update={"parallelism": BATCHES})
    begin = time.process_time()
    Search(state, config, evaluator, seed=1).run(simulations=simulations)
    return simulations / (time.process_time() - begin)


def mean_depth(state: Any, config: SearchConfig, evaluator: Evaluator, simulations: int) -> float:
    """Actions from the root to the leaf of a simulation, over 300 drawn from all that were made."""
    config = config.model_copy(update={"parallelism": BATCHES})
    search = Search(state, config, evaluator, seed=1)
    search.run(simulations=simulations)
    random, drawn, steps = np.random.default_rng(1), 300, 0
    for _ in range(drawn):
        node = search.root
        while node is not None:
            node = next_on_the_way(node, int(random.integers(node.n)))
            steps += node is not None
    return steps / drawn


def next_on_the_way(node: TreeNode, one: int) -> TreeNode | None:
    """Where visit number ``one`` of a node went; None if it ended there."""
    for edge in node.edges():
        one -= edge.n
        if one < 0:
            return edge.child
    return None


def open_spiel_runs(name: str, count: int, evaluator: Evaluator) -> dict[str, Callable[[], float]]:
    """OpenSpiel's searches of the same game, at their own pace."""
    import pyspiel
    from open_spiel.python.algorithms import mcts

    game = pyspiel.load_game(name)
    state = game.new_initial_state()

    playouts = isinstance(evaluator, Rollout)

    class Ignorance(mcts.Evaluator):  # type: ignore[misc]
        def evaluate(self, state: Any) -> np.ndarray:
            return np.zeros(2)

        def prior(self, state: Any) -> list[tuple[int, float]]:
            actions = state.legal_actions()
            return [(action, 1.0 / len(actions)) for action in actions]

    class OneByOne(mcts.Evaluator):  # type: ignore[misc]
        """The drawn answers, softmax and all, for one position at a time."""

        def evaluate(self, state: Any) -> np.ndarray:
            value = evaluator.values[evaluator.place(1)]
            return np.array([value, -value])

        def prior(self, state: Any) -> list[tuple[int, float]]:
            actions = state.legal_actions()
            weights = np.exp(evaluator.logits[evaluator.place(1)][actions])
            return list(zip(actions, weights / weights.sum(), strict=True))

    simple = OneByOne() if isinstance(evaluator, Drawn) else Ignorance()

    def timed(bot: Any, simulations: int) -> float:
        begin = time.process_time()
        bot.mcts_search(state)
        return simulations / (time.process_time() - begin)

    def in_python() -> float:
        few = max(30, count // 500)
        rollouts = mcts.RandomRolloutEvaluator(1, np.random.RandomState(1))
        bot = mcts.MCTSBot(
            game, 1.5, few, rollouts if playouts else simple, solve=False,
            child_selection_fn=mcts.SearchNode.puct_value,
        )  # fmt: skip
        return timed(bot, few)

    def in_cpp() -> float:
        few = max(200, count // 20)
        rollouts = pyspiel.RandomRolloutEvaluator(1, 1)
        policy = pyspiel.ChildSelectionPolicy.PUCT
        bot = pyspiel.MCTSBot(game, rollouts, 1.5, few, 4000, False, 1, False, policy)
        return timed(bot, few)

    return {IN_PYTHON: in_python} | ({IN_CPP: in_cpp} if playouts else {})


def compare(name: str, evaluator: Evaluator, rounds: int) -> list[str]:
    """Print the table of one game and evaluator; what misses its claim."""
    arena = GAMES[name]
    state = arena.ours.new_initial_state()
    playouts = isinstance(evaluator, Rollout)
    drawn = isinstance(evaluator, Drawn)
    count = arena.playouts if playouts else arena.drawn if drawn else arena.simulations
    configurations = {
        kind: config
        for kind, config in CONFIGURATIONS.items()
        if playouts or kind not in ON_PLAYOUTS
    }
    runs: dict[str, Callable[[], float]] = {
        kind: partial(honte_rate, state, config, evaluator, count)
        for kind, config in configurations.items()
    }
    found = in_turn(runs | open_spiel_runs(arena.theirs, count, evaluator), rounds)
    depths = {
        kind: mean_depth(state, config, evaluator, count) for kind, config in configurations.items()
    }
    leaves = "drawn answers" if drawn else "value 0 and equal priors"
    leaves = "a playout a leaf" if playouts else leaves
    table = Table(title=f"{name}, {leaves}", caption=machine(), title_justify="left")
    table.add_column("")
    for heading in ("simulations/CPU s", "depth", "of PUCT", "a step", f"of {IN_PYTHON}"):
        table.add_column(heading, justify="right")
    table.add_column(f"of {IN_CPP}" if playouts else "", justify="right")
    missed = []
    for kind, rates in found.items():
        if kind not in CONFIGURATIONS:
            table.add_row(kind, short(Spread.of(rates).median))
            continue
        of_plain = Spread.of(quotients(rates, found[PLAIN])).median
        of_python = Spread.of(quotients(rates, found[IN_PYTHON])).median
        of_cpp = Spread.of(quotients(rates, found[IN_CPP])).median if playouts else None
        for ratio, least, whom in (
            (of_plain, LEAST_OF_PLAIN, PLAIN),
            (of_python, LEAST_OF_PYTHON, IN_PYTHON),
        ):
            if ratio < least:
                missed.append(f"{name}, {leaves}: {kind} is {short(ratio)} of {whom}")
        table.add_row(
            kind,
            short(Spread.of(rates).median),
            f"{depths[kind]:.1f}",
            f"{of_plain:.2f}",
            f"{of_plain * depths[kind] / depths[PLAIN]:.2f}",
            f"{of_python:.1f}",
            "" if of_cpp is None else f"{of_cpp:.2f}",
        )
    console.print(table)
    return missed


def connect_four_alone(rounds: int) -> list[str]:
    """Plain PUCT on Connect Four with the evaluator in the core, as long as a move's search."""
    state, evaluator = ConnectFour().new_initial_state(), Uniform()
    rates, searches = [], 40
    for _ in range(rounds):
        seconds = 0.0
        for seed in range(searches):  # one after the other, as a game's moves are
            search = Search(state, SearchConfig(), evaluator, seed=seed)
            begin = time.process_time()
            search.run(simulations=CONNECT_FOUR_SIMULATIONS)
            seconds += time.process_time() - begin
        rates.append(searches * CONNECT_FOUR_SIMULATIONS / seconds)
    spread = Spread.of(rates)
    said = f"PUCT on Connect Four, {CONNECT_FOUR_SIMULATIONS:,} simulations a search: {spread}"
    console.print(f"{said} a CPU second; claimed {CONNECT_FOUR_CLAIM:,}", highlight=False)
    return [said] if spread.median < CONNECT_FOUR_CLAIM else []


def main(
    game: Annotated[str | None, typer.Option(help=f"One of {', '.join(GAMES)}.")] = None,
    rounds: Annotated[int, typer.Option(help="Runs of each.")] = 5,
) -> None:
    """Time each in turn, game by game; ratios are medians of round by round."""
    missed = []
    for name in GAMES if game is None else [game]:
        drawn = Drawn(GAMES[name].ours.new_initial_state().num_distinct_actions())
        for evaluator in (Uniform(), drawn, Rollout()):
            missed += compare(name, evaluator, rounds)
    if game in (None, "connect_four"):
        missed += connect_four_alone(rounds)
    console.print(
        f"Claimed of every configuration: at least {LEAST_OF_PLAIN} of {PLAIN} and "
        f"{LEAST_OF_PYTHON:.0f} times {IN_PYTHON}. Missed: {len(missed)}."
    )
    for line in missed:
        console.print(f"  {line}", highlight=False)
    if missed:
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
