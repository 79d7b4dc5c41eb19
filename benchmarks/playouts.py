"""Random playouts of 9×9 Go a second on one core, from the empty board.

    python benchmarks/playouts.py

Counted per second of processor time of this process, which a busy machine does not change.
"""

from __future__ import annotations

import time
from typing import Annotated

import typer
from _measure import in_turn, report

from honte.evaluation import Rollout
from honte.games.go import Go
from honte.search import Search, SearchConfig
from honte.search.config import Ucb1

CLAIM = 60_000


def main(
    size: Annotated[int, typer.Option(help="Width and height of the board.")] = 9,
    playouts: Annotated[int, typer.Option(help="Playouts a run.")] = 20_000,
    rounds: Annotated[int, typer.Option(help="Runs.")] = 5,
) -> None:
    """Time the playouts of one leaf: the root of a search with one simulation."""

    def run() -> float:
        search = Search(
            Go(size).new_initial_state(), SearchConfig(selection=Ucb1()), Rollout(playouts)
        )
        begin = time.process_time()
        search.run(simulations=1)
        return playouts / (time.process_time() - begin)

    found = in_turn({f"playouts from an empty {size}×{size} board": run}, rounds)
    values = next(iter(found.values()))
    claim = CLAIM if size == 9 else None
    ratio = [("to 60,000 a second", [value / CLAIM for value in values], claim and 1.0)]
    if not report("Random playouts", "playouts per CPU second", found, ratio):
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
