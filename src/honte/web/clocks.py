"""Two players' clocks: one runs while its player is to move."""

from __future__ import annotations

import time

from honte.players.clock import Clock, ClockReading, Fischer
from honte.web.requests import ClockSettings


class GameClock:
    """Main time and an increment for each player; values are seconds."""

    def __init__(self, settings: ClockSettings) -> None:
        self.settings = settings
        system = Fischer(settings.main, settings.increment)
        self._clocks = (Clock(system), Clock(system))
        self._running: int | None = None
        self._since = 0.0

    @property
    def running(self) -> int | None:
        """Whose time runs; None while both stand."""
        return self._running

    def start(self, player: int) -> None:
        """Let a player's time run from now on."""
        self._running = player
        self._since = time.monotonic()

    def stop(self) -> None:
        """Let both stand; what ran of this move is forgotten."""
        self._running = None

    def moved(self) -> None:
        """The running player has moved: the time is taken, the increment given."""
        if self._running is not None:
            self._clocks[self._running].spend(time.monotonic() - self._since)
            self._running = None

    def left(self, player: int) -> float:
        """Seconds a player has left now, at least 0."""
        seconds = self._clocks[player].read().main
        if player == self._running:
            seconds -= time.monotonic() - self._since
        return max(seconds, 0.0)

    def reading(self, player: int) -> ClockReading:
        """What the time manager asks of a clock."""
        return self._clocks[player].read()
