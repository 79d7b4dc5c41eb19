"""The searches of a session's game: analysis, the engine's moves, judging a line, comparisons."""

from __future__ import annotations

from collections.abc import Callable

from honte.players.time_manager import allot
from honte.search import SearchResult
from honte.web import bandit, bench, engines, events, requests, views, works
from honte.web.desk import MOVE_WEIGHT, Desk, Send
from honte.web.game import GameTree
from honte.web.match import Match

LAG = 0.1
ANALYSIS_VISITS = requests.MOST_VISITS


class Thinking:
    """Starts works on the desk and takes what they find into the game and to the pages."""

    def __init__(
        self,
        match: Match,
        desk: Desk,
        shared: engines.Engines,
        tell: Send,
        on_move: Callable[[int], None],
    ) -> None:
        """``on_move`` plays what the engine has chosen at the position shown."""
        self.last_report: events.Report | None = None
        self.watched = 0
        """Nodes of the tree that are sent with each report."""
        self._match = match
        self._desk = desk
        self._bench = bench.Bench(shared)
        self._tell = tell
        self._on_move = on_move

    def forget(self) -> None:
        """The game is another."""
        self._bench.clear()
        self.last_report = None

    def analyse(self) -> None:
        """Search the position shown for as long as it is shown."""
        self._search("analyse", works.Limits(ANALYSIS_VISITS))

    def think(self) -> None:
        """Let the engine move."""
        match = self._match
        state, setting = match.state, match.setting
        seconds: float | None = setting.seconds or None
        if match.clock is not None and match.clock.running is not None:
            allotment = allot(
                match.clock.reading(state.to_play),
                points=state.width * state.height,
                move_number=state.move_number,
                lag=LAG,
            )
            if allotment is not None:
                seconds = min(seconds or allotment.planned, allotment.planned)
        visits = bench.visits_of(setting.system, setting.visits, state)
        node = match.game.current

        def decided(result: SearchResult) -> None:
            self._desk.later(lambda: moves(result.action))

        def moves(action: int | None) -> None:
            if action is not None and node == match.game.current and match.state is state:
                self._desk.leave_to_its_end()
                self._on_move(action)

        self._search("think", works.Limits(visits, seconds), decided, MOVE_WEIGHT)

    def _search(
        self,
        name: str,
        limits: works.Limits,
        on_result: Callable[[SearchResult], None] | None = None,
        weight: float = 1.0,
    ) -> None:
        place = self._place()
        if engines.named_system(place.setting.system).grows_tree:
            work = works.search_on(
                lambda: self._bench.search(place), limits, self._report, on_result
            )
        else:
            work = works.look_ahead_on(
                lambda: self._bench.look_ahead(place), limits, self._send_report(place), on_result
            )
        self._desk.begin(name, work, None, weight)

    def _place(self) -> bench.Place:
        return bench.Place.shown(self._match.game, self._match.setting)

    # Reports

    def _report(self, searched: works.Searched, result: SearchResult, running: bool) -> None:
        """In a worker: make the report, and the tree where it is watched, and send them."""
        report = views.report(
            searched.search.evaluator, result, searched.state, searched.node, running=running
        )
        tree = self._bench.tree(self.watched, searched.game) if self.watched else None
        self._desk.later(lambda: self._take_report(searched.game, report, tree))

    def _send_report(self, place: bench.Place) -> Callable[[works.LookedAhead, bool], None]:
        def send(found: works.LookedAhead, running: bool) -> None:
            report = views.report(
                found.evaluator, found.result, place.state, place.node, running=running
            )
            self._desk.later(lambda: self._take_report(place.game, report, None))

        return send

    def _take_report(
        self, game: GameTree, report: events.Report, tree: events.SearchTree | None
    ) -> None:
        if game is not self._match.game:
            return  # a work's last slice may still report on the game that was there before
        self.last_report = report
        self._tell(report)
        if tree is not None:
            self._tell(tree)
        old = self._match.game.judgements.get(report.node)
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
        game = self._match.game
        known = {n: j for n, j in judgements.items() if game.has(n)}
        game.judgements.update(known)
        self._tell(events.Judged(nodes=known))

    def scan(self, request: requests.Scan) -> None:
        """Judge every move of the line shown."""
        setting, game = self._match.setting, self._match.game
        engines.refuse_without_tree(engines.named_system(setting.system))
        states = game.states_along(game.line())

        def send(told: dict[int, events.Judgement], done: int, total: int) -> None:
            self._desk.later(lambda: scanned(told, done, total))

        def scanned(told: dict[int, events.Judgement], done: int, total: int) -> None:
            if game is not self._match.game:
                return
            self._judge(told)
            self._desk.progress("scan", done, total)

        work = works.scan(
            states, lambda state: self._bench.new_search(setting, state), request.visits, send
        )
        self._desk.begin("scan", work)

    # Questions of one page

    def compare(self, wish: requests.Compare, answer: Send) -> None:
        """Several systems on the position shown."""
        self._match.refuse_finished_board()
        for name in wish.systems:
            engines.named_system(name)
        place = self._place()
        work = works.compare(
            place.state,
            place.node,
            lambda: self._bench.contenders(place, wish),
            self._bench.cache_for,
            self._desk.sender(answer),
            wish.number,
        )
        self._desk.begin("compare", work, answer)

    def explore(self, wish: requests.Explore, answer: Send) -> None:
        """A formula at a made-up node, or at the position shown."""
        if not wish.actions:
            self._match.refuse_finished_board()
        work = self._bench.explore(self._place(), wish, self._desk.sender(answer))
        self._desk.begin("explore", work, answer)

    def bandit(self, wish: requests.RunBandit, answer: Send) -> None:
        """Formulas on the arms of a bandit."""
        self._desk.begin("bandit", bandit.run_bandit(wish, self._desk.sender(answer)), answer)

    def watch(self, request: requests.Watch, answer: Send) -> None:
        """Send the tree from now on, and as it is."""
        self.watched = request.nodes
        if request.nodes:
            game = self._match.game
            self._desk.ask(
                lambda: self._bench.tree(self.watched, game) if self.watched else None,
                answer,
                request.number,
            )

    def table(self, request: requests.Table, answer: Send) -> None:
        """A node's children."""
        self._desk.ask(lambda: self._bench.table(request), answer, request.number)

    def steps(self, request: requests.BeginSteps | requests.MoreSteps, answer: Send) -> None:
        """The next simulations of the search that is stepped through."""
        place, number = self._place(), request.number
        begin = isinstance(request, requests.BeginSteps)
        count = 1 if isinstance(request, requests.BeginSteps) else request.count
        self._desk.ask(lambda: self._bench.steps(place, count, number, begin=begin), answer, number)

    def count(self, request: requests.Count, answer: Send, on_agreed: Callable[[], None]) -> None:
        """The score of the position shown; ``on_agreed`` hears when it became the result."""
        place = self._place()

        def count() -> None:
            counted = self._bench.count(place, request)
            self._desk.later(lambda: take(counted))

        def take(counted: events.Counted) -> None:
            if not counted.estimate and self._match.agree(place.state, counted.score):
                on_agreed()
            answer(counted)

        self._desk.ask(count, answer, request.number)
