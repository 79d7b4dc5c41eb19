"""``honte analysis``: KataGo's JSON analysis engine, for KaTrain, Ogatak and scripts."""

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


def analysis(
    network: Network = None,
    preset: Preset = None,
    visits: Annotated[int | None, typer.Option(help="Visits where a query names none.")] = None,
    config: Config = None,
    override_config: OverrideConfig = None,
    at_once: Annotated[
        int,
        typer.Option(
            "--analysis-threads",
            "-analysis-threads",
            min=1,
            max=1024,
            help="Positions that are searched at once.",
        ),
    ] = 16,
    quit_without_waiting: Annotated[
        bool,
        typer.Option(
            "--quit-without-waiting",
            "-quit-without-waiting",
            help="At the end of input leave open queries unanswered.",
        ),
    ] = False,
    seed: Annotated[
        int, typer.Option(help="What the searches draw their random numbers from.")
    ] = 0,
    log: Log = None,
) -> None:
    """Analyse positions that come as JSON, one query a line, as KataGo's analysis engine does.

    Values are Black's unless the configuration or a query says otherwise.
    """
    from honte.protocols.analysis_format import View
    from honte.protocols.configuration import set_up
    from honte.protocols.json_analysis import AnalysisServer

    replies = claim_stdout()
    logger = make_logger("honte.analysis", log)
    setup = set_up(
        network=network,
        preset_name=preset,
        visits=visits,
        config=config,
        override_config=override_config,
        view=View.BLACK,
    )
    log_setup(logger, setup)
    server = AnalysisServer(
        setup.evaluator, setup.parameters, replies, at_once=at_once, seed=seed, logger=logger
    )
    server.serve(io.FileIO(0, closefd=False), finish=not quit_without_waiting)
