"""``honte web``: play, analyse and watch the search in a browser."""

from __future__ import annotations

import os
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from honte.errors import HonteError

NO_NETWORK = "none"


def web(
    host: Annotated[
        str, typer.Option(help="The address to listen at; others than this machine reach 0.0.0.0.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for any.")] = 8000,
    network: Annotated[
        list[str] | None,
        typer.Option(
            help="A KataGo network file to choose on the page; several times for several. "
            "none: random playouts alone.",
            show_default=False,
        ),
    ] = None,
    sessions: Annotated[
        Path | None,
        typer.Option(help="The folder that keeps the games; else the user's own data folder."),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            help="A name by which browsers may call this server, beside localhost and addresses.",
            show_default=False,
        ),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, max=64, help="Threads that search; as many as cores.")
    ] = None,
    open_browser: Annotated[
        bool, typer.Option("--open", help="Open the page in the browser.")
    ] = False,
) -> None:
    """Serve the page: play, analyse, and watch the search itself."""
    try:
        import uvicorn

        from honte.web.server import LARGEST_MESSAGE, Options, make_app
    except ImportError as error:
        raise HonteError(
            f"The web page needs the package {error.name}: pip install 'honte[web]'."
        ) from None
    app = make_app(
        Options(
            networks=_networks(network or []),
            folder=sessions or _data_folder(),
            hosts=[*(allow_host or []), host],
            threads=threads or os.cpu_count() or 2,
        )
    )
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        log_level="warning",
        ws_max_size=LARGEST_MESSAGE,
        timeout_graceful_shutdown=2,
    )
    listener = config.bind_socket() if port == 0 else None
    actual = listener.getsockname()[1] if listener is not None else port
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{actual}"
    typer.echo(f"honte is at {address} (Ctrl-C to stop)")
    if open_browser:
        webbrowser.open(address)
    uvicorn.Server(config).run(sockets=None if listener is None else [listener])


def _networks(names: list[str]) -> list[Path]:
    from honte.networks import load

    paths = [Path(name) for name in names if name.lower() != NO_NETWORK]
    for path in paths:
        load(path)  # a file that is no network is refused now, not in the middle of a game
    return paths


def _data_folder() -> Path:
    base = os.environ.get("XDG_DATA_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(base) if base else Path.home() / ".local" / "share") / "honte" / "web"
