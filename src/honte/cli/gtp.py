"""``honte gtp``: a Go engine for Sabaki, GoGui, Lizzie, q5Go and the servers' bots."""

from __future__ import annotations

import io
import logging
import os
import sys
from pathlib import Path
from typing import Annotated, TextIO

import typer


def gtp(
    network: Annotated[
        str | None,
        typer.Option(
            "--network",
            "-model",
            help="A network file of KataGo's or ONNX; 'none' plays by playouts. Default: the "
            "shipped one.",
        ),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(help="A named system: katago (the default with a network), uct, alphazero …"),
    ] = None,
    visits: Annotated[int | None, typer.Option(help="Visits a move; then no other limit.")] = None,
    rules: Annotated[
        str | None, typer.Option(help="A rule set or KataGo's JSON. Default: tromp-taylor.")
    ] = None,
    komi: Annotated[float | None, typer.Option(help="Default: the usual one of the rules.")] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            "--config", "-config", help="A TOML file, or KataGo's .cfg; options go first."
        ),
    ] = None,
    override_config: Annotated[
        str | None,
        typer.Option(
            "--override-config", "-override-config", help="KataGo's settings: key=value,key=value."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Same seed, same game.")] = 0,
    ponder: Annotated[
        bool | None, typer.Option("--ponder/--no-ponder", help="Think on the opponent's time.")
    ] = None,
    resign: Annotated[
        bool | None, typer.Option("--resign/--no-resign", help="Give up hopeless games.")
    ] = None,
    log: Annotated[Path | None, typer.Option(help="Write a log to this file.")] = None,
) -> None:
    """Play and analyse over GTP, the Go Text Protocol."""
    from honte.players.counting import Counter
    from honte.players.ownership import ownership_sources
    from honte.players.player import SearchPlayer
    from honte.protocols.configuration import set_up
    from honte.protocols.gtp import Engine, serve

    responses = claim_stdout()
    logger = make_logger("honte.gtp", log)
    setup = set_up(
        network=network,
        preset_name=preset,
        visits=visits,
        rules=rules,
        komi=komi,
        config=config,
        override_config=override_config,
        pondering=ponder,
        resign=resign,
    )
    logger.info("%s", setup.description)
    if setup.unused_settings:
        logger.info("Not used of the configuration: %s", ", ".join(setup.unused_settings))
    player = SearchPlayer(
        setup.parameters.play_config(), setup.evaluator, setup.parameters.settings, seed=seed
    )
    engine = Engine(
        player,
        Counter(*ownership_sources(setup.evaluator)),
        setup.parameters,
        rules=setup.rules,
        komi=setup.komi,
        logger=logger,
    )
    serve(engine, io.FileIO(0, closefd=False), responses)


def claim_stdout() -> TextIO:
    """The real stdout for the protocol alone; whatever else is printed goes to stderr."""
    sys.stdout.flush()
    protocol = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    return protocol


def make_logger(name: str, file: Path | None) -> logging.Logger:
    """A logger to a file, or for warnings to stderr."""
    logger = logging.getLogger(name)
    handler: logging.Handler
    if file is None:
        handler = logging.StreamHandler(sys.stderr)
        handler.setLevel(logging.WARNING)
    else:
        from honte.errors import HonteError

        try:
            handler = logging.FileHandler(file, encoding="utf-8")
        except OSError as error:
            raise HonteError(f"Cannot write the log {file}: {error.strerror}.") from None
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    return logger
