"""``honte benchmark``: what this machine does with a network, or without one."""

from __future__ import annotations

import platform
import time
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from honte.errors import HonteError

if TYPE_CHECKING:
    from honte.evaluation import NetworkEvaluator

Kind = TypeVar("Kind", bound=Enum)

BATCH_SIZES = (1, 2, 4, 8, 16)
ROLLOUTS = 2_000


def benchmark(
    network: Annotated[
        Path | None, typer.Option(help="A KataGo network; without one, the search alone.")
    ] = None,
    size: Annotated[int, typer.Option(help="Width and height of the board.", min=2, max=25)] = 19,
    visits: Annotated[int, typer.Option(help="Visits of the search.", min=1)] = 800,
    backend: Annotated[
        str, typer.Option(help="openvino, onnxruntime, automatic, or measured, which times each.")
    ] = "automatic",
    precision: Annotated[
        str | None,
        typer.Option(help="float32 or bfloat16; default: the machine's best."),
    ] = None,
    streams: Annotated[
        int | None, typer.Option(help="Batches at once; default: one a core.", min=1)
    ] = None,
    seconds: Annotated[float, typer.Option(help="Length of each measurement.", min=0.05)] = 1.0,
) -> None:
    """Say how fast this machine searches, and what honte chooses on it."""
    from honte import __version__
    from honte.networks.backends import BackendKind, Precision
    from honte.networks.backends.cores import usable_cores

    kind = _chosen(BackendKind, backend, "--backend")
    arithmetic = None if precision is None else _chosen(Precision, precision, "--precision")
    typer.echo(
        f"honte {__version__}, Python {platform.python_version()}, {platform.system()} "
        f"{platform.machine()}, {usable_cores()} cores"
    )
    if network is None:
        _without_network(size, visits)
        return
    from honte.evaluation import NetworkEvaluator

    evaluator = NetworkEvaluator(network, backend=kind, precision=arithmetic, streams=streams)
    typer.echo(evaluator.describe())
    _backend_table(evaluator, size, seconds)
    _search(evaluator, size, visits)


def _chosen(kinds: type[Kind], name: str, option: str) -> Kind:
    try:
        return kinds(name.lower())
    except ValueError:
        known = ", ".join(str(kind.value) for kind in kinds)
        raise HonteError(f"{option} is one of {known}, not {name!r}.") from None


def _without_network(size: int, visits: int) -> None:
    from honte.evaluation import Rollout, Uniform
    from honte.games.go import Go
    from honte.search import Search

    state = Go(size).new_initial_state()
    begin = time.perf_counter()
    Search(state, evaluator=Rollout(ROLLOUTS)).run(simulations=1)
    playouts = ROLLOUTS / (time.perf_counter() - begin)
    typer.echo(f"{size}×{size}: {playouts:,.0f} random playouts a second on one core")
    result = Search(state, evaluator=Uniform()).run(visits=visits)
    speed = result.visits / result.seconds
    typer.echo(f"search without evaluation: {speed:,.0f} visits a second on one core")
    typer.echo("Give a network with --network FILE to measure it too.")


def _backend_table(evaluator: NetworkEvaluator, size: int, seconds: float) -> None:
    """Evaluations a second by batch size, on one stream and on all."""
    from rich.console import Console
    from rich.table import Table

    from honte.networks.backends import batches_per_second, open_backend
    from honte.networks.backends.base import BackendOptions

    chosen = evaluator.backend
    model = evaluator.network.model()
    table = Table(title=f"evaluations a second, {size}×{size}", title_justify="left")
    table.add_column("streams", justify="right")
    for rows in BATCH_SIZES:
        table.add_column(f"batch {rows}", justify="right")
    for streams in sorted({1, chosen.streams}):
        backend = open_backend(
            BackendOptions(chosen.kind, chosen.device, chosen.precision, streams)
        )
        speeds = [
            rows
            * batches_per_second(
                backend,
                model,
                evaluator.input_shapes(rows, (size, size)),
                evaluator.network.name,
                seconds=seconds,
            )
            for rows in BATCH_SIZES
        ]
        table.add_row(str(streams), *(f"{speed:,.0f}" for speed in speeds))
    Console().print(table)


def _search(evaluator: NetworkEvaluator, size: int, visits: int) -> None:
    from honte import presets
    from honte.games.go import Go
    from honte.search import Search
    from honte.search.config import Parallelism

    in_flight = evaluator.streams + 1
    config = presets.katago().replace(parallelism=Parallelism(batches_in_flight=in_flight))
    evaluator.warm_up((size, size))
    result = Search(Go(size).new_initial_state(), config, evaluator).run(visits=visits)
    typer.echo(
        f"search: {result.visits / result.seconds:,.0f} visits a second over {visits} visits, "
        f"batches of {evaluator.preferred_batch_size}, {in_flight} in flight"
    )
