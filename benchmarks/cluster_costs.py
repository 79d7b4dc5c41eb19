"""What games cost that are played on many machines: bytes on the way, and the driver's time.

Figures for `honte lab scale` and docs/scaling.md. Times are of the processor, in all threads, so
that what else the machine does matters little.

    python benchmarks/cluster_costs.py
"""

from __future__ import annotations

import gzip
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import typer
from _measure import console, machine
from rich.table import Table

from honte.cluster import connect
from honte.cluster.cargo import packed, unpacked
from honte.cluster.desk import Deliver, Take
from honte.cluster.workforce import Workforce
from honte.evaluation import Evaluator, NetworkEvaluator, Uniform
from honte.lab.board_games import GameSpec
from honte.lab.openings import Opening
from honte.lab.reading import parse_player
from honte.lab.specs import MatchSpec
from honte.lab.store import Ending, Fixture, GameRow, Store
from honte.training.learner import Learner, OptimiserOptions, has_fast_bfloat16
from honte.training.zero.config import GameTable, NetworkTable, SelfPlayTable, TrainingTable
from honte.training.zero.game import open_game
from honte.training.zero.learning import draw_parts, export, loss, new_network
from honte.training.zero.replay import ZeroSamples
from honte.training.zero.self_play import GamePool, PlayedGame

MOVES = 210
"""Of a game on 19 × 19: the mean of AlphaGo Zero's."""
CORES = 2
BATCH = 128
NETWORK = NetworkTable(blocks=6, channels=96, pooled_channels=32, head_channels=32)


@dataclass(frozen=True)
class NoWork:
    """Gives back what it gets: what remains is the way there and back."""

    at_once: int = 16

    def bench(self) -> NoWork:
        return self

    def check(self) -> None:
        pass

    def work(self, take: Take, deliver: Deliver) -> None:
        while True:
            number = take(True)
            deliver(number, number)


def processor(work: Callable[[], object]) -> float:
    """Seconds of the processor."""
    began = time.process_time()
    work()
    return time.process_time() - began


def self_play_game(evaluator: Evaluator, visits: int, moves: int) -> PlayedGame:
    """A game whose every move is learnt from, or its first part."""
    game = open_game(GameTable(name="go", size=19))
    table = SelfPlayTable(
        games=1, at_once=1, visits=visits, fast_visits=visits, full_share=1.0, surprise_share=0.0,
        longest_game=moves,
    )  # fmt: skip
    numbers = iter([0])
    found: list[PlayedGame] = []
    GamePool(game, table, evaluator, seed=1).play(lambda: next(numbers, None), found.append)
    return found[0]


def store_game(folder: Path, games: int = 300) -> tuple[float, float, float]:
    """Bytes of a game of a match on 19 × 19 in its store; the store's time for one, at the wall:
    the median and nine tenths."""
    random = np.random.default_rng(0)
    path = folder / "match.sqlite"
    times = []
    with Store(path) as store:
        players = [parse_player(f"name={name};preset=uct;visits=9") for name in "ab"]
        store.begin(GameSpec(size=19), MatchSpec(), players)
        store.add_openings([Opening(number, (1, 2, 3, 4), 0.0) for number in range(games)])
        for number in range(games):
            actions = tuple(int(action) for action in random.integers(0, 361, MOVES))
            row = GameRow(Fixture("a", "b", number), actions, Ending.RULES, 1.0, 3.5)
            began = time.perf_counter()
            store.add(row)
            times.append(time.perf_counter() - began)
    times.sort()
    return path.stat().st_size / games, statistics.median(times), times[games * 9 // 10]


def driver_seconds(played: PlayedGame, folder: Path, games: int = 32) -> float:
    """The driver's processor time for a game of self-play: unpack, join, and write the round."""
    content = packed(played)

    def take_in() -> None:
        parts = [unpacked(content).samples for _ in range(games)]
        ZeroSamples.join(parts).save(folder / "games.npz")

    return processor(take_in) / games


def learnt_positions(samples: ZeroSamples, steps: int) -> float:
    """Positions that the learner trains on in a second of so many cores."""
    game = open_game(GameTable(name="go", size=19))
    training = TrainingTable(batch_size=BATCH, workers=CORES)
    learner = Learner(
        new_network(NETWORK, game),
        OptimiserOptions(learning_rate=1e-3, weight_decay=0.0, mean_decay=0.99, workers=CORES),
        lambda network, part: loss(network, part, training),
        autocast=has_fast_bfloat16(),
    )

    def learn(count: int) -> None:
        for step in range(count):
            learner.step(draw_parts(game, samples, BATCH, CORES, 0, step), 1e-3)

    learn(2)
    return CORES * steps * BATCH / processor(lambda: learn(steps))


def hand_out(jobs: int) -> tuple[float, float]:
    """The driver's processor time for a job that is no work, and how long one takes on a cluster
    of one process."""
    with connect("local") as cluster:
        workforce: Workforce[int, int] = Workforce(cluster, NoWork(), lambda number: number)
        workforce.open()
        numbers = iter(range(jobs))
        began = time.perf_counter()
        spent = processor(lambda: workforce.work(lambda: next(numbers, None), lambda number: True))
        seconds = time.perf_counter() - began
        workforce.close()
    return spent / jobs, seconds / jobs


def main(visits: int = 200, moves: int = 60, jobs: int = 5000, steps: int = 8) -> None:
    """Measure everything; ``visits`` and ``moves`` are of the game whose bytes are counted."""
    torch.set_num_threads(1)
    table = Table(title=machine())
    table.add_column("cost")
    table.add_column("value", justify="right")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        played = self_play_game(NetworkEvaluator("default"), visits, moves)
        positions = len(played.samples)
        wide = self_play_game(Uniform(), 1600, MOVES)
        for what, game in ((f"default network, {visits} visits", played), ("no network", wide)):
            scale = MOVES / len(game.samples) / 1000
            raw = sum(getattr(game.samples, f).nbytes for f in game.samples.__dataclass_fields__)
            table.add_row(f"a game on the way, kB ({what})", f"{len(packed(game)) * scale:.0f}")
            table.add_row(f"the same in the run's folder, kB ({what})", f"{raw * scale:.0f}")
        milliseconds = 1000 * driver_seconds(played, folder) * MOVES / positions
        table.add_row("the driver's time for it, ms of a processor", f"{milliseconds:.1f}")
        size, usual, slow = store_game(folder)
        table.add_row("a game of a match in its store, bytes", f"{size:.0f}")
        table.add_row("the store's time for it, ms: median", f"{1000 * usual:.2f}")
        table.add_row("… and nine tenths", f"{1000 * slow:.2f}")
        network = new_network(NETWORK, open_game(GameTable(name="go", size=19)))
        export(network, "network", folder / "network.bin.gz")
        # A new network has many zeros; one that has learnt hardly gets smaller by packing.
        size = len(gzip.decompress((folder / "network.bin.gz").read_bytes()))
        table.add_row("a network of 6 × 96, MB", f"{size / 1e6:.2f}")
        learnt = learnt_positions(played.samples, steps)
        table.add_row(f"positions learnt from in a second of {CORES} cores", f"{learnt:.0f}")
    spent, wall = hand_out(jobs)
    table.add_row(
        "the driver's time for a job of no work, ms of a processor", f"{1000 * spent:.3f}"
    )
    table.add_row("there and back in all, ms", f"{1000 * wall:.3f}")
    console.print(table)


if __name__ == "__main__":
    typer.run(main)
