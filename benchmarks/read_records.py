"""How fast records are read: megabytes a second, beside sgfmill and pysgf where installed.

    python benchmarks/read_records.py [--megabytes 50]

Reading finds every game and every branch; the nodes of a line are made when they are first asked
for, which the second figure includes for every node.
"""

from __future__ import annotations

import argparse
import importlib
import random
import statistics
import time
from collections.abc import Callable

from honte.records import GameRecord, loads_collection

MOVES_A_GAME = 220
ROUNDS = 3


def collection(megabytes: float) -> str:
    """A collection of games of random points, about as long as asked for."""
    source = random.Random(1)
    games: list[str] = []
    for _ in range(20):
        record = GameRecord(19, komi=7.5)
        node = record.root
        for turn in range(MOVES_A_GAME):
            node = node.add_variation((turn % 2, source.randrange(19 * 19)))
        games.append(record.dumps())
    once = "".join(games)
    return once * max(1, round(megabytes * 1e6 / len(once)))


def one_record(megabytes: float) -> str:
    """One game with a comment at each move and a variation at some."""
    move = ";B[pd]C[a comment (with parentheses) on this move, \\[escaped\\]];W[dp](;B[qq])(;B[cc]"
    count = max(1, round(megabytes * 1e6 / (len(move) + 1)))
    return "(;GM[1]SZ[19]" + move * count + ")" * (count + 1)


def speed(text: str | bytes, read: Callable[[str | bytes], object], rounds: int = ROUNDS) -> float:
    """Megabytes a second of processor time, the median of some rounds."""
    seconds = []
    for _ in range(rounds):
        start = time.process_time()
        read(text)
        seconds.append(time.process_time() - start)
    return len(text) / 1e6 / statistics.median(seconds)


def every_node(text: str | bytes) -> int:
    return sum(1 for game in loads_collection(text) for _ in game.root.walk())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=50.0)
    megabytes = parser.parse_args().megabytes
    for name, make in (("a collection", collection), ("one record", one_record)):
        text = make(megabytes).encode()
        print(f"{name} of {len(text) / 1e6:.0f} MB: {speed(text, loads_collection):.1f} MB/s read")
        part = make(megabytes / 10).encode()
        print(f"  every node made as well: {speed(part, every_node, 1):.1f} MB/s")
    one_game = collection(0.03).partition("\n(")[0]
    ours = speed(one_game, every_node)
    for module, name, read in (
        ("sgfmill.sgf", "sgfmill", lambda m: m.Sgf_game.from_string),
        ("pysgf", "pysgf", lambda m: m.GoGame.parse_sgf),
    ):
        try:
            peer = speed(one_game, read(importlib.import_module(module)))
        except ImportError:
            print(f"{name}: not installed")
            continue
        print(f"one game, every node: {ours:.2f} MB/s, {ours / peer:.1f} × {name}")


if __name__ == "__main__":
    main()
