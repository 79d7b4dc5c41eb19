"""Plays the games of a match, many at once.

Searches that share an evaluator think in the same batches, whichever games they are from. Engines
think in threads meanwhile. Each game goes to the store as it ends; a match that was cut short is
gone on with by running it again.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import count

from honte.errors import HonteError
from honte.evaluation import Evaluator
from honte.games.go import GoState
from honte.lab.board_games import GameSpec
from honte.lab.engine import EngineFailure, GtpEngine
from honte.lab.evaluators import Evaluators
from honte.lab.openings import OpeningMaker, derived_seed
from honte.lab.schedule import Schedule
from honte.lab.seats import AlphaBetaSeat, Answer, EngineSeat, SearchSeat, set_up
from honte.lab.specs import (
    AlphaBetaPlayerSpec,
    EnginePlayerSpec,
    LeafValue,
    MatchSpec,
    PlayerSpec,
    SearchPlayerSpec,
)
from honte.lab.store import Fixture, GameRow, Store
from honte.lab.table import Seat, Table
from honte.search import Budget, Search, run_many
from honte.search.config import Parallelism

DEFAULT_AT_ONCE = 16
"""Games at once: with a leaf or two of each the batches are full."""
ENGINES_AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a match is."""

    done: int
    """Games in the store that belong to this match."""
    total: int
    """The most there can be."""
    latest: GameRow | None = None


OnProgress = Callable[[Progress], None]


class Match:
    """A match: who, what, in which order, and the file it is kept in."""

    def __init__(
        self,
        store: Store,
        players: Sequence[PlayerSpec],
        schedule: Schedule,
        *,
        game: GameSpec | None = None,
        match: MatchSpec | None = None,
        evaluators: Evaluators | None = None,
        at_once: int | None = None,
    ) -> None:
        """Raises HonteError if the store holds another match, or an engine is to play a game that
        is not Go."""
        self._store = store
        self._players = {player.name: player for player in players}
        self._schedule = schedule
        self._game = game or GameSpec()
        self._match = match or MatchSpec()
        self._evaluators = evaluators or Evaluators()
        engines = [p for p in players if isinstance(p, EnginePlayerSpec)]
        if engines and not self._game.is_go:
            raise HonteError(
                f"GTP engines play Go, not {self._game.name.value}: leave {engines[0].name!r} out."
            )
        if at_once is not None and at_once < 1:
            raise HonteError(f"{at_once} games at once are none: give at least 1.")
        self._at_once = at_once or _games_at_once(players)
        store.begin(self._game, self._match, players)
        self._idle_engines: dict[str, list[GtpEngine]] = {}
        self._engine_numbers = count()

    def games(self) -> list[GameRow]:
        """The games of this match that are in the store."""
        wanted = set(self._schedule.fixtures())
        return [game for game in self._store.games() if game.fixture in wanted]

    def check(self) -> None:
        """Try every player on an empty board, before the first game.

        Raises HonteError that names the player and what is wrong with it.
        """
        for player in self._players.values():
            try:
                self._check(player)
            except HonteError as error:
                raise HonteError(f"The player {player.name!r} cannot play: {error}") from None

    def _check(self, player: PlayerSpec) -> None:
        state = self._game.new_initial_state()
        if isinstance(player, EnginePlayerSpec):
            engine = self.take_engine(player)
            self._idle_engines.setdefault(player.name, []).append(engine)
            set_up(engine, state)
            return
        try:
            evaluator = self._evaluators.evaluator(player.leaf)
            config = player.search if isinstance(player, SearchPlayerSpec) else None
            Search(state, config, evaluator).run(visits=2)
        except TypeError:
            raise HonteError(
                f"the network {player.leaf.network} plays Go, not {self._game.name.value}."
            ) from None

    def run(self, on_progress: OnProgress | None = None) -> list[GameRow]:
        """Play what is missing; all games of this match. An interruption loses only the games on
        the board."""
        games = self.games()
        report = on_progress or (lambda progress: None)
        report(Progress(len(games), self._schedule.total))
        try:
            if len(games) < self._schedule.total and not self._schedule.decided(games):
                self.check()
                _Play(self, games, report).run()
        finally:
            for engines in self._idle_engines.values():
                for engine in engines:
                    engine.close()
            self._idle_engines.clear()
        return games

    def _judge(self) -> Evaluator:
        return self._evaluators.evaluator(LeafValue(network=self._match.openings.network))

    # What a round needs

    def tables(self, played: set[Fixture]) -> Iterator[Table]:
        """The games that are missing, in order, each with its opening and seats."""
        maker: OpeningMaker | None = None
        openings = self._store.openings()
        for fixture in self._schedule.fixtures():
            if fixture in played:
                continue
            if fixture.opening not in openings:
                if maker is None:
                    maker = OpeningMaker(
                        self._game, self._match.openings, self._judge(), self._match.seed
                    )
                    for opening in openings.values():
                        maker.know(opening)
                made = maker.make(fixture.opening)
                self._store.add_openings([made])
                openings[fixture.opening] = made
            opening = openings[fixture.opening]
            seats = (self._seat(fixture, fixture.first), self._seat(fixture, fixture.second))
            yield Table(self._game, self._match, fixture, opening, seats)

    def _seat(self, fixture: Fixture, name: str) -> Seat:
        player = self._players[name]
        if isinstance(player, EnginePlayerSpec):
            return EngineSeat(lambda: self.take_engine(player), self.give_back)
        seed = derived_seed(self._match.seed, fixture.first, fixture.second, fixture.opening, name)
        evaluator = self._evaluators.evaluator(player.leaf)
        if isinstance(player, AlphaBetaPlayerSpec):
            return AlphaBetaSeat(player, evaluator, seed)
        return SearchSeat(player, evaluator, seed)

    def take_engine(self, spec: EnginePlayerSpec) -> GtpEngine:
        """An engine that runs and has no game."""
        idle = self._idle_engines.setdefault(spec.name, [])
        while idle:
            engine = idle.pop()
            if engine.alive:
                return engine
        return GtpEngine(spec, next(self._engine_numbers))

    def give_back(self, engine: GtpEngine) -> None:
        """The engine's game is over."""
        if engine.alive:
            self._idle_engines.setdefault(engine.spec.name, []).append(engine)

    @property
    def at_once(self) -> int:
        """Games at once."""
        return self._at_once

    @property
    def schedule(self) -> Schedule:
        """The plan."""
        return self._schedule

    @property
    def store(self) -> Store:
        """The file."""
        return self._store


