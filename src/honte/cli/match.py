"""``honte match``: players against each other, and what the games say of their strength."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from honte.cli.cluster import ClusterAddress, crew, playrooms_at
from honte.errors import HonteError

if TYPE_CHECKING:
    from honte.cluster.matches import ClusterPlayrooms
    from honte.lab.board_games import GameSpec
    from honte.lab.runner import Match
    from honte.lab.schedule import Schedule
    from honte.lab.specs import MatchSpec, PlayerSpec
    from honte.lab.store import GameRow


class Mode(Enum):
    """Who meets whom."""

    ROUND_ROBIN = "round-robin"
    GAUNTLET = "gauntlet"
    SPRT = "sprt"


def match(
    players: Annotated[
        list[str],
        typer.Argument(
            metavar="PLAYER…",
            help="'name=a;preset=katago;visits=100', 'name=b;engine=gnugo --mode gtp', "
            "'honte OPTIONS' (honte gtp), or a TOML file with [[player]] tables.",
        ),
    ],
    store: Annotated[Path, typer.Option(help="The match's SQLite file; goes on if begun.")],
    network: Annotated[
        str, typer.Option(help="The network of Go players that name none.")
    ] = "default",
    mode: Annotated[
        Mode, typer.Option(help="gauntlet: the first against each; sprt: two, until decided.")
    ] = Mode.ROUND_ROBIN,
    games: Annotated[
        int, typer.Option(min=2, help="Games of each pair of players (sprt: at most), in pairs.")
    ] = 100,
    game: Annotated[
        str, typer.Option(help="go, connect-four, tic-tac-toe, othello, hex or gomoku.")
    ] = "go",
    size: Annotated[int | None, typer.Option(help="Board size; Go: 19.")] = None,
    rules: Annotated[str, typer.Option(help="Go: a rule set.")] = "tromp-taylor",
    komi: Annotated[
        float | None, typer.Option(help="Go; default: 7 up to 9×9, else the rules' own.")
    ] = None,
    openings: Annotated[int, typer.Option(min=0, help="Random moves before the game.")] = 4,
    judge: Annotated[
        str | None,
        typer.Option(help="Network that draws and balances openings; default: a player's."),
    ] = None,
    agreed_end: Annotated[
        bool,
        typer.Option(
            "--agreed-end/--to-the-end",
            help="End a game once both players' searches give it to the same side.",
        ),
    ] = True,
    seed: Annotated[int, typer.Option(help="Of openings and searches.")] = 0,
    at_once: Annotated[int | None, typer.Option(min=1, help="Games at once.")] = None,
    elo0: Annotated[float, typer.Option(help="sprt: H0, the first is this much stronger.")] = 0.0,
    elo1: Annotated[float, typer.Option(help="sprt: H1.")] = 20.0,
    alpha: Annotated[float, typer.Option(help="sprt: chance to accept H1 wrongly.")] = 0.05,
    beta: Annotated[float, typer.Option(help="sprt: chance to accept H0 wrongly.")] = 0.05,
    csv: Annotated[Path | None, typer.Option(help="Write the ratings here.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write a page with a plot here.")] = None,
    cluster: ClusterAddress = None,
) -> None:
    """Play a match and rate the players. Run the same line again to go on."""
    from honte.lab.board_games import GameName, GameSpec
    from honte.lab.runner import Match
    from honte.lab.schedule import Gauntlet, RoundRobin, Sequential
    from honte.lab.specs import AgreedEnd, MatchSpec, OpeningsSpec
    from honte.lab.sprt import Sprt
    from honte.lab.store import Store

    try:
        name = GameName(game)
    except ValueError:
        known = ", ".join(one.value for one in GameName)
        raise HonteError(f"There is no game {game!r}; there are {known}.") from None
    file_game, file_match, specs = _players(
        players, network if name is GameName.GO else None, rules
    )
    played = file_game or GameSpec(name=name, size=size, rules=rules, komi=komi)
    spec = file_match or MatchSpec(
        openings=OpeningsSpec(plies=openings, network=judge or _first_network(specs)),
        agreed_end=AgreedEnd() if agreed_end else None,
        seed=seed,
    )
    names = tuple(player.name for player in specs)
    pairs = games // 2
    schedule: Schedule
    if mode is Mode.SPRT:
        if len(names) != 2:
            raise HonteError(f"SPRT compares two players, not {len(names)}.")
        schedule = Sequential((names[0], names[1]), pairs, Sprt(elo0, elo1, alpha, beta))
    else:
        schedule = (Gauntlet if mode is Mode.GAUNTLET else RoundRobin)(names, pairs)
    with playrooms_at(cluster) as playrooms, Store(store) as file:
        planned = Match(
            file,
            specs,
            schedule,
            game=played,
            match=spec,
            at_once=at_once,
            open_playroom=playrooms,
        )
        rows = play_with_progress(planned, store, playrooms)
    anchor = names[0] if mode is Mode.GAUNTLET else None
    show_report(f"{played.title()}: {store.stem}", rows, csv=csv, html=html, anchor=anchor)
    if isinstance(schedule, Sequential):
        state = schedule.state(rows)
        typer.echo(
            f"SPRT [{elo0:g}, {elo1:g}]: log likelihood ratio {state.llr:.2f} after {state.pairs} "
            f"pairs, bounds {state.lower:.2f} and {state.upper:.2f}: {state.verdict.value}."
        )


def _players(
    texts: Sequence[str], network: str | None, rules: str
) -> tuple[GameSpec | None, MatchSpec | None, list[PlayerSpec]]:
    import shlex

    from honte.lab.reading import parse_player, player_of_table, read_match_file

    game, spec = None, None
    players: list[PlayerSpec] = []
    for text in texts:
        words = text.split()
        if text.endswith(".toml"):
            game, spec, found = read_match_file(Path(text), network=network)
            players += found
        elif words and words[0] == "honte":
            options = [word for word in shlex.split(text)[1:] if word != "gtp"]
            program = [sys.executable, "-c", "from honte.cli.main import run; run()", "gtp"]
            command = shlex.join([*program, "--rules", rules, *options])
            players.append(player_of_table({"name": text, "engine": command}, text))
        elif "=" in text.split(";")[0]:
            players.append(parse_player(text, network=network))
        else:
            players.append(player_of_table({"engine": text}, text))
    return game, spec, players


def _first_network(players: Sequence[PlayerSpec]) -> str | None:
    """The network that judges openings where none is named."""
    from honte.lab.specs import EnginePlayerSpec

    own = (player for player in players if not isinstance(player, EnginePlayerSpec))
    return next((one.leaf.network for one in own if not one.leaf.blind), None)


def play_with_progress(
    match: Match, store: Path, playrooms: ClusterPlayrooms | None = None
) -> list[GameRow]:
    """Play a match with a bar on stderr that says how long it will take, and of a cluster how much
    of it works."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    from honte.lab.runner import Progress as MatchProgress
    from honte.lab.store import Ending

    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[crew]}"),
        console=console,
        # Games end seldom and unevenly: the last thousand say how long the rest will take.
        speed_estimate_period=float("inf"),
    )
    if playrooms is not None:
        playrooms.on_notice = lambda said: console.print(said, style="yellow", highlight=False)
    with bar:
        task = bar.add_task("games", crew="")
        first: tuple[float, int] | None = None

        def show(progress: MatchProgress) -> None:
            nonlocal first
            bar.update(task, completed=progress.done, total=progress.total)
            if playrooms is not None and progress.latest is not None:
                # The speed is that since the first game, when everybody was ready.
                first = first or (time.monotonic(), progress.done)
                done, seconds = progress.done - first[1], time.monotonic() - first[0]
                bar.update(task, crew=crew(playrooms.machines, done, seconds))
            row = progress.latest
            if row is not None and row.ending is Ending.FORFEIT:
                console.print(row.note.split("\n")[0], style="yellow", highlight=False)

        try:
            return match.run(show)
        except KeyboardInterrupt:
            console.print(f"Stopped; the same command goes on with {store}.")
            raise


def show_report(
    title: str,
    rows: Sequence[GameRow],
    *,
    csv: Path | None = None,
    html: Path | None = None,
    anchor: str | None = None,
    confidence: float = 0.95,
    axis: Mapping[str, float] | None = None,
    axis_label: str = "",
) -> None:
    """Print the ratings of these games, and write the files that were asked for. ``axis``: the
    players by a number to plot them over."""
    from rich.console import Console

    from honte.files import write_text
    from honte.lab import report
    from honte.lab.plots import plot_by_name, plot_by_number

    found = report.report(title, rows, anchor=anchor, confidence=confidence)
    console = Console(highlight=False)
    for table in report.terminal_tables(found):
        console.print(table)
    for note in found.notes():
        console.print(note, markup=False)
    if csv is not None:
        write_text(csv, report.csv_table(found))
    if html is not None:
        svg = plot_by_name(found.ratings, title)
        if axis is not None:
            points = [(axis[rating.name], rating) for rating in found.ratings]
            svg = plot_by_number(points, title, axis_label)
        write_text(html, report.html_page(found, svg))
