"""The ``honte`` command: one module of this package a command."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from honte import __version__
from honte.cli.analysis import analysis
from honte.cli.analyze import analyze
from honte.cli.benchmark import benchmark
from honte.cli.gtp import gtp
from honte.cli.lab import lab_app
from honte.cli.match import match
from honte.cli.networks import networks_app
from honte.cli.runs import runs
from honte.cli.train import train_app
from honte.cli.web import web
from honte.errors import HonteError

USAGE_ERROR = 2
INTERRUPTED = 130

app = typer.Typer(
    name="honte",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("analyze")(analyze)
app.command("benchmark")(benchmark)
app.command("gtp")(gtp)
app.command("web")(web)
app.command("analysis")(analysis)
app.command("match")(match)
app.command("runs")(runs)
app.add_typer(networks_app, name="networks")
app.add_typer(lab_app, name="lab")
app.add_typer(train_app, name="train")


@app.callback(invoke_without_command=True)
def _honte(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Neural-network-guided tree search for Go, and for any game you can write down."""
    if version:
        typer.echo(f"honte {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; what a user got wrong becomes one sentence and exit status 2."""
    try:
        status = app(args=arguments, prog_name="honte", standalone_mode=False)
    except HonteError as error:
        return _refuse(str(error))
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has gone; there is nobody to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        # What the command line's parser raises: it comes from typer or click, by its version.
        format_message = getattr(error, "format_message", None)
        if format_message is None:
            raise
        return _refuse(format_message())
    return status if isinstance(status, int) else 0


def _refuse(sentence: str) -> int:
    print(" ".join(sentence.split()), file=sys.stderr)
    return USAGE_ERROR


def run() -> None:
    """The entry point of the installed command."""
    sys.exit(main())
