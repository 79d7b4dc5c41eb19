"""``honte match``: two GTP engines, many games, one figure with its interval."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from honte.errors import HonteError


def match(
    first: Annotated[str, typer.Argument(help="Command of a GTP engine, or 'honte OPTIONS'.")],
    second: Annotated[str, typer.Argument(help="The other; {seed} becomes the game's number.")],
    out: Annotated[Path, typer.Option(help="Folder of the games and results; goes on if begun.")],
    games: Annotated[int, typer.Option(min=1, help="Games in all, colours in turn.")] = 100,
    size: Annotated[int, typer.Option(min=2, max=25, help="Board size.")] = 19,
    komi: Annotated[float | None, typer.Option(help="Default: the usual one of the rules.")] = None,
    rules: Annotated[str, typer.Option(help="A rule set by name or as KataGo's JSON.")] = "chinese",
    parallel: Annotated[int, typer.Option(min=1, help="Games at once.")] = 1,
    names: Annotated[tuple[str, str], typer.Option(help="What the engines are called.")] = (
        "first",
        "second",
    ),
    timeout: Annotated[float, typer.Option(help="Seconds an engine may take to answer.")] = 600.0,
) -> None:
    """Play a match between two engines that speak GTP."""
    from honte.games.go import Rules
    from honte.lab.match import GameResult, MatchOptions, Standing, run_match

    chosen = Rules.parse(rules)
    options = MatchOptions(
        engines=(_command(first, chosen), _command(second, chosen)),
        names=names,
        folder=out,
        games=games,
        size=size,
        komi=chosen.default_komi if komi is None else komi,
        rules=chosen,
        parallel=parallel,
        timeout=timeout,
    )

    def show(game: GameResult, standing: Standing) -> None:
        won = "nobody" if game.winner is None else names[game.winner]
        typer.echo(
            f"game {game.number}: {won} wins, {game.result} ({game.how}), {game.moves} moves, "
            f"{game.seconds:.0f} s; {names[0]} {standing}",
            err=True,
        )

    standing = run_match(options, on_game=show)
    typer.echo(f"{names[0]} against {names[1]} after {standing.games} games: {standing}")


def _command(given: str, rules: object) -> str:
    """``honte OPTIONS`` is this very honte over GTP, under the rules of the match."""
    import json
    import sys

    from honte.games.go import Rules

    words = shlex.split(given)
    if not words:
        raise HonteError("An engine needs a command line, such as 'gnugo --mode gtp'.")
    if words[0] != "honte":
        return given
    assert isinstance(rules, Rules)
    options = [word for word in words[1:] if word != "gtp"]
    program = [sys.executable, "-c", "from honte.cli.main import run; run()", "gtp"]
    return shlex.join([*program, "--rules", json.dumps(rules.to_json()), *options])
