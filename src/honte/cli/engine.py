"""What the commands that speak a protocol share: their options, and how they start."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

if TYPE_CHECKING:
    from honte.protocols.configuration import EngineSetup

Network = Annotated[
    str | None,
    typer.Option(
        "--network",
        "-model",
        help="A network file of KataGo's or ONNX; 'none' goes by random playouts. Default: the "
        "shipped one.",
    ),
]
Preset = Annotated[
    str | None,
    typer.Option(help="A named system: katago (the default with a network), uct, alphazero …"),
]
Config = Annotated[
    Path | None,
    typer.Option("--config", "-config", help="A TOML file, or KataGo's .cfg; options go first."),
]
OverrideConfig = Annotated[
    str | None,
    typer.Option(
        "--override-config", "-override-config", help="KataGo's settings: key=value,key=value."
    ),
]
Log = Annotated[Path | None, typer.Option(help="Write a log to this file.")]


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


def log_setup(logger: logging.Logger, setup: EngineSetup) -> None:
    """Say what answers the leaves, and what of a configuration is not used."""
    logger.info("%s", setup.description)
    if setup.unused_settings:
        logger.info("Not used of the configuration: %s", ", ".join(setup.unused_settings))
