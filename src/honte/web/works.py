"""The long works of a session, each a generator that yields between slices of its time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from honte.errors import HonteError
from honte.evaluation import Evaluator
from honte.games.go import GoState
from honte.players.analysis import (
    PositionAnalysis,
    before_the_move,
    judged,
    position_analysis,
)
from honte.search import Budget, EvaluationCache, Search, SearchConfig, SearchResult
from honte.search.config import Gumbel
from honte.web import events, views
from honte.web.game import GameTree
from honte.web.scheduler import Work

SLICE = 0.05
"""Seconds of a slice: short, so that twenty people each get theirs within a second or two."""
REPORT_EVERY = 0.25
GUMBEL_WHOLE, GUMBEL_SECONDS = 1_000, 5.0
COMPARED_ROWS = 40


@dataclass(frozen=True, slots=True)
class Searched:
    """A search, and what it is a search of."""

    search: Search
    game: GameTree
    node: int
    state: GoState
    engine: tuple[str, str]
    """The names of its system and network."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When a search ends."""

    visits: int
    seconds: float | None = None


def slices(search: Search, limits: Limits) -> Work:
    """Search until a limit is reached, a slice at a time."""
    started = time.monotonic()
    # Gumbel's halving is planned over the whole of a run, so a short one is not cut up.
    gumbel = isinstance(search.config.selection, Gumbel) and limits.visits <= GUMBEL_WHOLE
    while True:
        left = GUMBEL_SECONDS if gumbel else SLICE
        if limits.seconds is not None:
            left = min(left, max(0.0, limits.seconds - (time.monotonic() - started)))
        result = search.run(Budget(visits=limits.visits, seconds=left))
        if (
            result.visits >= limits.visits
            or result.action is None
            or search.root.proven is not None
        ):
            return
        if limits.seconds is not None and time.monotonic() - started >= limits.seconds:
            return
        yield


class Reporter:
    """Sends what a search knows, not more often than a person can read."""

    def __init__(self, searched: Searched, send: Callable[[Searched, SearchResult, bool], None]):
        self._searched = searched
        self._send = send
        self._due = 0.0
        self._started = time.monotonic()

    def tick(self) -> None:
        """After a slice: a report if one is due. A costly one makes the next wait longer."""
        now = time.monotonic()
        if now < self._due:
            return
        self._send(self._searched, self._searched.search.result(), True)
        spent = time.monotonic() - now
        # The first reports come quickly, for a person who waits for them.
        pace = REPORT_EVERY if now - self._started > REPORT_EVERY else REPORT_EVERY / 3
        self._due = now + max(pace, 8 * spent)

    def last(self) -> SearchResult:
        """The report at the end."""
        result = self._searched.search.result()
        self._send(self._searched, result, False)
        return result


def search_on(
    make: Callable[[], Searched],
    limits: Limits,
    send: Callable[[Searched, SearchResult, bool], None],
    on_result: Callable[[SearchResult], None] | None = None,
) -> Work:
    """Search a position, reporting; ``on_result`` hears the decision at the end."""
    searched = make()
    reporter = Reporter(searched, send)
    for _ in slices(searched.search, limits):
        reporter.tick()
        yield
    result = reporter.last()
    if on_result is not None:
        on_result(result)


def scan(
    states: dict[int, GoState],
    make: Callable[[GoState], Search],
    visits: int,
    send: Callable[[dict[int, events.Judgement], int, int], None],
) -> Work:
    """Search the positions of a line one after another and judge the moves between them."""
    numbers = list(states)
    positions = [states[number] for number in numbers]
    found: list[PositionAnalysis] = []
    for turn in range(len(positions)):
        search = make(before_the_move(positions, turn))
        yield from slices(search, Limits(visits))
        found.append(position_analysis(turn, search.result(), views.in_points(search)))
        told = {numbers[turn]: _judgement(found[turn])}
        if turn > 0:
            before = judged(found[turn - 1], found[turn], positions)
            told[numbers[turn]] = _judgement(found[turn], before)
        send(told, turn + 1, len(positions))
        yield


def _judgement(
    position: PositionAnalysis, before: PositionAnalysis | None = None
) -> events.Judgement:
    return events.Judgement(
        visits=position.visits,
        black_winrate=position.black_winrate,
        black_lead=position.black_lead,
        loss=None if before is None else before.winrate_loss,
        points_loss=None if before is None else before.points_loss,
        grade=None if before is None or before.winrate_loss is None else before.grade.value,
    )


@dataclass(frozen=True, slots=True)
class Contender:
    """A system in a comparison; ``error`` says why it cannot take part."""

    name: str
    config: SearchConfig | None
    evaluator: Evaluator | None
    visits: int
    error: str | None = None


def compare(
    state: GoState,
    node: int,
    contenders: Callable[[], Sequence[Contender]],
    caches: Callable[[Evaluator], EvaluationCache | None],
    send: Callable[[events.Compared], None],
    number: int = 0,
) -> Work:
    """Search one position with several systems, a slice each in turn."""
    running: list[tuple[Contender, Search, Work, float]] = []
    for contender in contenders():
        if contender.config is None or contender.evaluator is None:
            send(_refusal(contender, number))
            continue
        cache = caches(contender.evaluator)
        search = Search(state, contender.config, contender.evaluator, cache=cache)
        running.append((contender, search, slices(search, Limits(contender.visits)), 0.0))
    yield
    while running:
        still: list[tuple[Contender, Search, Work, float]] = []
        for contender, search, work, used in running:
            began = time.perf_counter()
            try:
                finished = next(work, _END) is _END
            except HonteError as error:
                send(_refusal(contender, number, str(error)))
                continue
            spent = used + time.perf_counter() - began
            answer = _compared(contender, search, state, node, spent, finished=finished)
            send(answer.model_copy(update={"number": number}))
            if not finished:
                still.append((contender, search, work, spent))
            yield
        running = still


_END = object()


def _refusal(contender: Contender, number: int, error: str | None = None) -> events.Compared:
    return events.Compared(
        number=number,
        system=contender.name,
        report=None,
        rows=[],
        seconds=0.0,
        finished=True,
        message=error or contender.error,
    )


def _compared(
    contender: Contender,
    search: Search,
    state: GoState,
    node: int,
    seconds: float,
    *,
    finished: bool,
) -> events.Compared:
    result = search.result()
    return events.Compared(
        system=contender.name,
        report=views.report(search, result, state, node, running=not finished),
        rows=views.tree_rows(search.root, COMPARED_ROWS),
        seconds=seconds,
        finished=finished,
        message=None,
    )
