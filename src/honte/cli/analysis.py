"""``honte analysis``: KataGo's JSON analysis engine, for KaTrain, Ogatak and scripts."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Annotated

import typer


def analysis(
    network: Annotated[
        str | None,
        typer.Option(
            "--network",
            "-model",
            help="A network file of KataGo's or ONNX; 'none' uses random playouts. Default: the "
            "shipped one.",
        ),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(help="A named system: katago (the default with a network), uct, alphazero …"),
    ] = None,
    visits: Annotated[int | None, typer.Option(help="Visits where a query names none.")] = None,
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
    seed: Annotated[int, typer.Option(help="Same seed, same analysis.")] = 0,
    log: Annotated[Path | None, typer.Option(help="Write a log to this file.")] = None,
) -> None:
    """Analyse positions that come as JSON, one query a line, as KataGo's analysis engine does.

    Values are Black's unless the configuration or a query says otherwise.
    """
    from honte.cli.gtp import claim_stdout, make_logger
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
    logger.info("%s", setup.description)
    if setup.unused_settings:
        logger.info("Not used of the configuration: %s", ", ".join(setup.unused_settings))
    server = AnalysisServer(setup.evaluator, setup.parameters, replies, seed=seed, logger=logger)
    server.serve(io.FileIO(0, closefd=False))
