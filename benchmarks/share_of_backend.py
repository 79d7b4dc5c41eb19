"""How much of the backend's own speed the search reaches.

    python benchmarks/share_of_backend.py --network FILE [--size 19]

The backend alone: its streams kept busy with batches of the same size and nothing else. The
search: evaluations a second of one tree on positions of a game, selection, feature encoding and
backup included. Runs in turn; each ratio compares neighbours in time. The second ratio counts
processor time in place of the clock, which other programs on the machine do not change; it
leaves out what the streams wait for.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from _measure import console, in_turn, kept_by_processor, quotients, report
from _positions import game_positions

from honte import presets
from honte.evaluation import NetworkEvaluator
from honte.networks.backends import Precision, batches_per_second
from honte.search import Search
from honte.search.config import Parallelism

CLAIM = 0.95
ALONE, SEARCH = "backend alone", "search"


def main(
    network: Annotated[Path, typer.Option(help="A KataGo network.")],
    size: Annotated[int, typer.Option(help="Width and height of the board.")] = 19,
    batch_size: Annotated[int | None, typer.Option(help="Leaves a batch.")] = None,
    batches_in_flight: Annotated[int | None, typer.Option(help="Default: streams + 1.")] = None,
    streams: Annotated[int | None, typer.Option(help="Default: one a core.")] = None,
    precision: Annotated[Precision | None, typer.Option(help="Default: the machine's.")] = None,
    seconds: Annotated[float, typer.Option(help="Length of one run.")] = 4.0,
    rounds: Annotated[int, typer.Option(help="Runs of each.")] = 7,
) -> None:
    """Time the backend and the search in turn."""
    evaluator = NetworkEvaluator(
        network, batch_size=batch_size, streams=streams, precision=precision
    )
    rows = evaluator.preferred_batch_size
    in_flight = batches_in_flight or evaluator.streams + 1
    config = presets.katago().replace(
        parallelism=Parallelism(batch_size=rows, batches_in_flight=in_flight)
    )
    evaluator.warm_up((size, size))
    positions = game_positions(evaluator, size, rounds)
    console.print(f"{evaluator.describe()}, {in_flight} in flight, {size}×{size}")
    model, shapes = evaluator.network.model(), evaluator.input_shapes(rows, (size, size))
    clocks: dict[str, list[float]] = {ALONE: [], SEARCH: []}

    def alone() -> float:
        batches = batches_per_second(
            evaluator.backend, model, shapes, evaluator.network.name, seconds=seconds
        )
        return batches * rows

    turn = iter(positions)

    def search() -> float:
        result = Search(next(turn), config, evaluator).run(seconds=seconds)
        return result.evaluations / result.seconds

    found = in_turn(
        {
            ALONE: kept_by_processor(alone, clocks[ALONE]),
            SEARCH: kept_by_processor(search, clocks[SEARCH]),
        },
        rounds,
    )
    ratios = [
        ("of search to backend", quotients(found[SEARCH], found[ALONE]), CLAIM),
        ("by processor time", quotients(clocks[SEARCH], clocks[ALONE]), None),
    ]
    if not report(f"{size}×{size}, batches of {rows}", "evaluations per second", found, ratios):
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
