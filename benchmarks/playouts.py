"""Playouts of Go a second on one core, from the empty board: uniformly random, and by patterns.

    python benchmarks/playouts.py
    python benchmarks/playouts.py --size 19 --playouts 2000

Counted per second of processor time of this process, which a busy machine slows down by what its
cores share alone.
"""

from __future__ import annotations

import time
from typing import Annotated

import typer
from _measure import in_turn, quotients, report

from honte.evaluation import PatternPolicy, Rollout
from honte.games.go import Go
from honte.search import Search, SearchConfig
from honte.search.config import Ucb1

UNIFORM, PATTERNS = "uniformly random", "by the shipped policy of patterns"
CLAIMS = {UNIFORM: 60_000, PATTERNS: 30_000}


def main(
    size: Annotated[int, typer.Option(help="Width and height of the board.")] = 9,
    playouts: Annotated[int, typer.Option(help="Playouts a run.")] = 20_000,
    rounds: Annotated[int, typer.Option(help="Runs.")] = 5,
) -> None:
    """Time the playouts of one leaf: the root of a search with one simulation."""

    def speed(evaluator: Rollout) -> float:
        search = Search(Go(size).new_initial_state(), SearchConfig(selection=Ucb1()), evaluator)
        begin = time.process_time()
        search.run(simulations=1)
        return playouts / (time.process_time() - begin)

    evaluators = {
        UNIFORM: Rollout(playouts),
        PATTERNS: Rollout(playouts, PatternPolicy.shipped()),
    }
    found = in_turn(
        {name: lambda e=evaluator: speed(e) for name, evaluator in evaluators.items()}, rounds
    )
    ratios = [
        (
            f"of playouts {name} to {claim:,} a second",
            [value / claim for value in found[name]],
            1.0 if size == 9 else None,
        )
        for name, claim in CLAIMS.items()
    ]
    ratios.append(("of patterns to uniform", quotients(found[PATTERNS], found[UNIFORM]), None))
    if not report(f"Playouts from an empty {size}×{size} board", "a CPU second", found, ratios):
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
