"""Visits a second against KataGo: same network file, same positions, same number of visits.

    python benchmarks/against_katago.py --katago PATH --network FILE [--size 19]

One position is searched at a time, from nothing, with empty caches, by each engine in turn.
KataGo's number of threads is the best of a few, found first. Every round is one position of a
game; its ratio compares the two searches of it, one after the other. The second ratio counts
each process's processor time in place of the clock, which other programs do not change.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from _katago import KataGo
from _measure import console, in_turn, quotients, report
from _positions import game_positions

from honte import presets
from honte.evaluation import NetworkEvaluator
from honte.networks.backends import Precision
from honte.search import EvaluationCache, Search
from honte.search.config import Parallelism

CLAIMS = {19: 1.8, 9: 2.5}


def main(
    katago: Annotated[Path, typer.Option(help="The KataGo program.")],
    network: Annotated[Path, typer.Option(help="A KataGo network.")],
    size: Annotated[int, typer.Option(help="Width and height of the board.")] = 19,
    visits: Annotated[int, typer.Option(help="Visits of one search.")] = 800,
    rounds: Annotated[int, typer.Option(help="Positions.")] = 7,
    threads: Annotated[
        list[int] | None, typer.Option(help="KataGo's threads; several: the best is found first.")
    ] = None,
    batch_size: Annotated[int | None, typer.Option(help="honte's leaves a batch.")] = None,
    precision: Annotated[Precision | None, typer.Option(help="honte's; default: the best.")] = None,
) -> None:
    """Search the same positions with both."""
    evaluator = NetworkEvaluator(network, batch_size=batch_size, precision=precision)
    evaluator.warm_up((size, size))
    config = presets.katago().replace(
        parallelism=Parallelism(batches_in_flight=evaluator.streams + 1)
    )
    positions = game_positions(evaluator, size, rounds)
    console.print(f"honte: {evaluator.describe()}")
    best = best_threads(katago, network, positions[0], visits, size, threads or [1, 2, 3, 4])

    spent: dict[str, list[float]] = {"honte": [], "KataGo": []}

    def honte(state: object) -> float:
        cache = EvaluationCache(1 << 16)
        begin = time.process_time()
        result = Search(state, config, evaluator, cache=cache).run(visits=visits)
        spent["honte"].append(result.visits / (time.process_time() - begin))
        return result.visits / result.seconds

    with KataGo(katago, network, size=size, threads=best) as engine:

        def peer(state: object) -> float:
            begin = engine.processor_seconds()
            searched, seconds = engine.search(state, visits)
            spent["KataGo"].append(searched / (engine.processor_seconds() - begin))
            return searched / seconds

        peer(positions[0])
        honte(positions[0])
        for speeds in spent.values():
            speeds.clear()
        mine, theirs = iter(positions), iter(positions)
        name = f"KataGo, {best} threads"
        found = in_turn(
            {"honte": lambda: honte(next(mine)), name: lambda: peer(next(theirs))}, rounds
        )
    ratios = [
        ("of honte to KataGo", quotients(found["honte"], found[name]), CLAIMS.get(size)),
        ("by processor time", quotients(spent["honte"], spent["KataGo"]), None),
    ]
    title = f"{network.name}, {size}×{size}, {visits} visits"
    if not report(title, "visits per second", found, ratios):
        raise typer.Exit(1)


def best_threads(
    katago: Path, network: Path, state: object, visits: int, size: int, candidates: list[int]
) -> int:
    """The number of threads with which KataGo is fastest, by the better of two searches."""
    if len(candidates) == 1:
        return candidates[0]
    speeds = {}
    for threads in candidates:
        with KataGo(katago, network, size=size, threads=threads) as engine:
            engine.search(state, visits // 4)
            runs = [engine.search(state, visits) for _ in range(2)]
        speeds[threads] = max(searched / seconds for searched, seconds in runs)
        console.print(f"[dim]KataGo with {threads} threads: {speeds[threads]:.0f}[/dim]")
    return max(speeds, key=lambda threads: speeds[threads])


if __name__ == "__main__":
    typer.run(main)
