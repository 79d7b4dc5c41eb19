"""One person's session: a game, a search of it, and the sockets that show it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress

from honte.errors import HonteError
from honte.games.go import BLACK, GoState
from honte.players.time_manager import allot
from honte.search import SearchResult
from honte.web import bandit, bench, engines, events, requests, views, works
from honte.web.clocks import GameClock
from honte.web.game import GameTree
from honte.web.scheduler import Account, Scheduler, Task, Work
from honte.web.store import Saved, Store

logger = logging.getLogger(__name__)

Send = Callable[[events.Event], None]

MOVE_WEIGHT = 4.0
"""A person who waits for a move gets four times the time of one who analyses."""
ANALYSIS_VISITS = requests.MOST_VISITS
MOST_SHORT_WORKS = 8
"""Questions of one session that may wait."""
LAG = 0.1
RESULT_NAMES = {0: "B", 1: "W"}


class Session:
    """All of its methods run in the server's event loop; works run in the scheduler's threads
    and come back through it."""

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
        self._engines = shared
        self._bench = bench.Bench(shared)
        self._scheduler = scheduler
        self._store = store
        self._account = Account()
        self._setting = events.Setting(
            system="uct" if shared.networks[0] == engines.PLAYOUTS else "katago",
            network=shared.networks[0],
            visits=2_000 if shared.networks[0] == engines.PLAYOUTS else 100,
            seconds=0.0,
            black="person",
            white="person",
        )
        self._game = GameTree.new(requests.NewGame(type="new_game"))
        self._serial = 0
        self._outcome: str | None = None
        self._clock: GameClock | None = None
        self._flag: asyncio.TimerHandle | None = None
        self._task: Task | None = None
        self._work = events.Working(work=None)
        self._analysing = False
        self._watched = 0
        self._last_report: events.Report | None = None
        self._unsaved: asyncio.TimerHandle | None = None
        if saved is not None:
            self._restore(saved)

    # Sockets

    def join(self, send: Send) -> None:
        """A page begins to show this session: it is told everything."""
        self.sockets.add(send)
        send(self._game_event())
        send(self._position_event())
        send(self._work)
        if self._clock is not None:
            send(self._clock_event())
        if self._last_report is not None:
            send(self._last_report)

    def leave(self, send: Send) -> None:
        """A page is gone. Analysis for nobody stops; a move being thought of is still made."""
        self.sockets.discard(send)
        self.left_at = time.monotonic()
        if not self.sockets:
            self._watched = 0
            if self._work.work != "think":
                self._analysing = False
                self._stop_work()

    @property
    def idle(self) -> bool:
        """Whether nobody looks and nothing is under way."""
        return not self.sockets and self._task is None

    def close(self) -> None:
        """Stop all work and keep the game."""
        self._stop_work()
        self.save_now()

    def _tell(self, event: events.Event) -> None:
        for send in list(self.sockets):
            send(event)

    def _later(self, act: Callable[[], None]) -> None:
        """From a worker's thread: act in the event loop."""
        with suppress(RuntimeError):  # the loop is closed: the server is going down
            self._loop.call_soon_threadsafe(act)

    # Requests

    def handle(self, request: requests.AnyRequest, answer: Send) -> None:
        """Do what a page asks. Raises HonteError where it cannot be done."""
        match request:
            case requests.NewGame():
                self._new_game(request)
            case requests.LoadSgf():
                self._replace(GameTree.of_text(request.text))
                self._seat("person", "person")
            case requests.Play():
                self._play(request.action)
            case requests.Resign():
                self._resign()
            case requests.GoTo():
                self._go_to(request.node)
            case requests.Delete():
                self._game.delete(request.node)
                self._changed(tree=True)
            case requests.Configure():
                self._configure(request)
            case requests.Analyse():
                self._analysing = request.on
                self._go_on(play=False)
            case requests.Think():
                self._refuse_if_over()
                self._think()
            case requests.Scan():
                self._scan(request)
            case requests.Cancel():
                self._analysing = False
                self._stop_work()
            case requests.GetSgf():
                answer(self._sgf(request.number))
            case requests.Count():
                self._count(request, answer)
            case requests.Watch():
                self._watched = request.nodes
                if request.nodes:
                    self._ask_once(lambda place: self._tree(place), answer, request.number)
            case requests.Table():
                self._ask_once(lambda _: self._bench.table(request), answer, request.number)
            case requests.BeginSteps() | requests.MoreSteps():
                count = request.count if isinstance(request, requests.MoreSteps) else 1
                begin, number = isinstance(request, requests.BeginSteps), request.number
                self._ask_once(
                    lambda place: self._bench.steps(place, count, number, begin=begin),
                    answer,
                    number,
                )
            case requests.Explore():
                if not request.actions:
                    self._refuse_finished_board()
                work = self._bench.explore(self._place(), request, self._sender(answer))
                self._begin("explore", work, answer)
            case requests.RunBandit():
                self._begin("bandit", bandit.run_bandit(request, self._sender(answer)), answer)
            case requests.Compare():
                self._compare(request, answer)
        answer(events.Done(number=request.number))

    # The game

    def _new_game(self, wish: requests.NewGame) -> None:
        game = GameTree.new(wish)
        self._replace(game)
        self._clock = None if wish.clock is None else GameClock(wish.clock)
        self._seat(wish.black, wish.white)

    def _replace(self, game: GameTree) -> None:
        self._stop_work()
        self._game = game
        self._serial += 1
        self._outcome = None
        self._clock = None
        self._bench.clear()
        self._last_report = None

    def _seat(self, black: str, white: str) -> None:
        self._setting = self._setting.model_copy(update={"black": black, "white": white})
        self._changed(tree=True, play=True)

    def _play(self, action: int) -> None:
        self._refuse_if_over()
        added = self._game.play(action)
        self._moved(added)

    def _moved(self, added: bool) -> None:
        if self._clock is not None:
            self._clock.moved()
        if self._game.state.is_terminal():
            self._end_by_count()
        self._changed(tree=added, play=True)

    def _end_by_count(self) -> None:
        state = self._game.state
        if state.is_no_result():
            self._outcome = "Void"
        else:
            self._outcome = outcome_of(state.score())
        self._game.set_result(self._outcome)

    def _refuse_if_over(self) -> None:
        if self._outcome is not None and self._outcome.endswith(("+R", "+T")):
            raise HonteError(f"The game is over ({self._outcome}): start another, or go back.")
        if self._game.state.is_terminal():
            raise HonteError("The game is over: both players have passed. Go back to play on.")

    def _resign(self) -> None:
        self._refuse_if_over()
        self._give_up(self._game.state.to_play, "R")

    def _give_up(self, loser: int, how: str) -> None:
        self._stop_work()
        self._outcome = f"{RESULT_NAMES[1 - loser]}+{how}"
        self._game.set_result(self._outcome)
        if self._clock is not None:
            self._clock.stop()
        self._analysing = False
        self._changed(tree=False)

    def _go_to(self, node: int) -> None:
        self._game.go_to(node)
        self._outcome = None
        if self._game.state.is_terminal():
            self._end_by_count()
        if self._clock is not None:
            self._clock.stop()
        self._changed(tree=False)

    def _configure(self, wish: requests.Configure) -> None:
        changes = {
            key: value
            for key in ("system", "network", "visits", "seconds", "black", "white")
            if (value := getattr(wish, key)) is not None
        }
        setting = self._setting.model_copy(update=changes)
        system = engines.named_system(setting.system)
        if setting.network not in self._engines.networks:
            names = ", ".join(self._engines.networks)
            raise HonteError(f"There is no network {setting.network!r} here; there are {names}.")
        if system.needs_network and setting.network == engines.PLAYOUTS:
            raise HonteError(
                f"The system {system.name} is a network and nothing else: choose a network, "
                "or start the server with --network FILE."
            )
        self._setting = setting
        self._changed(tree=True, play=True)

    def _changed(self, *, tree: bool, play: bool = False) -> None:
        """The position or the tree changed: tell, keep, and let the engine go on."""
        self._stop_work()
        if tree:
            self._tell(self._game_event())
        self._tell(self._position_event())
        self._save_soon()
        self._go_on(play=play)

    def _go_on(self, *, play: bool) -> None:
        over = self._game.state.is_terminal() or self._outcome is not None
        if self._clock is not None and play and not over:
            self._clock.start(self._game.state.to_play)
        self._watch_flag()
        if not over and play and self._seat_to_move() == "engine":
            self._think()
        elif self._analysing and not self._game.state.is_terminal():
            self._analyse()
        else:
            self._stop_work()

    def _seat_to_move(self) -> str:
        return self._setting.black if self._game.state.to_play == BLACK else self._setting.white

    # Clocks

    def _watch_flag(self) -> None:
        if self._flag is not None:
            self._flag.cancel()
            self._flag = None
        clock = self._clock
        if clock is None:
            return
        self._tell(self._clock_event())
        if (player := clock.running) is not None:
            self._flag = self._loop.call_later(clock.left(player) + 0.05, self._flagged, player)

    def _flagged(self, player: int) -> None:
        if self._clock is not None and self._clock.running == player:
            if self._clock.left(player) > 0.0:
                self._watch_flag()
            else:
                self._give_up(player, "T")

    def _clock_event(self) -> events.ClockState:
        clock = self._clock
        assert clock is not None
        return events.ClockState(black=clock.left(0), white=clock.left(1), running=clock.running)

    # Long works

    def _begin(self, name: str, work: Work, answer: Send | None, weight: float = 1.0) -> None:
        """Start a long work in place of what is under way."""
        self._stop_work()
        self._work = events.Working(work=name)
        self._tell(self._work)

        def ended(error: BaseException | None) -> None:
            self._later(lambda: self._ended(task, error, answer))

        task = self._scheduler.submit(self._account, work, on_end=ended, weight=weight)
        self._task = task

    def _ended(self, task: Task, error: BaseException | None, answer: Send | None) -> None:
        if task is self._task:
            self._task = None
            self._work = events.Working(work=None)
            self._tell(self._work)
        if error is not None:
            (answer or self._tell)(events.Refused(message=_sentence(error)))

    def _stop_work(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None
            self._work = events.Working(work=None)
            self._tell(self._work)

    def _ask_once(
        self, act: Callable[[bench.Place], events.Event | None], answer: Send, number: int
    ) -> None:
        """A short work beside the long one, whose answer goes to one page."""
        if len(self._account.waiting) > MOST_SHORT_WORKS:
            raise HonteError("There is too much under way here: wait a moment.")
        place, send = self._place(), self._sender(answer)

        def work() -> Work:
            event = act(place)
            if event is not None:
                send(event)
            yield

        def ended(error: BaseException | None) -> None:
            if error is not None:
                send(events.Refused(number=number, message=_sentence(error)))

        self._scheduler.submit(self._account, work(), on_end=ended, weight=MOVE_WEIGHT)

    def _place(self) -> bench.Place:
        return bench.Place.shown(self._game, self._setting)

    def _tree(self, place: bench.Place) -> events.SearchTree | None:
        return self._bench.tree(self._watched, place.game) if self._watched else None

    def _sender(self, answer: Send) -> Callable[[events.Event], None]:
        return lambda event: self._later(lambda: answer(event))

    def _progress(self, work: str, done: int, total: int) -> None:
        self._work = events.Working(work=work, done=done, total=total)
        self._tell(self._work)

    def _analyse(self) -> None:
        place = self._place()
        limits = works.Limits(ANALYSIS_VISITS)
        work = works.search_on(lambda: self._bench.search(place), limits, self._report)
        self._begin("analyse", work, None)

    def _compare(self, wish: requests.Compare, answer: Send) -> None:
        self._refuse_finished_board()
        for name in wish.systems:
            engines.named_system(name)
        place = self._place()
        work = works.compare(
            place.state,
            place.node,
            lambda: self._bench.contenders(place, wish),
            self._bench.cache_for,
            self._sender(answer),
            wish.number,
        )
        self._begin("compare", work, answer)

    def _refuse_finished_board(self) -> None:
        if self._game.state.is_terminal():
            raise HonteError("The game on the board is over: go back to another position.")

    def _think(self) -> None:
        place = self._place()
        state, node = place.state, place.node
        seconds: float | None = self._setting.seconds or None
        if self._clock is not None and self._clock.running is not None:
            allotment = allot(
                self._clock.reading(state.to_play),
                points=state.width * state.height,
                move_number=state.move_number,
                lag=LAG,
            )
            if allotment is not None:
                seconds = min(seconds or allotment.planned, allotment.planned)
        visits = bench.visits_of(self._setting.system, self._setting.visits, state)
        limits = works.Limits(visits, seconds)

        def decided(result: SearchResult) -> None:
            self._later(lambda: self._engine_moves(node, state, result.action))

        work = works.search_on(lambda: self._bench.search(place), limits, self._report, decided)
        self._begin("think", work, None, MOVE_WEIGHT)

    def _engine_moves(self, node: int, state: GoState, action: int | None) -> None:
        if action is None or node != self._game.current or self._game.state is not state:
            return
        self._task = None
        self._work = events.Working(work=None)
        self._moved(self._game.play(action))

    def _report(self, searched: works.Searched, result: SearchResult, running: bool) -> None:
        """In a worker: make the report, and the tree where it is watched, and send them."""
        report = views.report(
            searched.search, result, searched.state, searched.node, running=running
        )
        tree = self._bench.tree(self._watched, searched.game) if self._watched else None
        self._later(lambda: self._take_report(report, tree))

    def _take_report(self, report: events.Report, tree: events.SearchTree | None) -> None:
        self._last_report = report
        self._tell(report)
        if tree is not None:
            self._tell(tree)
        old = self._game.judgements.get(report.node)
        judgement = events.Judgement(
            visits=report.visits,
            black_winrate=report.black_winrate,
            black_lead=report.black_lead,
            loss=old.loss if old else None,
            points_loss=old.points_loss if old else None,
            grade=old.grade if old else None,
        )
        self._judge({report.node: judgement})

    def _judge(self, judgements: dict[int, events.Judgement]) -> None:
        known = {n: j for n, j in judgements.items() if self._game.has(n)}
        self._game.judgements.update(known)
        self._tell(events.Judged(nodes=known))

    def _scan(self, request: requests.Scan) -> None:
        setting = self._setting.model_copy()
        line = self._game.line()
        states = self._game.states_along(line)

        def send(told: dict[int, events.Judgement], done: int, total: int) -> None:
            self._later(lambda: self._scanned(told, done, total))

        work = works.scan(
            states, lambda state: self._bench.new_search(setting, state), request.visits, send
        )
        self._begin("scan", work, None)

    def _scanned(self, told: dict[int, events.Judgement], done: int, total: int) -> None:
        self._judge(told)
        self._progress("scan", done, total)

    def _count(self, request: requests.Count, answer: Send) -> None:
        def count(place: bench.Place) -> None:
            counted = self._bench.count(place, request)
            self._later(lambda: self._take_count(place, counted, answer))

        self._ask_once(count, answer, request.number)

    def _take_count(self, place: bench.Place, counted: events.Counted, answer: Send) -> None:
        if not counted.estimate and self._game.state is place.state:
            self._outcome = outcome_of(counted.score)
            self._game.set_result(self._outcome)
            self._tell(self._position_event())
            self._save_soon()
        answer(counted)

    # Telling and keeping

    def _game_event(self) -> events.Game:
        initial = self._game.initial_state()
        rules = initial.rules
        return events.Game(
            serial=self._serial,
            width=initial.width,
            height=initial.height,
            rules=rules.name or "custom",
            komi=initial.komi,
            title=self._game.record.title,
            black_stones=list(initial.setup_stones(0)),
            white_stones=list(initial.setup_stones(1)),
            first_player=initial.to_play,
            handicap=initial.handicap,
            nodes=self._game.describe(),
            setting=self._setting,
            warnings=self._game.warnings,
            has_clock=self._clock is not None,
        )

    def _position_event(self) -> events.Position:
        state = self._game.state
        over = state.is_terminal() or self._outcome is not None
        return events.Position(
            node=self._game.current,
            board="".join(".XO"[stone] for stone in state.board().ravel()),
            to_play=state.to_play,
            last=state.last_action,
            move_number=state.move_number,
            moves=[action for _, action in state.moves()],
            captured=(state.captured(0), state.captured(1)),
            forbidden=forbidden_points(state),
            over=over,
            outcome=self._outcome,
        )

    def _sgf(self, number: int) -> events.Sgf:
        return events.Sgf(number=number, text=self._game.record.dumps(), name="game.sgf")

    def _save_soon(self) -> None:
        if self._unsaved is None:
            self._unsaved = self._loop.call_later(0.5, self.save_now)

    def save_now(self) -> None:
        """Keep the game as it is, if it changed since."""
        if self._unsaved is None:
            return
        self._unsaved.cancel()
        self._unsaved = None
        saved = Saved(
            sgf=self._game.record.dumps(),
            way=self._game.way(),
            setting=self._setting,
            outcome=self._outcome,
        )
        try:
            self._store.save(self.name, saved)
        except OSError as error:
            logger.warning("The session cannot be kept on disk: %s", error)

    def _restore(self, saved: Saved) -> None:
        self._game = GameTree.of_text(saved.sgf)
        self._game.follow(saved.way)
        self._outcome = saved.outcome
        known = saved.setting.network in self._engines.networks
        if known and saved.setting.system in engines.SYSTEMS:
            self._setting = saved.setting


def outcome_of(score: float) -> str:
    """``W+3.5``, ``B+0.5`` or ``Draw`` from White's points less Black's."""
    if score == 0:
        return "Draw"
    return f"{'W' if score > 0 else 'B'}+{abs(score):g}"


def forbidden_points(state: GoState) -> list[int]:
    """Empty points where the side to move may not play."""
    if state.is_terminal():
        return []
    legal = set(state.legal_actions())
    board = state.board().ravel()
    return [point for point in range(board.size) if board[point] == 0 and point not in legal]


def _sentence(error: BaseException) -> str:
    if isinstance(error, HonteError):
        return str(error)
    logger.error("A work failed.", exc_info=error)
    return f"Something went wrong here ({type(error).__name__}); the game is safe. Try again."
