"""A search that plays a game: it keeps its tree from move to move, minds the clock, ponders on
the opponent's time and knows when to resign."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from honte.evaluation.contract import Evaluator
from honte.games.go import GoState
from honte.players.clock import ClockReading
from honte.players.game import Game
from honte.players.resignation import Resignation, ResignationJudge
from honte.players.time_manager import Allotment, Pace, allot
from honte.players.warm_up import WarmUp
from honte.search import Budget, Restriction, Search, SearchConfig, SearchResult, TreeNode

PONDER_VISITS = 1_000_000_000
"""More than any tree holds: pondering ends when it is told to, or by the cap on memory."""

LOOK_SECONDS = 0.02
"""How often a search under way looks whether it was interrupted."""

Report = Callable[[SearchResult], None]


@dataclass(frozen=True, slots=True)
class PlayerSettings:
    """How a player thinks; whichever limit comes first ends a search."""

    visits: int | None = None
    """Visits of the root, inherited ones included. None: no such limit."""
    simulations: int | None = None
    """New simulations a move."""
    seconds: float | None = None
    """Time a move, whatever the clock says."""
    default_visits: int = 500
    """Used where neither a limit nor a clock is given."""
    minimum_simulations: int = 20
    """Run at least these in timed play, even when the inherited tree is large."""
    lag: float = 0.3
    """Seconds lost on every move between the players."""
    resignation: Resignation | None = field(default_factory=Resignation)
    """None: never resign."""
    pondering: bool = False
    """Think on the opponent's time."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a player does in its turn."""

    action: int | None
    """The move; None: it resigns."""
    result: SearchResult | None
    """The search behind it; None where there was nothing to search."""
    seconds: float
    interrupted: bool = False
    """Whether :meth:`SearchPlayer.interrupt` cut the search short."""


class Interruption:
    """A way to end one search from another thread, before it begins or while it runs."""

    def __init__(self) -> None:
        self._asked = threading.Event()
        self._search: Search | None = None

    @property
    def asked(self) -> bool:
        """Whether the search is to end."""
        return self._asked.is_set()

    def ask(self) -> None:
        """End the search; it returns with what it has."""
        self._asked.set()
        search = self._search
        if search is not None:
            search.stop()

    def attach(self, search: Search | None) -> None:
        """From here on this is the search to end."""
        self._search = search


