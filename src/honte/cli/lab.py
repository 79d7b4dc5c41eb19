"""``honte lab``: ratings, sweeps, the papers' tables, tactics, and games again from their rows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from honte.cli.cluster import ClusterAddress, playrooms_at
from honte.cli.match import play_with_progress, show_report
from honte.errors import HonteError

lab_app = typer.Typer(
    no_args_is_help=True,
    help="Measure: ratings, sweeps, the papers' tables, tactics.",
    context_settings={"help_option_names": ["-h", "--help"]},
)

Network = Annotated[
    str, typer.Option("--network", help="A network file of KataGo's, or ONNX; or default.")
]


@lab_app.command("rate")
def rate(
    store: Annotated[Path, typer.Argument(help="A match's SQLite file.")],
    anchor: Annotated[str | None, typer.Option(help="The player whose rating is 0.")] = None,
    confidence: Annotated[float, typer.Option(help="Of the intervals.")] = 0.95,
    csv: Annotated[Path | None, typer.Option(help="Write the ratings here.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write a page with a plot here.")] = None,
) -> None:
    """Rate the players of a match, finished or not."""
    from honte.lab.store import Store

    if not store.exists():
        raise HonteError(f"There is no file {store}.")
    with Store(store) as file:
        title, rows = f"{file.game().title()}: {store.stem}", file.games()
    show_report(title, rows, csv=csv, html=html, anchor=anchor, confidence=confidence)


@lab_app.command("replay")
def replay(
    store: Annotated[Path, typer.Argument(help="A match's SQLite file.")],
    game: Annotated[int | None, typer.Option(help="The number of a game; else all.")] = None,
    sgf: Annotated[Path | None, typer.Option(help="Write SGF into this folder.")] = None,
) -> None:
    """List a match's games, show one move by move, or write games of Go as SGF."""
    from honte.lab.replay import positions, record_of
    from honte.lab.store import Store

    if not store.exists():
        raise HonteError(f"There is no file {store}.")
    with Store(store) as file:
        spec = file.game()
        rows = file.games() if game is None else [file.one_game(game)]
        if sgf is not None:
            sgf.mkdir(parents=True, exist_ok=True)
            for row in rows:
                record_of(file, row).save(sgf / f"{row.number:05}.sgf")
            typer.echo(f"{len(rows)} games are in {sgf}.")
            return
        for row in rows:
            first, second = row.fixture.first, row.fixture.second
            margin = "" if row.margin is None else f" by {abs(row.margin):g}"
            winner = first if row.result == 1 else second if row.result == 0 else "nobody"
            typer.echo(
                f"{row.number}: {first} – {second}, opening {row.fixture.opening}: {winner} wins"
                f"{margin}, {row.ending.value}, {len(row.actions)} moves"
            )
            if game is not None:
                *_, last = positions(spec, row)
                typer.echo(" ".join(spec.format_action(action) for action in row.actions))
                typer.echo(str(last))
                if row.note:
                    typer.echo(row.note)


