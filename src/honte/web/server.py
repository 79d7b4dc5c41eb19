"""The application: the page, and a socket for each page that is open."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from fastapi import FastAPI, Request, Response, WebSocket, WebSocketDisconnect
from fastapi.responses import PlainTextResponse
from fastapi.staticfiles import StaticFiles

from honte import __version__
from honte.errors import HonteError
from honte.games.go import RULE_NAMES, Rules
from honte.web import engines, events
from honte.web.origins import Guard
from honte.web.requests import LARGEST_SGF, parse_request
from honte.web.scheduler import Scheduler
from honte.web.session import Session
from honte.web.store import Store, is_session_name

logger = logging.getLogger(__name__)

PAGE = Path(__file__).parent / "page"
LARGEST_MESSAGE = 6 * LARGEST_SGF
"""Bytes of a message: a record of the largest size, every character of it escaped."""
MOST_SESSIONS = 200
MOST_SOCKETS = 400
IDLE_SECONDS = 900
"""After which a session that nobody shows leaves memory; it stays on disk."""
MESSAGES_PER_SECOND = 40.0
BURST = 120.0
BACKLOG = 400
"""Events that may wait for a slow page before its socket is closed; it then loads anew."""

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
        "connect-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; "
        "form-action 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@dataclass(frozen=True, slots=True)
class Options:
    """How a server is set up."""

    networks: Sequence[Path] = ()
    """Network files to choose from; the first is the default."""
    folder: Path | None = None
    """Where sessions are kept; None: in memory alone."""
    hosts: Iterable[str] = ()
    """Names by which pages may call this server, beside loopback and IP addresses."""
    threads: int = 2
    """Threads that search."""


@dataclass(slots=True)
class Allowance:
    """Messages a socket may send: so many at once, and so many a second."""

    left: float = BURST
    since: float = field(default_factory=time.monotonic)

    def take(self) -> bool:
        """Whether one more message is within bounds."""
        now = time.monotonic()
        self.left = min(BURST, self.left + (now - self.since) * MESSAGES_PER_SECOND)
        self.since = now
        if self.left < 1.0:
            return False
        self.left -= 1.0
        return True


class Lobby:
    """Every session in memory."""

    def __init__(self, options: Options) -> None:
        self.engines = engines.Engines(options.networks)
        self.scheduler = Scheduler(options.threads)
        self.sockets = 0
        self._store = Store(options.folder)
        self._sessions: dict[str, Session] = {}

    def session(self, name: str) -> Session:
        """The session of a name: in memory, from disk, or a fresh one under a new name."""
        known = self._sessions.get(name)
        if known is not None:
            return known
        self._tidy()
        if len(self._sessions) >= MOST_SESSIONS:
            raise HonteError(
                f"This server holds {MOST_SESSIONS} sessions and has no room: try again later."
            )
        saved = self._store.load(name)
        if saved is None:
            name = secrets.token_urlsafe(24)
        session = Session(name, self.engines, self.scheduler, self._store, saved)
        self._sessions[name] = session
        return session

    def _tidy(self) -> None:
        now = time.monotonic()
        full = len(self._sessions) >= MOST_SESSIONS
        for name, session in list(self._sessions.items()):
            if session.idle and (full or now - session.left_at > IDLE_SECONDS):
                session.close()
                del self._sessions[name]

    def close(self) -> None:
        """Keep every game and end every thread."""
        for session in self._sessions.values():
            session.close()
        self.scheduler.close()

    def welcome(self, session: Session) -> events.Welcome:
        """What a page is told first."""
        return events.Welcome(
            session=session.name,
            version=__version__,
            systems=[
                events.SystemInfo(
                    name=system.name,
                    answer=system.answer.value,
                    needs_network=system.needs_network,
                    grows_tree=system.grows_tree,
                    formula=system.formula,
                )
                for system in engines.SYSTEMS.values()
            ],
            networks=list(self.engines.networks),
            rules=list(RULE_NAMES),
            komi={name: Rules.named(name).default_komi for name in RULE_NAMES},
        )


def make_app(options: Options) -> FastAPI:
    """The application, to be served by uvicorn or driven by a test."""
    guard = Guard(options.hosts)
    lobbies: list[Lobby] = []

    @asynccontextmanager
    async def life(_app: FastAPI) -> AsyncIterator[None]:
        lobbies.append(Lobby(options))
        yield
        lobbies.pop().close()

    app = FastAPI(title="honte", docs_url=None, redoc_url=None, openapi_url=None, lifespan=life)

    @app.middleware("http")
    async def guarded(
        request: Request, call_next: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        reason = guard.refusal(
            request.headers.get("host"), request.headers.get("origin"), needs_origin=False
        )
        if reason is not None:
            return PlainTextResponse(reason, status_code=403)
        response = await call_next(request)
        response.headers.update(_HEADERS)
        response.headers["Cache-Control"] = "no-cache"  # asked for again, answered from the cache
        return response

    @app.websocket("/socket")
    async def socket(websocket: WebSocket, session: str = "") -> None:
        headers = websocket.headers
        reason = guard.refusal(headers.get("host"), headers.get("origin"), needs_origin=True)
        lobby = lobbies[0]
        if reason is not None or lobby.sockets >= MOST_SOCKETS:
            await websocket.close(code=1008)
            return
        await websocket.accept()
        lobby.sockets += 1
        try:
            await _serve(websocket, lobby, session if is_session_name(session) else "")
        finally:
            lobby.sockets -= 1

    app.mount("/", StaticFiles(directory=PAGE, html=True), name="page")
    return app


async def _serve(websocket: WebSocket, lobby: Lobby, name: str) -> None:
    outbox: asyncio.Queue[events.Event | None] = asyncio.Queue(BACKLOG)

    def send(event: events.Event | None) -> None:
        try:
            outbox.put_nowait(event)
        except asyncio.QueueFull:
            writer.cancel()

    writer = asyncio.create_task(_write(websocket, outbox))
    try:
        try:
            session = lobby.session(name)
        except HonteError as error:
            send(events.Refused(message=str(error)))
            send(None)
            await writer
            return
        send(lobby.welcome(session))
        session.join(send)
        try:
            await _read(websocket, session, send)
        finally:
            session.leave(send)
    finally:
        writer.cancel()
        with suppress(asyncio.CancelledError):
            await writer


async def _write(websocket: WebSocket, outbox: asyncio.Queue[events.Event | None]) -> None:
    try:
        while (event := await outbox.get()) is not None:
            await websocket.send_text(event.model_dump_json())
    except (WebSocketDisconnect, RuntimeError):
        return
    finally:
        with suppress(Exception):
            await websocket.close()


async def _read(
    websocket: WebSocket, session: Session, send: Callable[[events.Event], None]
) -> None:
    allowance = Allowance()
    while True:
        try:
            message = await websocket.receive()
        except (WebSocketDisconnect, RuntimeError):
            return
        if message["type"] == "websocket.disconnect":
            return
        text = message.get("text") or message.get("bytes") or b""
        if not allowance.take():
            send(events.Refused(message="Too many messages at once: wait a moment."))
            await asyncio.sleep(0.5)
            continue
        number = 0
        try:
            request = parse_request(text)
            number = request.number
            session.handle(request, send)
        except HonteError as error:
            send(events.Refused(number=number, message=str(error)))
        except Exception as error:
            logger.exception("A request failed.")
            kind = type(error).__name__
            send(
                events.Refused(
                    number=number,
                    message=f"Something went wrong here ({kind}); the game is safe. Try again.",
                )
            )
        # One page that talks without a break must not keep the others waiting.
        await asyncio.sleep(0)
