"""Where the games of a match are played: many at once, those of one process in shared batches.

Searches that share an evaluator think in the same batches, whichever games they are from. Engines
think in threads meanwhile. Each game is handed on as it ends.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import count
from typing import Protocol

from honte.errors import HonteError
from honte.games.go import GoState
from honte.lab.board_games import GameSpec
from honte.lab.engine import EngineFailure, GtpEngine
from honte.lab.evaluators import Evaluators
from honte.lab.openings import Opening, derived_seed
from honte.lab.seats import AlphaBetaSeat, Answer, EngineSeat, SearchSeat, set_up
from honte.lab.specs import (
    AlphaBetaPlayerSpec,
    EnginePlayerSpec,
    MatchSpec,
    PlayerSpec,
    SearchPlayerSpec,
)
from honte.lab.store import Fixture, GameRow
from honte.lab.table import Seat, Table
from honte.search import Budget, Search, run_many
from honte.search.config import Parallelism

DEFAULT_AT_ONCE = 16
"""Games at once: with a leaf or two of each the batches are full."""
ENGINES_AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class GameOrder:
    """A game that is to be played."""

    fixture: Fixture
    opening: Opening


Take = Callable[[bool], GameOrder | None]
"""The next game to play. Given True it may wait for one, and None then means that there will be
none; given False, None means that there is none now."""
Deliver = Callable[[GameRow], bool]
"""Takes a finished game; False: no more are needed."""


class Playroom(Protocol):
    """A place where games are played."""

    def check(self) -> None:
        """Try every player on an empty board. Raises HonteError that names the player and what is
        wrong with it."""
        ...

    def play(self, take: Take, deliver: Deliver) -> None:
        """Play what there is to take, until there is no more or enough is delivered."""
        ...

    def close(self) -> None:
        """End every process that was started."""
        ...


class LocalPlayroom:
    """Games in this process."""

    def __init__(
        self,
        game: GameSpec,
        match: MatchSpec,
        players: Sequence[PlayerSpec],
        *,
        evaluators: Evaluators | None = None,
        at_once: int | None = None,
    ) -> None:
        """Raises HonteError if an engine is to play a game that is not Go."""
        self.at_once = games_at_once(players, at_once)
        """Games at once."""
        self._players = {player.name: player for player in players}
        self._game = game
        self._match = match
        self._evaluators = evaluators or Evaluators()
        engines = [p for p in players if isinstance(p, EnginePlayerSpec)]
        if engines and not game.is_go:
            raise HonteError(
                f"GTP engines play Go, not {game.name.value}: leave {engines[0].name!r} out."
            )
        self._idle_engines: dict[str, list[GtpEngine]] = {}
        self._engine_numbers = count()

    def check(self) -> None:
        """Try every player on an empty board."""
        for player in self._players.values():
            try:
                self._check(player)
            except HonteError as error:
                raise HonteError(f"The player {player.name!r} cannot play: {error}") from None

    def _check(self, player: PlayerSpec) -> None:
        state = self._game.new_initial_state()
        if isinstance(player, EnginePlayerSpec):
            engine = self._take_engine(player)
            self._idle_engines.setdefault(player.name, []).append(engine)
            set_up(engine, state)
            return
        try:
            evaluator = self._evaluators.of(player)
            config = player.search if isinstance(player, SearchPlayerSpec) else None
            Search(state, config, evaluator).run(visits=2)
        except TypeError:
            if self._game.is_go or player.leaf.blind:
                raise
            raise HonteError(
                f"the network {player.leaf.network} plays Go, not {self._game.name.value}."
            ) from None

    def play(self, take: Take, deliver: Deliver) -> None:
        """Play what there is to take, until there is no more or enough is delivered."""
        _Play(self, take, deliver).run()

    def close(self) -> None:
        """End every engine."""
        for engines in self._idle_engines.values():
            for engine in engines:
                engine.close()
        self._idle_engines.clear()

    def table(self, order: GameOrder) -> Table:
        """The game on the board, with its players seated."""
        fixture = order.fixture
        seats = (self._seat(fixture, fixture.first), self._seat(fixture, fixture.second))
        return Table(self._game, self._match, fixture, order.opening, seats)

    def _seat(self, fixture: Fixture, name: str) -> Seat:
        player = self._players[name]
        if isinstance(player, EnginePlayerSpec):
            return EngineSeat(lambda: self._take_engine(player), self._give_back)
        seed = derived_seed(self._match.seed, fixture.first, fixture.second, fixture.opening, name)
        evaluator = self._evaluators.of(player)
        if isinstance(player, AlphaBetaPlayerSpec):
            return AlphaBetaSeat(player, evaluator, seed)
        return SearchSeat(player, evaluator, seed)

    def _take_engine(self, spec: EnginePlayerSpec) -> GtpEngine:
        """An engine that runs and has no game."""
        idle = self._idle_engines.setdefault(spec.name, [])
        while idle:
            engine = idle.pop()
            if engine.alive:
                return engine
        return GtpEngine(spec, next(self._engine_numbers))

    def _give_back(self, engine: GtpEngine) -> None:
        """The engine's game is over."""
        if engine.alive:
            self._idle_engines.setdefault(engine.spec.name, []).append(engine)


