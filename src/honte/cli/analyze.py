"""``honte analyze``: where a game was won and lost."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from honte.cli.cluster import ClusterAddress, crew
from honte.errors import HonteError

if TYPE_CHECKING:
    from rich.progress import Progress

    from honte.cli.reviewed import ReviewedGame
    from honte.games.go import GoState, Rules
    from honte.players.analysis import GameAnalysis
    from honte.players.reviewer import Reviewer
    from honte.records import GameRecord

STANDARD_INPUT = "-"
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
    cluster: ClusterAddress = None,
) -> None:
    """Search every position of a game and show what each move cost."""
    from honte.cli import outputs
    from honte.games.go import Rules
    from honte.players.reviewer import Reviewer, usual_visits

    if komi is not None and not math.isfinite(komi):
        raise HonteError(f"Komi is a number of points, not {komi}.")
    chosen_rules = None if rules is None else Rules.parse(rules)
    sources = _read(games)
    wanted = outputs.Files(json_file, csv_file, html_file, sgf_file)
    wanted.check([source.path for source in sources])
    wishes = _Wishes(visits or usual_visits(network), chosen_rules, komi, turns, seed)
    reviewed: dict[int, ReviewedGame] = {}
    try:
        if cluster is not None:
            opened = [_open(source, wishes) for source in sources]
            elsewhere = _Elsewhere(cluster, network, threads, html_file is not None)
            _review_elsewhere(opened, elsewhere, wishes, reviewed)
        else:
            reviewer = Reviewer.open(network, threads, ownership=html_file is not None)
            for number, (place, source) in enumerate(_places(sources)):
                reviewed[number] = _review(_open(source, wishes), reviewer, wishes, place)
    except KeyboardInterrupt:
        # What has been found is not lost; games cut short are left out.
        wanted.write([reviewed[number] for number in sorted(reviewed)])
        raise
    found = [reviewed[number] for number in sorted(reviewed)]
    if not wanted.use_stdout:
        outputs.print_tables(found)
    wanted.write(found)


@dataclass(frozen=True, slots=True)
class _Source:
    """A record and the file it is from."""

    record: GameRecord
    path: str


@dataclass(frozen=True, slots=True)
class _Opened:
    """A record with its positions."""

    source: _Source
    states: Sequence[GoState]
    stopped: str
    """Why the record's later moves were left out; empty where none were."""
    turns: list[int] | None
    """Those to be analysed; None: all."""


@dataclass(frozen=True, slots=True)
class _Elsewhere:
    """Where to work, and with what."""

    address: str
    network: str
    threads: int | None
    ownership: bool


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


def _open(source: _Source, wishes: _Wishes) -> _Opened:
    from honte.records import IllegalRecordMove

    states = []
    stopped = ""
    try:
        for state in source.record.states(rules=wishes.rules, komi=wishes.komi):
            states.append(state)
    except IllegalRecordMove as error:
        stopped = str(error)
        print(f"{source.path}: {error}", file=sys.stderr)
    picked = None if wishes.turns is None else _parse_turns(wishes.turns, len(states))
    return _Opened(source, states, stopped, picked)


def _review(game: _Opened, reviewer: Reviewer, wishes: _Wishes, place: str) -> ReviewedGame:
    started = time.perf_counter()
    with _bar() as progress:
        label = " ".join(part for part in ("Searching", place) if part)
        total = len(game.states) if game.turns is None else None
        task = progress.add_task(label, total=total, crew="")
        analysis = reviewer.review(
            game.states,
            wishes.visits,
            turns=game.turns,
            seed=wishes.seed,
            on_position=lambda done: progress.update(task, completed=done),
        )
    return _reviewed(game, analysis, reviewer.name, wishes.visits, time.perf_counter() - started)


def _review_elsewhere(
    games: Sequence[_Opened],
    where: _Elsewhere,
    wishes: _Wishes,
    reviewed: dict[int, ReviewedGame],
) -> None:
    """Have the games analysed on a cluster; each is in ``reviewed`` as soon as it is done."""
    from honte.cluster import connect
    from honte.cluster.reviews import ClusterReviews, Review, ReviewOrder

    orders = [
        ReviewOrder(
            number=number,
            record=game.source.record,
            rules=wishes.rules,
            komi=wishes.komi,
            turns=None if game.turns is None else tuple(game.turns),
            visits=wishes.visits,
            seed=wishes.seed,
        )
        for number, game in enumerate(games)
    ]
    with connect(where.address) as cluster, _bar() as progress:
        task = progress.add_task("Analysing games", total=len(games), crew="")
        reviews = ClusterReviews(
            cluster,
            where.network,
            threads=where.threads,
            ownership=where.ownership,
            on_notice=lambda said: progress.console.print(said, style="yellow", highlight=False),
        )
        began = time.monotonic()

        def keep(review: Review) -> None:
            reviewed[review.number] = _reviewed(
                games[review.number], review.analysis, review.engine, wishes.visits, review.seconds
            )
            speed = crew(reviews.machines, len(reviewed), time.monotonic() - began)
            progress.update(task, completed=len(reviewed), crew=speed)

        reviews.run(orders, keep)


def _bar() -> Progress:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[crew]}"),
        console=Console(stderr=True),
        transient=True,
    )


def _reviewed(
    game: _Opened, analysis: GameAnalysis, engine: str, visits: int, seconds: float
) -> ReviewedGame:
    from honte.cli.reviewed import ReviewedGame

    return ReviewedGame(
        record=game.source.record,
        path=game.source.path,
        states=tuple(game.states),
        analysis=analysis,
        engine=engine,
        visits=visits,
        seconds=seconds,
        stopped=game.stopped,
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
