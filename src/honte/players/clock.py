"""Time systems, and a clock that keeps count under them.

The systems are those of GTP, of KGS and of KataGo's ``kata-time_settings``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from honte.errors import HonteError

LONGEST_SECONDS = 1e12
"""No time is longer than this; far above the 2^31 − 1 that controllers may send."""


def _check_seconds(name: str, value: float) -> None:
    if not (math.isfinite(value) and 0.0 <= value <= LONGEST_SECONDS):
        raise HonteError(f"The {name} of {value} seconds is no time: give a finite number ≥ 0.")


@dataclass(frozen=True, slots=True)
class NoLimit:
    """As long as one likes."""


@dataclass(frozen=True, slots=True)
class Absolute:
    """Sudden death: ``main`` seconds for the whole game."""

    main: float

    def __post_init__(self) -> None:
        _check_seconds("main time", self.main)


@dataclass(frozen=True, slots=True)
class Canadian:
    """After ``main`` seconds, ``stones`` moves in each ``period`` of seconds."""

    main: float
    period: float
    stones: int

    def __post_init__(self) -> None:
        _check_seconds("main time", self.main)
        _check_seconds("period", self.period)
        if self.stones < 1:
            raise HonteError(f"{self.stones} stones a period is no overtime: give at least 1.")


@dataclass(frozen=True, slots=True)
class ByoYomi:
    """After ``main`` seconds, one move in each ``period``; a period that runs out is lost."""

    main: float
    period: float
    periods: int

    def __post_init__(self) -> None:
        _check_seconds("main time", self.main)
        _check_seconds("period", self.period)
        if self.periods < 1:
            raise HonteError(f"{self.periods} periods is no overtime: give at least 1.")


@dataclass(frozen=True, slots=True)
class Fischer:
    """``main`` seconds, and ``increment`` more after each move.

    ``main_limit`` caps what may be saved up, ``move_limit`` what one move may take; None: no cap.
    """

    main: float
    increment: float
    main_limit: float | None = None
    move_limit: float | None = None

    def __post_init__(self) -> None:
        _check_seconds("main time", self.main)
        _check_seconds("increment", self.increment)
        if self.main_limit is not None:
            _check_seconds("limit of main time", self.main_limit)
            if self.main_limit < self.main:
                raise HonteError(
                    f"The limit of main time, {self.main_limit:g} s, is below the main time, "
                    f"{self.main:g} s: give at least that, or -1 for no limit."
                )
        if self.move_limit is not None:
            _check_seconds("limit of a move", self.move_limit)


TimeSystem = NoLimit | Absolute | Canadian | ByoYomi | Fischer


@dataclass(frozen=True, slots=True)
class ClockReading:
    """What one player has left, in seconds."""

    system: TimeSystem
    main: float
    """Main time left."""
    period: float
    """Left of the overtime period under way, or its full length while main time runs."""
    moves: int
    """Canadian: stones still to play in this period. Byo-yomi: periods left. Else 0."""
    in_overtime: bool


class Clock:
    """One player's time. It counts down by what it is told, or by what the controller reports."""

    def __init__(self, system: TimeSystem | None = None) -> None:
        """``system`` None: nothing is known, so a later report is all there is to go by."""
        self._announced = system is not None
        self._system: TimeSystem = system if system is not None else NoLimit()
        self._main = getattr(self._system, "main", 0.0)
        self._in_overtime = False
        self._start_period()
        if isinstance(self._system, ByoYomi):
            self._moves = self._system.periods
        if self._main == 0.0 and isinstance(self._system, Canadian | ByoYomi):
            self._in_overtime = True

    def _start_period(self) -> None:
        self._period = getattr(self._system, "period", 0.0)
        self._moves = self._system.stones if isinstance(self._system, Canadian) else 0

    def read(self) -> ClockReading:
        """What is left now."""
        return ClockReading(self._system, self._main, self._period, self._moves, self._in_overtime)

    def report(self, seconds: float, moves: int) -> None:
        """Take over what the controller says is left (GTP's ``time_left``).

        ``moves`` is 0 while main time runs; then it counts the stones of a Canadian period, or
        the periods of byo-yomi. A slightly negative time counts as 0, as controllers send it.
        """
        if not math.isfinite(seconds) or seconds < -10.0 or seconds > LONGEST_SECONDS:
            raise HonteError(f"{seconds} seconds left makes no sense: give a finite number ≥ 0.")
        if moves < 0:
            raise HonteError(f"{moves} moves left makes no sense: give 0 or more.")
        seconds = max(seconds, 0.0)
        if isinstance(self._system, NoLimit):
            if self._announced:
                return
            self._system = Canadian(0.0, seconds, moves) if moves else Absolute(seconds)
        if moves > 0 and isinstance(self._system, Canadian | ByoYomi):
            self._main, self._period, self._moves = 0.0, seconds, moves
            self._in_overtime = True
        else:
            self._main = seconds
            self._in_overtime = False
            self._start_period()
            if isinstance(self._system, ByoYomi):
                self._moves = self._system.periods

    def spend(self, seconds: float) -> None:
        """One move took this long, lag included."""
        system = self._system
        if isinstance(system, NoLimit):
            return
        if not self._in_overtime:
            overrun = seconds - self._main
            self._main = max(self._main - seconds, 0.0)
            if isinstance(system, Fischer):
                self._main += system.increment
                if system.main_limit is not None:
                    self._main = min(self._main, system.main_limit)
            if overrun <= 0.0 or not isinstance(system, Canadian | ByoYomi):
                return
            self._in_overtime = True
            seconds = overrun
        if isinstance(system, Canadian):
            self._period = max(self._period - seconds, 0.0)
            self._moves -= 1
            if self._moves <= 0:
                self._start_period()
        elif isinstance(system, ByoYomi):
            while seconds > self._period and self._moves > 1:
                seconds -= self._period
                self._moves -= 1
                self._period = system.period
            self._period = system.period
