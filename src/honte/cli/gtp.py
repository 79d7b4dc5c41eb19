"""``honte gtp``: a Go engine for Sabaki, GoGui, Lizzie, q5Go and the servers' bots."""

from __future__ import annotations

import io
from typing import Annotated

import typer

from honte.cli.engine import (
    Config,
    Log,
    Network,
    OverrideConfig,
    Preset,
    claim_stdout,
    log_setup,
    make_logger,
)


def gtp(
    network: Network = None,
    preset: Preset = None,
    visits: Annotated[int | None, typer.Option(help="Visits a move; then no other limit.")] = None,
    rules: Annotated[
        str | None, typer.Option(help="A rule set or KataGo's JSON. Default: tromp-taylor.")
    ] = None,
    komi: Annotated[float | None, typer.Option(help="Default: the usual one of the rules.")] = None,
    config: Config = None,
    override_config: OverrideConfig = None,
    seed: Annotated[int, typer.Option(help="Same seed, same game.")] = 0,
    ponder: Annotated[
        bool | None, typer.Option("--ponder/--no-ponder", help="Think on the opponent's time.")
    ] = None,
    resign: Annotated[
        bool | None, typer.Option("--resign/--no-resign", help="Give up hopeless games.")
    ] = None,
    log: Log = None,
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
    log_setup(logger, setup)
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
