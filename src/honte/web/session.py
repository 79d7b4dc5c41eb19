"""One person's session: a game, the searches of it, and the sockets that show it."""

from __future__ import annotations

import asyncio
import logging
import time

from honte.web import engines, events, requests
from honte.web.desk import Desk, Send
from honte.web.match import Match
from honte.web.scheduler import Scheduler
from honte.web.store import Saved, Store
from honte.web.thinking import Thinking

logger = logging.getLogger(__name__)

SAVED_AFTER = 0.5
"""Seconds after a change."""
CLOCK_SLACK = 0.05
"""Seconds after a clock's jump until it is looked at."""


class Session:
    """All of its methods run in the server's event loop."""

    def __init__(
        self,
        name: str,
        shared: engines.Engines,
        scheduler: Scheduler,
        store: Store,
        saved: Saved | None = None,
    ) -> None:
        self.name = name
        self.sockets: set[Send] = set()
        self.left_at = time.monotonic()
        self._loop = asyncio.get_running_loop()
        self._store = store
        self._match = Match(shared)
        self._desk = Desk(scheduler, self._tell)
        self._thinking = Thinking(self._match, self._desk, shared, self._tell, self._play)
        self._analysing = False
        self._jump: asyncio.TimerHandle | None = None
        self._unsaved: asyncio.TimerHandle | None = None
        if saved is not None:
            self._match.restore(saved)
            self._watch_clock()
            if saved.thinking and not self._match.is_over:
                self._thinking.think()

    # Sockets

    def join(self, send: Send) -> None:
        """A page begins to show this session: it is told everything."""
        self.sockets.add(send)
        send(self._match.game_event())
        send(self._match.position_event())
        send(self._desk.working)
        if (clocks := self._match.clock_event()) is not None:
            send(clocks)
        if self._thinking.last_report is not None:
            send(self._thinking.last_report)

    def leave(self, send: Send) -> None:
        """A page is gone. Analysis for nobody stops; a move being thought of is still made."""
        self.sockets.discard(send)
        self.left_at = time.monotonic()
        if not self.sockets:
            self._thinking.watched = 0
            if self._desk.working.work != "think":
                self._analysing = False
                self._desk.stop()

    @property
    def idle(self) -> bool:
        """Whether nobody looks and nothing is under way."""
        return not self.sockets and not self._desk.is_busy

    def close(self) -> None:
        """Stop all work and keep the game, its clocks as they stand."""
        clock = self._match.clock
        if self._unsaved is not None or (clock is not None and clock.running is not None):
            self._save()
        if self._jump is not None:
            self._jump.cancel()
        self._desk.stop()

    def _tell(self, event: events.Event) -> None:
        for send in list(self.sockets):
            send(event)

    # Requests

    def handle(self, request: requests.AnyRequest, answer: Send) -> None:
        """Do what a page asks. Raises HonteError where it cannot be done."""
        match request:
            case requests.NewGame():
                self._match.begin(request)
                self._replaced()
            case requests.LoadSgf():
                self._match.open(request.text)
                self._replaced()
            case requests.Play():
                self._play(request.action)
            case requests.Resign():
                self._match.resign()
                self._given_up()
            case requests.GoTo():
                self._match.go_to(request.node)
                self._changed(tree=False)
            case requests.Delete():
                self._match.game.delete(request.node)
                self._changed(tree=True)
            case requests.Configure():
                self._match.configure(request)
                self._changed(tree=True, play=True)
            case requests.Analyse():
                self._analysing = request.on
                self._go_on(play=False)
            case requests.Think():
                self._match.refuse_if_over()
                self._thinking.think()
            case requests.Scan():
                self._thinking.scan(request)
            case requests.Cancel():
                self._analysing = False
                self._desk.stop()
            case requests.GetSgf():
                record = self._match.game.record.dumps()
                answer(events.Sgf(number=request.number, text=record, name="game.sgf"))
            case requests.Count():
                self._thinking.count(request, answer, self._agreed)
            case requests.Watch():
                self._thinking.watch(request, answer)
            case requests.Table():
                self._thinking.table(request, answer)
            case requests.BeginSteps() | requests.MoreSteps():
                self._thinking.steps(request, answer)
            case requests.Explore():
                self._thinking.explore(request, answer)
            case requests.RunBandit():
                self._thinking.bandit(request, answer)
            case requests.Compare():
                self._thinking.compare(request, answer)
        answer(events.Done(number=request.number))

    # The game goes on

    def _replaced(self) -> None:
        self._desk.stop()
        self._thinking.forget()
        self._changed(tree=True, play=True)

    def _play(self, action: int) -> None:
        added = self._match.play(action)
        self._changed(tree=added, play=True)

    def _given_up(self) -> None:
        self._analysing = False
        self._changed(tree=False)

    def _agreed(self) -> None:
        self._tell(self._match.position_event())
        self._save_soon()

    def _changed(self, *, tree: bool, play: bool = False) -> None:
        """The position or the tree changed: tell, keep, and let the engine go on."""
        self._desk.stop()
        if tree:
            self._tell(self._match.game_event())
        self._tell(self._match.position_event())
        self._save_soon()
        self._go_on(play=play)

    def _go_on(self, *, play: bool) -> None:
        match = self._match
        if match.clock is not None and play and not match.is_over:
            match.clock.start(match.state.to_play)
        self._watch_clock()
        if not match.is_over and play and match.seat_to_move == "engine":
            self._thinking.think()
        elif self._analysing and not match.state.is_terminal():
            self._thinking.analyse()
        else:
            self._desk.stop()

    # Clocks

    def _watch_clock(self) -> None:
        """Tell the clocks, and look at them again when the running one jumps or ends."""
        if self._jump is not None:
            self._jump.cancel()
            self._jump = None
        clock, clocks = self._match.clock, self._match.clock_event()
        if clock is None or clocks is None:
            return
        self._tell(clocks)
        if (player := clock.running) is not None:
            wait = clock.until_change(player) + CLOCK_SLACK
            self._jump = self._loop.call_later(wait, self._clock_jumped, player)

    def _clock_jumped(self, player: int) -> None:
        clock = self._match.clock
        if clock is None or clock.running != player:
            return
        if clock.is_lost(player):
            self._match.give_up(player, "T")
            self._given_up()
        else:
            self._watch_clock()

    # Keeping

    def _save_soon(self) -> None:
        if self._unsaved is None:
            self._unsaved = self._loop.call_later(SAVED_AFTER, self._save)

    def _save(self) -> None:
        if self._unsaved is not None:
            self._unsaved.cancel()
            self._unsaved = None
        thinking = self._desk.working.work == "think"
        try:
            self._store.save(self.name, self._match.saved(thinking=thinking))
        except OSError as error:
            logger.warning("The session cannot be kept on disk: %s", error)
