"""How long to think: base time for the position, then more or less as the search goes.

base = remaining / estimated remaining moves, never more than 30 % of what remains; during the
search, stop early when the runner-up can no longer catch up, go on where the best move changed
or the value fell (see "Time" in the papers' systems: AlphaGo and its successors do the same).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from honte.players.clock import Absolute, ByoYomi, Canadian, ClockReading, Fischer, NoLimit
from honte.search.result import SearchResult

LARGEST_SHARE = 0.3
"""No single move takes more than this share of the main time that remains."""
UNSETTLED_STRETCH = 3.0
"""An unsettled position may take up to this many times its base time."""
SAFETY_SECONDS = 0.05
"""What stopping a search and writing the answer may take, beside the lag."""


@dataclass(frozen=True, slots=True)
class Allotment:
    """Thinking time for one move, in seconds, lag already taken off."""

    planned: float
    maximum: float

    def after(self, seconds: float) -> Allotment:
        """What is left once so much has gone before the search began."""
        return Allotment(max(self.planned - seconds, 0.0), max(self.maximum - seconds, 0.0))


def expected_own_moves(points: int, move_number: int) -> float:
    """How many more moves each player will make, on a board of so many points.

    An average game fills about two thirds of the board; however long it lasts, a twelfth of it
    may still come.
    """
    return max((0.65 * points - move_number) / 2.0, points / 12.0, 5.0)


def _moves_of_a_long_game(points: int, move_number: int) -> float:
    """How many more moves each player makes at most, in all but freak games."""
    return max(0.35 * points + 32 - move_number / 2.0, 0.12 * points + 16)


def allot(reading: ClockReading, *, points: int, move_number: int, lag: float) -> Allotment | None:
    """The time for the next move, or None when there is no limit.

    ``lag`` is what is lost between the players on every move. Of the main time, enough for lag
    alone is kept back for a long game; so that even a clock nobody reports on never runs out.
    """
    system = reading.system
    if isinstance(system, NoLimit):
        return None
    overhead = lag + SAFETY_SECONDS
    if isinstance(system, Canadian | ByoYomi) and reading.in_overtime:
        return _overtime(reading, overhead)

    moves_left = expected_own_moves(points, move_number)
    free_each_move = 0.0
    beyond_main = 0.0
    if isinstance(system, Canadian):
        free_each_move = system.period / system.stones
        beyond_main = free_each_move
    elif isinstance(system, ByoYomi):
        free_each_move = system.period
        beyond_main = system.period
    elif isinstance(system, Fischer):
        free_each_move = system.increment
    kept_back = overhead * _moves_of_a_long_game(points, move_number)
    kept_back = max(kept_back - max(free_each_move - overhead, 0.0) * moves_left, 0.0)
    spendable = max(reading.main - kept_back, 0.0)
    planned = spendable / moves_left + 0.9 * free_each_move - overhead
    largest = LARGEST_SHARE * spendable + 0.9 * free_each_move - overhead
    ceiling = reading.main + 0.9 * beyond_main - overhead
    if isinstance(system, Fischer) and system.move_limit is not None:
        ceiling = min(ceiling, system.move_limit - overhead)
    if isinstance(system, Absolute | Fischer):
        # Even the increment must be bought from the time that is on the clock now.
        ceiling = min(ceiling, 0.7 * reading.main)
    maximum = max(min(UNSETTLED_STRETCH * planned, max(largest, planned), ceiling), 0.0)
    return Allotment(planned=max(min(planned, maximum), 0.0), maximum=maximum)


def _overtime(reading: ClockReading, overhead: float) -> Allotment:
    if isinstance(reading.system, Canadian):
        stones = max(reading.moves, 1)
        usable = max(reading.period - overhead * stones, 0.0)
        planned = 0.95 * usable / stones
        maximum = usable * 0.95 if stones == 1 else min(2.5 * planned, LARGEST_SHARE * usable)
        return Allotment(planned=planned, maximum=max(planned, maximum))
    # A byo-yomi period is there to be used; it costs nothing until it runs out.
    usable = max(reading.period - overhead, 0.0)
    return Allotment(planned=0.8 * usable, maximum=0.95 * usable)


class Pace:
    """Watches a search in timed play and says when to stop it.

    Feed it every report; it needs no other clock than the report's own ``seconds``.
    """

    def __init__(self, allotment: Allotment, *, minimum_simulations: int = 0) -> None:
        self._allotment = allotment
        self._minimum_simulations = minimum_simulations
        self._last_best: int | None = None
        self._changed_at = 0.0
        self._best_value = -math.inf

    def should_stop(self, result: SearchResult) -> bool:
        """Whether more thinking would be wasted."""
        if result.seconds >= self._allotment.maximum:
            return True
        if result.simulations < self._minimum_simulations:
            return False
        children = sorted(result.children, key=lambda child: -child.n)
        if not children:
            return result.seconds >= self._allotment.planned
        best = children[0]
        if best.action != self._last_best:
            self._changed_at = result.seconds if self._last_best is not None else 0.0
            self._last_best = best.action
        self._best_value = max(self._best_value, best.q)
        target = self._target_seconds(result, falling=self._best_value - best.q > 0.08)
        if result.seconds >= target:
            return True
        runner_up = children[1].n if len(children) > 1 else 0
        speed = result.simulations / max(result.seconds, 1e-3)
        can_still_come = speed * (target - result.seconds)
        return result.seconds > 0.05 and best.n - runner_up > can_still_come

    def _target_seconds(self, result: SearchResult, *, falling: bool) -> float:
        planned, maximum = self._allotment.planned, self._allotment.maximum
        recently = result.seconds > 0 and self._changed_at > 0.6 * result.seconds
        chosen_differs = result.action is not None and result.action != self._last_best
        stretch = 1.0 + 0.6 * recently + 0.6 * falling + 0.4 * chosen_differs
        return min(planned * stretch, maximum)