def games_at_once(players: Sequence[PlayerSpec], wanted: int | None = None) -> int:
    """How many games a process plays: as many as are wanted; else one where anybody plays by time,
    which others would take from it, and few with engines. Raises HonteError for less than one."""
    if wanted is not None and wanted < 1:
        raise HonteError(f"{wanted} games at once are none: give at least 1.")
    if wanted is not None:
        return wanted
    if by_time(players):
        return 1
    if any(isinstance(player, EnginePlayerSpec) for player in players):
        return ENGINES_AT_ONCE
    return DEFAULT_AT_ONCE


def by_time(players: Sequence[PlayerSpec]) -> bool:
    """Whether anybody's strength depends on how fast the machine is just then."""
    limits = (player.limits for player in players if not isinstance(player, EnginePlayerSpec))
    return any(limit is not None and limit.seconds is not None for limit in limits)


class _Play:
    """The games on the board, and who of them thinks."""

    def __init__(self, room: LocalPlayroom, take: Take, deliver: Deliver) -> None:
        self._room = room
        self._take_order = take
        self._deliver = deliver
        self._enough = False
        self._ready: deque[Table] = deque()
        self._thinking: dict[Future[Answer], Table] = {}

    def run(self) -> None:
        """Until every game is played or enough is known."""
        with ThreadPoolExecutor(max_workers=self._room.at_once) as threads:
            try:
                while not self._enough:
                    self._fill()
                    self._ask_engines(threads)
                    if not self._ready and not self._thinking:
                        return
                    self._search()
                    self._hear_engines(block=not self._ready)
            finally:
                for table in (*self._ready, *self._thinking.values()):
                    for seat in table.seats:
                        if isinstance(seat, EngineSeat):
                            seat.abandon()

    def _fill(self) -> None:
        while len(self._ready) + len(self._thinking) < self._room.at_once and not self._enough:
            order = self._take_order(not self._ready and not self._thinking)
            if order is None:
                return
            self._seat_again(self._room.table(order))

    def _ask_engines(self, threads: ThreadPoolExecutor) -> None:
        for _ in range(len(self._ready)):
            table = self._ready.popleft()
            if isinstance(table.seat, EngineSeat):
                future = threads.submit(_engine_answer, table.seat, table.state.clone())
                self._thinking[future] = table
            else:
                self._ready.append(table)

    def _hear_engines(self, *, block: bool) -> None:
        if not self._thinking:
            return
        done, _ = wait(self._thinking, timeout=None if block else 0.0, return_when=FIRST_COMPLETED)
        for future in done:
            table = self._thinking.pop(future)
            seat = table.seat
            assert isinstance(seat, EngineSeat)
            try:
                answer = future.result()
            except EngineFailure as failure:
                seat.abandon()
                table.fail(table.player, f"{failure}\n{seat.log()}".strip())
            else:
                self._take(table, answer)
            self._seat_again(table)

    def _search(self) -> None:
        """One move of every game in which a search is to move."""
        tables = list(self._ready)
        self._ready.clear()
        together: dict[tuple[int, Parallelism], list[tuple[Table, Search]]] = {}
        for table in tables:
            seat = table.seat
            if isinstance(seat, AlphaBetaSeat):
                self._look_ahead(table, seat)
                continue
            assert isinstance(seat, SearchSeat)
            search = seat.search(table.state, len(table.actions))
            if seat.spec.alone or seat.spec.limits.seconds is not None:
                self._think([(table, search)])
            else:
                key = (id(seat.evaluator), seat.spec.search.parallelism)
                together.setdefault(key, []).append((table, search))
        for group in together.values():
            self._think(group)
        for table in tables:
            self._seat_again(table)

    def _look_ahead(self, table: Table, seat: AlphaBetaSeat) -> None:
        try:
            answer = seat.move(table.state, len(table.actions))
        except HonteError as error:
            table.fail(table.player, str(error))
        else:
            self._take(table, answer)

    def _think(self, group: Sequence[tuple[Table, Search]]) -> None:
        began = time.perf_counter()
        failures: dict[int, HonteError] = {}
        budgets = [_budget(table) for table, _ in group]
        results = run_many([search for _, search in group], budgets, on_error=failures.__setitem__)
        seconds = time.perf_counter() - began
        # Who searched more had more of the time: a move without search costs next to nothing.
        whole = sum(result.simulations for result in results if result is not None)
        for index, ((table, _), result) in enumerate(zip(group, results, strict=True)):
            if result is None or result.action is None:
                table.fail(table.player, str(failures.get(index, "The search found no move.")))
            else:
                share = seconds * result.simulations / max(1, whole)
                self._take(table, Answer(result.action, share, result.winrate))

    def _take(self, table: Table, answer: Answer) -> None:
        if table.answer(answer):
            for seat in table.seats:
                if isinstance(seat, SearchSeat):
                    seat.played(table.actions[-1])

    def _seat_again(self, table: Table) -> None:
        """On to the next move, or the game to whom it is for."""
        if table.row is None:
            self._ready.append(table)
            return
        for seat in table.seats:
            if isinstance(seat, EngineSeat):
                seat.leave()
        if not self._deliver(table.row):
            self._enough = True


def _budget(table: Table) -> Budget:
    assert isinstance(table.seat, SearchSeat)
    return table.seat.spec.limits.budget()


def _engine_answer(seat: EngineSeat, state: GoState) -> Answer:
    began = time.perf_counter()
    action = seat.move(state)
    return Answer(action, time.perf_counter() - began)