@lab_app.command("sweep")
def sweep(
    field: Annotated[
        str, typer.Argument(help="selection.c_puct, expansion.symmetry, rollout_weight, visits …")
    ],
    values: Annotated[str, typer.Argument(help="0.5,1,1.5,2 or a range 0.5:2:0.5.")],
    store: Annotated[Path, typer.Option(help="The match's SQLite file; goes on if begun.")],
    player: Annotated[
        str, typer.Option(help="What all share: 'preset=alphago_zero;visits=100' or seconds=….")
    ] = "preset=alphago_zero;visits=100",
    network: Network = "default",
    games: Annotated[int, typer.Option(min=2, help="Of each pair of values, in pairs.")] = 20,
    size: Annotated[int, typer.Option(min=2, max=25, help="Board size.")] = 9,
    seed: Annotated[int, typer.Option(help="Of openings and searches.")] = 0,
    csv: Annotated[Path | None, typer.Option(help="Write the ratings here.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write a page with a plot here.")] = None,
    cluster: ClusterAddress = None,
) -> None:
    """Play every value of a field against every other."""
    from honte.lab.board_games import GameSpec
    from honte.lab.reading import parse_player
    from honte.lab.runner import Match
    from honte.lab.schedule import RoundRobin
    from honte.lab.specs import MatchSpec, OpeningsSpec, SearchPlayerSpec
    from honte.lab.store import Store
    from honte.lab.sweeps import swept, values_of

    base = parse_player(player, network=network)
    if not isinstance(base, SearchPlayerSpec):
        raise HonteError("A sweep varies a search of honte's, not an engine.")
    varied = values_of(values)
    players = swept(base, field, varied)
    names = tuple(one.name for one in players)
    numbers = all(isinstance(value, int | float) for value in varied)
    game = GameSpec(size=size)
    spec = MatchSpec(openings=OpeningsSpec(network=base.leaf.network), seed=seed)
    plan = RoundRobin(names, games // 2)
    with playrooms_at(cluster) as playrooms, Store(store) as file:
        match = Match(file, players, plan, game=game, match=spec, open_playroom=playrooms)
        rows = play_with_progress(match, store, playrooms)
    show_report(
        f"{game.title()}: {field}",
        rows,
        csv=csv,
        html=html,
        axis=dict(zip(names, varied, strict=True)) if numbers else None,
        axis_label=field,
    )


@lab_app.command("tune")
def tune(
    fields: Annotated[
        list[str],
        typer.Argument(
            metavar="FIELD=LOW:HIGH…",
            help="selection.c_puct=0.5:4, with a step parallelism.batch_size=1:16:1 …",
        ),
    ],
    store: Annotated[Path, typer.Option(help="The match's SQLite file; goes on if begun.")],
    player: Annotated[
        str, typer.Option(help="The opponent of all trials, and where they start from.")
    ] = "preset=alphago_zero;visits=100",
    network: Network = "default",
    trials: Annotated[int, typer.Option(min=1, help="Settings to try.")] = 20,
    games: Annotated[int, typer.Option(min=2, help="Of each setting, in pairs.")] = 20,
    size: Annotated[int, typer.Option(min=2, max=25, help="Board size.")] = 9,
    seed: Annotated[int, typer.Option(help="Of trials, openings and searches.")] = 0,
    cluster: ClusterAddress = None,
) -> None:
    """Look for better settings with Optuna: each trial plays the untuned player."""
    from honte.lab.board_games import GameSpec
    from honte.lab.reading import parse_player
    from honte.lab.specs import MatchSpec, OpeningsSpec, SearchPlayerSpec
    from honte.lab.store import Store
    from honte.lab.sweeps import Tuning, range_of

    base = parse_player(player, network=network)
    if not isinstance(base, SearchPlayerSpec):
        raise HonteError("Tuning varies a search of honte's, not an engine.")
    with playrooms_at(cluster) as playrooms, Store(store) as file:
        tuning = Tuning(
            file,
            base,
            dict(range_of(text) for text in fields),
            pairs=games // 2,
            game=GameSpec(size=size),
            match=MatchSpec(openings=OpeningsSpec(network=base.leaf.network), seed=seed),
            open_playroom=playrooms,
        )
        for trial in tuning.run(trials):
            chosen = ", ".join(f"{name} {value:.4g}" for name, value in trial.values.items())
            typer.echo(f"trial {trial.number}: {chosen}: {trial.score:.1%}")
        best = tuning.best()
    chosen = ", ".join(f"{name} {value:.4g}" for name, value in best.values.items())
    typer.echo(
        f"Best of {trials}: trial {best.number}, {chosen}: {best.score:.1%} of {games} games. "
        "The best of many trials looks better than it is: confirm it with honte match."
    )


@lab_app.command("solve")
def solve_problems(
    problems: Annotated[
        list[Path], typer.Argument(help="SGF with solutions, TOML, or folders of them.")
    ],
    player: Annotated[
        list[str] | None, typer.Option(help="'name=a;preset=katago'; any number, side by side.")
    ] = None,
    network: Network = "default",
    visits: Annotated[int, typer.Option(min=1, help="The most; from 1 on, doubling.")] = 1024,
    seed: Annotated[int, typer.Option(help="Of the searches.")] = 0,
    csv: Annotated[Path | None, typer.Option(help="Write the table here.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Write a plot (SVG) here.")] = None,
) -> None:
    """Give positions with known answers to searches: from how many visits on are they solved?"""
    from rich import box
    from rich.console import Console
    from rich.progress import Progress
    from rich.table import Table
    from rich.text import Text

    from honte.files import write_text
    from honte.lab.plots import plot_solved
    from honte.lab.problems import read_problems
    from honte.lab.reading import parse_player
    from honte.lab.solve import doubling, solve
    from honte.lab.specs import SearchPlayerSpec

    texts = player or ["preset=katago"]
    players = [parse_player(f"{text};visits={visits}", network=network) for text in texts]
    searches = [one for one in players if isinstance(one, SearchPlayerSpec)]
    if len(searches) < len(players):
        raise HonteError("Engines are not asked for solutions: give searches of honte's.")
    names = [one.name for one in searches]
    if len(set(names)) < len(names):
        raise HonteError(f"Two players are called {names[0]!r}: give each a name of its own.")
    known = read_problems(problems)
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("problems", total=len(searches) * len(known))
        solved = solve(
            searches,
            known,
            doubling(visits),
            seed=seed,
            on_solved=lambda done, _: bar.update(task, completed=done),
        )
    table = Table(box=box.SIMPLE_HEAD)
    for heading in solved.headings():
        table.add_column(Text(heading), justify="left" if heading == "Problem" else "right")
    for row in solved.rows():
        table.add_row(*map(Text, row))
    Console(highlight=False).print(table)
    if csv is not None:
        write_text(csv, solved.csv())
    if plot is not None:
        shares = [(name, solved.share(name)) for name in names]
        write_text(plot, plot_solved(solved.visits, shares, "Problems solved by visits"))


@lab_app.command("table")
def table(
    name: Annotated[str, typer.Argument(help="c-puct, visits, alphago-2016, selection …")],
    network: Network = "default",
    katago: Annotated[
        Path | None, typer.Option(help="The program, for the tables against it.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the store and the pages.")] = Path(),
    visits: Annotated[int | None, typer.Option(min=1, help="Instead of the default.")] = None,
    games: Annotated[int | None, typer.Option(min=2, help="Of each pair of players.")] = None,
    size: Annotated[int, typer.Option(min=2, max=25, help="Board size.")] = 9,
    seconds: Annotated[
        float, typer.Option(help="Time a move, for the tables at equal time.")
    ] = 0.05,
    play: Annotated[
        bool, typer.Option("--play/--no-play", help="Or write the pages of the games so far.")
    ] = True,
    cluster: ClusterAddress = None,
) -> None:
    """Make one of the papers' tables; the same line goes on with one that was begun."""
    from honte.lab.evaluators import Evaluators
    from honte.lab.pages import SpeedTest, network_line, write_study
    from honte.lab.runner import Match
    from honte.lab.specs import MatchSpec, OpeningsSpec
    from honte.lab.store import Store
    from honte.lab.studies import STUDIES, StudyOptions, study, study_name

    if name not in STUDIES:
        raise HonteError(f"There is no table {name!r}; there are {', '.join(STUDIES)}.")
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{study_name(name, size)}.sqlite"
    evaluators = Evaluators()
    with playrooms_at(cluster) as playrooms, Store(path) as file:
        chosen = study(
            name,
            StudyOptions(
                network=network,
                visits=visits,
                pairs=games // 2 if games else None,
                size=size,
                seconds=seconds,
                katago=str(katago) if katago else None,
                folder=out,
                speed=SpeedTest(file, evaluators, size),
            ),
        )
        match = Match(
            file,
            chosen.players,
            chosen.schedule,
            game=chosen.game,
            match=MatchSpec(openings=OpeningsSpec(network=network)),
            evaluators=evaluators,
            open_playroom=playrooms,
        )
        rows = play_with_progress(match, path, playrooms) if play else match.games()
        played_with = network_line(network, file.network(network))
    command = _command(name, network, visits, games, size, seconds)
    write_study(chosen, rows, out, played_with, command)
    show_report(chosen.title, rows, anchor=chosen.anchor)
    typer.echo(f"{out / chosen.name}.md, .csv, .svg and .html hold it; {path} the games.")


@lab_app.command("scale")
def scale(
    evaluations: Annotated[
        float, typer.Option(help="Evaluations a second of one machine: honte benchmark.")
    ],
    machines: Annotated[str, typer.Option(help="How many, between commas.")] = "1,10,100,1000",
    visits: Annotated[int, typer.Option(min=1, help="Evaluations a move.")] = 1600,
    moves: Annotated[int, typer.Option(min=1, help="Moves a game.")] = 210,
    game_bytes: Annotated[float, typer.Option(help="A game with its targets.")] = 56_000,
    network_bytes: Annotated[float, typer.Option(help="A network.")] = 3_900_000,
    write: Annotated[float, typer.Option(help="Seconds the driver takes for a game.")] = 0.0072,
    link: Annotated[float, typer.Option(help="Bytes a second of the store's link.")] = 125e6,
    samples: Annotated[float, typer.Option(help="Positions a second of the learner.")] = 395.0,
    reuse: Annotated[float, typer.Option(help="How often a position is learnt from.")] = 1.0,
    goal: Annotated[float, typer.Option(help="Games to count the days for.")] = 29e6,
    round_games: Annotated[
        int | None,
        typer.Option(
            "--round",
            min=1,
            help="In rounds of so many games, as honte plays: machines wait for the learner.",
            show_default="all at once",
        ),
    ] = None,
) -> None:
    """Simulate self-play on many machines: games a day, and what ends the growth."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from honte.lab.scaling import Costs, simulate, simulate_rounds
    from honte.lab.sweeps import values_of

    costs = Costs(
        evaluations_per_second=evaluations,
        visits=visits,
        moves=moves,
        game_bytes=game_bytes,
        network_bytes=network_bytes,
        write_seconds=write,
        link_bytes_per_second=link,
        samples_per_second=samples,
        reuse=reuse,
    )
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    headings = ("Machines", "Games\na day", f"Days for\n{goal / 1e6:g} M", "Wait", "Link")
    for heading in (*headings, "Learner", "Un-\nlearned", "Networks\na day", "Limit"):
        table.add_column(heading, justify="right", no_wrap=True)
    for number in values_of(machines):
        if not isinstance(number, int) or number < 1:
            raise HonteError(f"{number!r} is no number of machines.")
        if round_games is None:
            made = simulate(number, costs)
        else:
            made = simulate_rounds(number, costs, round_games)
        table.add_row(
            f"{number:,}",
            f"{made.games_per_day:,.0f}",
            f"{goal / made.games_per_day:,.0f}",
            f"{made.waiting:.0%}",
            f"{made.link:.1%}",
            f"{made.learner:.0%}",
            f"{made.unlearned:.0%}",
            f"{made.networks_per_day:.2g}",
            made.limit.value,
        )
    Console(highlight=False).print(table)


def _command(
    name: str, network: str, visits: int | None, games: int | None, size: int, seconds: float
) -> str:
    """The line that makes the page, without the places of this machine."""
    words = ["honte lab table", name]
    if network != "default":
        words.append(f"--network {Path(network).name}")
    if name.startswith("katago"):
        words.append("--katago PATH")
    if name in ("selection", "katago-time"):
        words.append(f"--seconds {seconds:g}")
    for option, value in (("visits", visits), ("games", games)):
        if value is not None:
            words.append(f"--{option} {value}")
    if size != 9:
        words.append(f"--size {size}")
    return " ".join(words)
