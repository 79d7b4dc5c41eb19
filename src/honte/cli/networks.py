"""``honte networks``: what a network file holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

networks_app = typer.Typer(help="Look into network files.", no_args_is_help=True)


@networks_app.callback()
def _networks() -> None:
    """Look into network files."""


@networks_app.command()
def info(
    file: Annotated[Path, typer.Argument(help="A .bin.gz, .txt.gz, .bin, .txt or .onnx file.")],
) -> None:
    """Say what a network file holds and what it is good for."""
    from honte.networks import load
    from honte.networks.info import describe

    typer.echo(describe(load(file)))