class SearchPlayer:
    """Plays both colours of one game at a time; not for several threads at once, except
    :meth:`interrupt`."""

    def __init__(
        self,
        config: SearchConfig,
        evaluator: Evaluator | None,
        settings: PlayerSettings | None = None,
        *,
        seed: int = 0,
    ) -> None:
        self.settings = settings if settings is not None else PlayerSettings()
        self._config = config
        self._evaluator = evaluator
        self._seed = seed
        self._search: Search | None = None
        self._root: GoState | None = None
        self._interruption: Interruption | None = None
        self._ponderer: threading.Thread | None = None
        self._judges = (self._new_judge(), self._new_judge())
        self._warm_up = WarmUp(evaluator)
        self.thinking_seconds = 0.0
        """Spent in :meth:`choose` so far."""

    def _new_judge(self) -> ResignationJudge:
        return ResignationJudge(self.settings.resignation or Resignation())

    @property
    def config(self) -> SearchConfig:
        """The search's configuration."""
        return self._config

    @property
    def evaluator(self) -> Evaluator | None:
        """What answers the leaves."""
        return self._evaluator

    @property
    def tree(self) -> TreeNode | None:
        """The root of the tree it has, to be read by whoever hears a report; None without one."""
        return self._search.root if self._search is not None else None

    def reconfigure(
        self, *, config: SearchConfig | None = None, settings: PlayerSettings | None = None
    ) -> None:
        """Think differently from now on; the tree goes if the search itself changes."""
        self.stop_pondering()
        if config is not None and config != self._config:
            self._config = config
            self.forget()
        if settings is not None:
            if settings.resignation != self.settings.resignation:
                self.settings = settings
                self._judges = (self._new_judge(), self._new_judge())
            self.settings = settings

    def prepare(self, width: int, height: int) -> None:
        """Get the network ready for this board, in the background."""
        self._warm_up.begin((height, width))

    def close(self) -> None:
        """Nothing goes on in the background any more."""
        self.stop_pondering()
        self._warm_up.close()

    def forget(self) -> None:
        """Drop the tree."""
        self.stop_pondering()
        self._search = None
        self._root = None

    def new_game(self) -> None:
        """Drop the tree and what was thought of the last game's chances."""
        self.forget()
        for judge in self._judges:
            judge.reset()

    def interrupt(self) -> None:
        """End the search under way, if there is one, from any thread; it returns with what it
        has."""
        interruption = self._interruption
        if interruption is not None:
            interruption.ask()

    def search_for(self, game: Game, player: int) -> Search:
        """The search of the position now, ``player`` to move: carried on from an earlier
        position of the same game where there is one."""
        self.stop_pondering()
        state = game.state_for(player)
        if self._search is not None and state is not game.state:
            self._search = None
        if self._search is not None and not self._advance_to(game):
            self._search = None
        if self._search is None:
            seed = (self._seed + 0x9E3779B9 * state.move_number) & 0xFFFF_FFFF_FFFF_FFFF
            self._search = Search(state, self._config, self._evaluator, seed=seed)
        self._root = state
        return self._search

    def _advance_to(self, game: Game) -> bool:
        """Walk the tree from its root to the game's position; whether it could."""
        assert self._search is not None
        states = [game.initial_state, *(step.state for step in game.steps)]
        behind = 0
        for state in reversed(states):
            if state is self._root:
                break
            behind += 1
        else:
            return False
        steps = game.steps[len(game.steps) - behind :]
        if not all(step.follows for step in steps):
            return False
        for step in steps:
            self._search.advance(step.action)
        return True

    def think(
        self,
        game: Game,
        player: int,
        budget: Budget,
        *,
        on_report: Report | None = None,
        report_every: float = 0.1,
        allowed_actions: Sequence[int] | None = None,
        restrictions: Sequence[Restriction] = (),
        interruption: Interruption | None = None,
    ) -> SearchResult:
        """Search the position now without playing. Raises what the evaluator raised; the tree
        is dropped then. ``allowed_actions`` restrict the root, ``restrictions`` what is below.
        Interrupted while the network is still being made ready, it returns without a visit."""
        search = self.search_for(game, player)
        search.restrict(restrictions)
        interruption = interruption or Interruption()
        shape = (game.state.height, game.state.width)
        while not self._warm_up.wait(shape, LOOK_SECONDS):
            if interruption.asked:
                return search.result()
        return self._run(search, budget, on_report, report_every, allowed_actions, interruption)

    def _run(
        self,
        search: Search,
        budget: Budget,
        on_report: Report | None,
        report_every: float,
        allowed_actions: Sequence[int] | None,
        interruption: Interruption,
    ) -> SearchResult:
        next_report = time.perf_counter() + report_every

        def look(result: SearchResult) -> None:
            nonlocal next_report
            if interruption.asked:
                # Asked for before the search had begun, which does not listen until it has.
                search.stop()
                return
            now = time.perf_counter()
            if on_report is not None and now >= next_report:
                next_report = max(next_report + report_every, now)
                on_report(result)

        self._interruption = interruption
        interruption.attach(search)
        try:
            return search.run(
                budget,
                on_report=look,
                report_every=min(report_every, LOOK_SECONDS),
                allowed_actions=allowed_actions,
            )
        except Exception:
            self._search = None
            raise
        finally:
            interruption.attach(None)
            self._interruption = None

    def choose(
        self,
        game: Game,
        player: int,
        reading: ClockReading | None = None,
        *,
        on_report: Report | None = None,
        report_every: float = 0.1,
        allowed_actions: Sequence[int] | None = None,
        restrictions: Sequence[Restriction] = (),
        may_resign: bool = True,
        interruption: Interruption | None = None,
    ) -> Choice:
        """Find the move to make now.

        ``reading`` is the player's clock, None without one. The move is not played.
        """
        begun = time.perf_counter()
        state = game.state_for(player)
        points = state.width * state.height
        if state.is_terminal() or state.passes_in_a_row >= 2:
            return Choice(points, None, 0.0)
        while not self._warm_up.wait((state.height, state.width), 1.0):
            pass
        allotment = None
        if reading is not None:
            allotment = allot(
                reading, points=points, move_number=state.move_number, lag=self.settings.lag
            )
        search = self.search_for(game, player)
        search.restrict(restrictions)
        if allotment is not None:
            allotment = allotment.after(time.perf_counter() - begun)
        budget = self._budget(allotment)
        interruption = interruption or Interruption()
        if allotment is not None:
            on_report, report_every = self._paced(search, allotment, on_report, report_every)
        result = self._run(search, budget, on_report, report_every, allowed_actions, interruption)
        action = result.action if result.action is not None else points
        resigns = self.settings.resignation is not None and self._judges[player].resigns(
            result,
            handicap=state.handicap,
            move_number=state.move_number,
            points=points,
            pass_wins=_pass_wins(state),
        )
        seconds = time.perf_counter() - begun
        self.thinking_seconds += seconds
        return Choice(
            None if resigns and may_resign else action,
            result,
            seconds,
            interrupted=interruption.asked,
        )

    def fresh_choice(self, game: Game, player: int) -> int:
        """The move found by a search that begins from nothing, with the same seed and visits
        every time: the same move in the same position. The player's own tree stays."""
        self.stop_pondering()
        state = game.state_for(player)
        points = state.width * state.height
        if state.is_terminal() or state.passes_in_a_row >= 2:
            return points
        search = Search(state, self._config, self._evaluator, seed=self._seed)
        visits = self.settings.visits or self.settings.simulations or self.settings.default_visits
        result = search.run(Budget(visits=visits))
        return result.action if result.action is not None else points

    def _budget(self, allotment: Allotment | None) -> Budget:
        settings = self.settings
        seconds = settings.seconds
        if allotment is not None:
            seconds = min(allotment.maximum, seconds if seconds is not None else allotment.maximum)
        visits, simulations = settings.visits, settings.simulations
        if visits is None and simulations is None and seconds is None:
            visits = settings.default_visits
        # An inherited tree alone is no thought about the opponent's move.
        at_once = seconds is not None and seconds < 0.02
        return Budget(
            visits=visits,
            simulations=simulations,
            seconds=seconds,
            minimum_simulations=1 if at_once else settings.minimum_simulations,
        )

    def _paced(
        self,
        search: Search,
        allotment: Allotment,
        on_report: Report | None,
        report_every: float,
    ) -> tuple[Report, float]:
        pace = Pace(allotment, minimum_simulations=self.settings.minimum_simulations)
        every = min(report_every, 0.05)
        due = time.perf_counter() + report_every

        def report(result: SearchResult) -> None:
            nonlocal due
            now = time.perf_counter()
            if on_report is not None and now >= due:
                due = max(due + report_every, now)
                on_report(result)
            if pace.should_stop(result):
                search.stop()

        return report, every

    def ponder(self, game: Game) -> None:
        """Go on thinking about the position in the background, until anything else is asked."""
        state = game.state
        if not self.settings.pondering or state.is_terminal() or state.passes_in_a_row >= 2:
            return
        search = self.search_for(game, state.to_play)
        search.restrict(())
        interruption = Interruption()

        def look(result: SearchResult) -> None:
            if interruption.asked:
                search.stop()

        def think() -> None:
            try:
                search.run(Budget(visits=PONDER_VISITS), on_report=look, report_every=LOOK_SECONDS)
            except Exception:
                # Whatever it was, the next search in the foreground meets it and reports it.
                self._search = None

        interruption.attach(search)
        self._interruption = interruption
        self._ponderer = threading.Thread(target=think, name="ponder", daemon=True)
        self._ponderer.start()

    @property
    def is_pondering(self) -> bool:
        """Whether it thinks in the background just now."""
        return self._ponderer is not None and self._ponderer.is_alive()

    def stop_pondering(self) -> None:
        """Stop thinking in the background; the tree stays."""
        ponderer = self._ponderer
        if ponderer is None:
            return
        self.interrupt()
        ponderer.join()
        self._ponderer = None
        self._interruption = None


def _pass_wins(state: GoState) -> bool:
    """Whether a pass now would end the game with a win for the player to move."""
    if state.passes_in_a_row != 1:
        return False
    after = state.clone()
    player = state.to_play
    after.play(state.width * state.height)
    return after.is_terminal() and after.returns()[player] > 0
