"""``honte analyze``: where a game was won and lost."""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from honte.errors import HonteError

if TYPE_CHECKING:
    from honte.cli.reviewed import ReviewedGame
    from honte.evaluation import Evaluator
    from honte.games.go import Rules
    from honte.records import GameRecord
    from honte.search import SearchConfig

STANDARD_INPUT = "-"
NO_NETWORK = "none"
_SUFFIXES = (".sgf", ".gib", ".ngf", ".sgf.gz", ".sgf.xz")


def analyze(
    games: Annotated[
        list[str], typer.Argument(help="SGF, GIB or NGF files, folders of them, or - for stdin.")
    ],
    visits: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Visits for each position; 100, or 5000 of random playouts.",
            show_default=False,
        ),
    ] = None,
    network: Annotated[
        str,
        typer.Option(help="A KataGo or ONNX network file, a shipped one, or none: playouts."),
    ] = "default",
    rules: Annotated[
        str | None, typer.Option(help="Rules by name or as JSON; else those of the record.")
    ] = None,
    komi: Annotated[float | None, typer.Option(help="Komi; else that of the record.")] = None,
    turns: Annotated[
        str | None, typer.Option(help="Turns to analyse, as in 0-40,78 (the turn before move 79).")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the analysis as JSON (- for stdout).")
    ] = None,
    csv_file: Annotated[
        Path | None, typer.Option("--csv", help="Write a row a move (- for stdout).")
    ] = None,
    html_file: Annotated[
        Path | None, typer.Option("--html", help="Write a report that opens in any browser.")
    ] = None,
    sgf_file: Annotated[
        Path | None, typer.Option("--sgf", help="Write the games with comments and variations.")
    ] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, help="Threads; as many as there are cores.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same analysis.")] = 0,
) -> None:
    """Search every position of a game and show what each move cost."""
    from honte.cli import outputs
    from honte.games.go import Rules

    if komi is not None and not math.isfinite(komi):
        raise HonteError(f"Komi is a number of points, not {komi}.")
    chosen_rules = None if rules is None else Rules.parse(rules)
    sources = _read(games)
    wanted = outputs.Files(json_file, csv_file, html_file, sgf_file)
    wanted.check([source.path for source in sources])
    engine = _engine(network, threads, ownership=html_file is not None)
    wishes = _Wishes(visits or engine.visits, chosen_rules, komi, turns, seed)
    reviewed = [_review(source, engine, wishes, place) for place, source in _places(sources)]
    if not wanted.use_stdout:
        outputs.print_tables(reviewed)
    wanted.write(reviewed)


@dataclass(frozen=True, slots=True)
class _Source:
    """A record and the file it is from."""

    record: GameRecord
    path: str


@dataclass(frozen=True, slots=True)
class _Engine:
    evaluator: Evaluator
    config: SearchConfig
    name: str
    threads: int
    visits: int
    """For each position, where none are asked for."""


@dataclass(frozen=True, slots=True)
class _Wishes:
    visits: int
    rules: Rules | None
    komi: float | None
    turns: str | None
    seed: int


def _read(given: list[str]) -> list[_Source]:
    from honte.records import load_collection, loads_collection

    sources: list[_Source] = []
    for name in given:
        if name == STANDARD_INPUT:
            found = loads_collection(sys.stdin.buffer.read())
            sources += [_Source(record, "standard input") for record in found]
            continue
        for path in _files(Path(name)):
            sources += [_Source(record, str(path)) for record in load_collection(path)]
    for source in sources:
        for warning in source.record.warnings:
            print(f"{source.path}: {warning}", file=sys.stderr)
    return sources


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    found = sorted(p for p in path.rglob("*") if p.is_file() and p.name.lower().endswith(_SUFFIXES))
    if not found:
        raise HonteError(f"The folder {path} holds no game records (.sgf, .gib or .ngf).")
    yield from found


def _places(records: list[_Source]) -> Iterator[tuple[str, _Source]]:
    for number, source in enumerate(records, 1):
        yield (f"game {number} of {len(records)}" if len(records) > 1 else ""), source


def _engine(network: str, threads: int | None, *, ownership: bool) -> _Engine:
    from honte import presets
    from honte.evaluation import NetworkEvaluator, Rollout

    cores = threads or os.cpu_count() or 1
    if network.lower() == NO_NETWORK:
        return _Engine(Rollout(), presets.uct(), "random playouts (UCB1)", cores, 5000)
    evaluator = NetworkEvaluator(network, streams=threads)
    config = presets.katago()
    config = config.replace(
        parallelism=config.parallelism.model_copy(update={"threads": cores}),
        backup=config.backup.model_copy(update={"ownership": ownership}),
    )
    name = f"{evaluator.network.name} ({evaluator.backend_name}, {evaluator.precision.value})"
    return _Engine(evaluator, config, name, cores, 100)


def _review(source: _Source, engine: _Engine, wishes: _Wishes, place: str) -> ReviewedGame:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    from honte.cli.reviewed import ReviewedGame
    from honte.players.analysis import analyze_game
    from honte.records import IllegalRecordMove
    from honte.search import Budget

    record = source.record
    states = []
    stopped = ""
    try:
        for state in record.states(rules=wishes.rules, komi=wishes.komi):
            states.append(state)
    except IllegalRecordMove as error:
        stopped = str(error)
        print(f"{source.path}: {error}", file=sys.stderr)
    picked = None if wishes.turns is None else _parse_turns(wishes.turns, len(states))
    started = time.perf_counter()
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as progress:
        label = " ".join(part for part in ("Searching", place) if part)
        task = progress.add_task(label, total=len(states) if picked is None else None)
        analysis = analyze_game(
            states,
            engine.evaluator,
            engine.config,
            Budget(visits=wishes.visits),
            turns=picked,
            seed=wishes.seed,
            threads=engine.threads,
            on_position=lambda done: progress.update(task, completed=done),
        )
    return ReviewedGame(
        record=record,
        path=source.path,
        states=tuple(states),
        analysis=analysis,
        engine=engine.name,
        visits=wishes.visits,
        seconds=time.perf_counter() - started,
        stopped=stopped,
    )


def _parse_turns(text: str, positions: int) -> list[int]:
    turns: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and last and not last.isdecimal()):
            raise HonteError(f"--turns takes numbers and ranges such as 0-40,78, not {text!r}.")
        end = int(last) if last else (positions - 1 if dash else int(first))
        if int(first) > end or end >= positions:
            raise HonteError(
                f"--turns asks for {part.strip()}; the game has turns 0 to {positions - 1}."
            )
        turns.extend(range(int(first), end + 1))
    return turns
