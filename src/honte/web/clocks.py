"""Two players' clocks: one runs while its player is to move."""

from __future__ import annotations

import time

from pydantic import BaseModel, ConfigDict

from honte.players.clock import ByoYomi, Canadian, Clock, ClockReading
from honte.web.events import ClockFace
from honte.web.requests import ClockSettings, FischerSettings


class SavedClocks(BaseModel):
    """Both clocks as they are kept with a game."""

    model_config = ConfigDict(frozen=True)

    settings: ClockSettings
    left: tuple[ClockFace, ClockFace]
    """Black's and White's."""
    runs: bool
    """Whether the time of the player to move was running."""


class GameClock:
    """Each player's time under one system; values are seconds."""

    def __init__(self, settings: ClockSettings) -> None:
        self.settings = settings
        self._clocks = (Clock(settings.system()), Clock(settings.system()))
        self._running: int | None = None
        self._since = 0.0

    @classmethod
    def restored(cls, saved: SavedClocks) -> GameClock:
        """Clocks as they were kept; both stand until :meth:`start`."""
        clocks = cls(saved.settings)
        for clock, face in zip(clocks._clocks, saved.left, strict=True):
            clock.report(face.seconds, face.moves if face.overtime else 0)
        return clocks

    def saved(self) -> SavedClocks:
        """Both clocks, what runs of the move under way taken off."""
        return SavedClocks(
            settings=self.settings,
            left=(self.face(0), self.face(1)),
            runs=self._running is not None,
        )

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
        """The running player has moved: the time is taken, what the system adds is given."""
        if self._running is not None:
            self._clocks[self._running].spend(time.monotonic() - self._since)
            self._running = None

    def face(self, player: int) -> ClockFace:
        """What a player's clock shows now."""
        reading = self._clocks[player].read()
        elapsed = time.monotonic() - self._since if player == self._running else 0.0
        system = reading.system
        if not reading.in_overtime:
            if elapsed < reading.main or not isinstance(system, ByoYomi | Canadian):
                seconds = max(reading.main - elapsed, 0.0)
                return ClockFace(seconds=seconds, overtime=False, moves=0)
            elapsed -= reading.main
        if isinstance(system, ByoYomi):
            periods = reading.moves if reading.in_overtime else system.periods
            while periods > 1 and elapsed >= reading.period:
                elapsed -= reading.period
                periods -= 1
            return ClockFace(
                seconds=max(reading.period - elapsed, 0.0), overtime=True, moves=periods
            )
        assert isinstance(system, Canadian)
        stones = reading.moves if reading.in_overtime else system.stones
        return ClockFace(seconds=max(reading.period - elapsed, 0.0), overtime=True, moves=stones)

    def is_lost(self, player: int) -> bool:
        """Whether a player has no time left."""
        face = self.face(player)
        if face.seconds > 0.0:
            return False
        # Main time that runs out leads into overtime, where there is any.
        return face.overtime or isinstance(self.settings, FischerSettings)

    def until_change(self, player: int) -> float:
        """Seconds until the face of the running player jumps: to overtime, to the next period, or
        to the end."""
        return self.face(player).seconds

    def reading(self, player: int) -> ClockReading:
        """What the time manager asks of a clock."""
        return self._clocks[player].read()