def _games_at_once(players: Sequence[PlayerSpec]) -> int:
    """One where anybody plays by time, which others would take from it; few with engines."""
    limits = (player.limits for player in players if not isinstance(player, EnginePlayerSpec))
    if any(limit is not None and limit.seconds is not None for limit in limits):
        return 1
    if any(isinstance(player, EnginePlayerSpec) for player in players):
        return ENGINES_AT_ONCE
    return DEFAULT_AT_ONCE


class _Play:
    """The games on the board, and who of them thinks."""

    def __init__(self, match: Match, games: list[GameRow], report: OnProgress) -> None:
        self._match = match
        self._games = games
        self._report = report
        self._ready: deque[Table] = deque()
        self._thinking: dict[Future[Answer], Table] = {}

    def run(self) -> None:
        """Until every game is played or enough is known."""
        tables = self._match.tables({game.fixture for game in self._games})
        schedule = self._match.schedule
        with ThreadPoolExecutor(max_workers=self._match.at_once) as threads:
            try:
                while not schedule.decided(self._games):
                    self._fill(tables)
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

    def _fill(self, tables: Iterator[Table]) -> None:
        while len(self._ready) + len(self._thinking) < self._match.at_once:
            table = next(tables, None)
            if table is None:
                return
            self._seat_again(table)

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
        seconds = (time.perf_counter() - began) / len(group)
        for index, ((table, _), result) in enumerate(zip(group, results, strict=True)):
            if result is None or result.action is None:
                table.fail(table.player, str(failures.get(index, "The search found no move.")))
            else:
                self._take(table, Answer(result.action, seconds, result.winrate))

    def _take(self, table: Table, answer: Answer) -> None:
        if table.answer(answer):
            for seat in table.seats:
                if isinstance(seat, SearchSeat):
                    seat.played(table.actions[-1])

    def _seat_again(self, table: Table) -> None:
        """On to the next move, or the game to the store."""
        if table.row is None:
            self._ready.append(table)
            return
        for seat in table.seats:
            if isinstance(seat, EngineSeat):
                seat.leave()
        row = self._match.store.add(table.row)
        if row is not None:
            self._games.append(row)
            self._report(Progress(len(self._games), self._match.schedule.total, row))


def _budget(table: Table) -> Budget:
    assert isinstance(table.seat, SearchSeat)
    return table.seat.spec.limits.budget()


def _engine_answer(seat: EngineSeat, state: GoState) -> Answer:
    began = time.perf_counter()
    action = seat.move(state)
    return Answer(action, time.perf_counter() - began)
