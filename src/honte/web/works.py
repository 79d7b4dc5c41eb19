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
from honte.search import (
    AlphaBeta,
    AlphaBetaConfig,
    Budget,
    EvaluationCache,
    Search,
    SearchConfig,
    SearchResult,
)
from honte.web import events, views
from honte.web.game import GameTree
from honte.web.scheduler import Work

SLICE = 0.05
"""Seconds of a slice: short, so that twenty people each get theirs within a second or two."""
REPORT_EVERY = 0.25
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
    """Search until a limit is reached, a slice at a time, all by the plan of the first."""
    started = time.monotonic()
    begun = False
    while True:
        left = SLICE
        if limits.seconds is not None:
            left = min(left, max(0.0, limits.seconds - (time.monotonic() - started)))
        result = search.run(Budget(visits=limits.visits, seconds=left), resume=begun)
        begun = True
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


@dataclass(frozen=True, slots=True)
class LookedAhead:
    """What alpha-beta has found so far."""

    result: SearchResult
    depth: int
    """The deepest depth finished."""
    evaluator: Evaluator


def look_ahead(
    search: AlphaBeta, limits: Limits, send: Callable[[LookedAhead, bool], None]
) -> Work:
    """Look deeper and deeper, a slice at a time; what each depth found is sent."""
    walk = search.slices(Budget(visits=limits.visits, seconds=limits.seconds))
    due = time.perf_counter() + SLICE
    while True:
        try:
            found = next(walk)
        except StopIteration as end:
            send(LookedAhead(end.value, search.depth_finished, search.evaluator), False)
            return
        if found is not None:
            send(LookedAhead(found, search.depth_finished, search.evaluator), True)
        if time.perf_counter() >= due:
            yield
            due = time.perf_counter() + SLICE


def look_ahead_on(
    make: Callable[[], AlphaBeta],
    limits: Limits,
    send: Callable[[LookedAhead, bool], None],
    on_result: Callable[[SearchResult], None] | None = None,
) -> Work:
    """Look ahead from a position, reporting; ``on_result`` hears the decision at the end."""

    def heard(found: LookedAhead, running: bool) -> None:
        send(found, running)
        if not running and on_result is not None:
            on_result(found.result)

    yield from look_ahead(make(), limits, heard)


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
        found.append(position_analysis(turn, search.result(), views.in_points(search.evaluator)))
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
    config: SearchConfig | AlphaBetaConfig | None
    evaluator: Evaluator | None
    visits: int
    error: str | None = None


@dataclass(slots=True)
class _Running:
    """A contender at work: ``answer`` is what it has found, None before anything."""

    contender: Contender
    work: Work
    answer: Callable[[], events.Compared | None]
    used: float = 0.0


def compare(
    state: GoState,
    node: int,
    contenders: Callable[[], Sequence[Contender]],
    caches: Callable[[Evaluator], EvaluationCache | None],
    send: Callable[[events.Compared], None],
    number: int = 0,
) -> Work:
    """Search one position with several systems, a slice each in turn."""
    running: list[_Running] = []
    for contender in contenders():
        if contender.config is None or contender.evaluator is None:
            send(_refusal(contender, number))
        elif isinstance(contender.config, AlphaBetaConfig):
            search = AlphaBeta(state, contender.config, contender.evaluator)
            running.append(_ahead(contender, search, state, node))
        else:
            running.append(
                _growing(
                    contender,
                    Search(
                        state,
                        contender.config,
                        contender.evaluator,
                        cache=caches(contender.evaluator),
                    ),
                    state,
                    node,
                )
            )
    yield
    while running:
        for one in list(running):
            began = time.perf_counter()
            try:
                finished = next(one.work, _END) is _END
            except HonteError as error:
                send(_refusal(one.contender, number, str(error)))
                running.remove(one)
                continue
            one.used += time.perf_counter() - began
            if (answer := one.answer()) is not None:
                told = {"number": number, "seconds": one.used, "finished": finished}
                send(answer.model_copy(update=told))
            if finished:
                running.remove(one)
            yield


_END = object()


def _growing(contender: Contender, search: Search, state: GoState, node: int) -> _Running:
    def answer() -> events.Compared:
        report = views.report(search.evaluator, search.result(), state, node, running=True)
        rows = views.tree_rows(search.root, COMPARED_ROWS)
        return events.Compared(system=contender.name, report=report, rows=rows)

    return _Running(contender, slices(search, Limits(contender.visits)), answer)


def _ahead(contender: Contender, search: AlphaBeta, state: GoState, node: int) -> _Running:
    found: list[LookedAhead] = []

    def answer() -> events.Compared | None:
        if not found:
            return None
        last = found.pop()
        found.clear()
        report = views.report(last.evaluator, last.result, state, node, running=True)
        return events.Compared(system=contender.name, report=report, depth=last.depth)

    work = look_ahead(search, Limits(contender.visits), lambda ahead, _: found.append(ahead))
    return _Running(contender, work, answer)


def _refusal(contender: Contender, number: int, error: str | None = None) -> events.Compared:
    message = error or contender.error
    return events.Compared(number=number, system=contender.name, finished=True, message=message)
