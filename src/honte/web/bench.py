"""A session's searches: the one of the position shown, the one stepped through, and their cache.

Everything here but the making of a :class:`Place` runs in a worker's thread, one slice at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from honte.errors import HonteError
from honte.evaluation import Evaluator
from honte.games.go import Go, GoState
from honte.players.counting import Counter
from honte.players.ownership import ownership_sources
from honte.search import AlphaBeta, AlphaBetaConfig, EvaluationCache, Search
from honte.search.steps import Simulation
from honte.web import engines, events, explorer, requests, views, works
from honte.web.game import GameTree
from honte.web.scheduler import Work
from honte.web.works import Searched

MOST_STEPS = 2_000
"""Simulations of a search that is stepped through."""
CACHE_SIZE = 20_000


@dataclass(frozen=True, slots=True)
class Place:
    """A position of a game as it was when work on it was asked for."""

    game: GameTree
    node: int
    state: GoState
    way: tuple[tuple[int, tuple[int, int] | None], ...]
    """The nodes from the root to it, each with the move into it."""
    setting: events.Setting

    @classmethod
    def shown(cls, game: GameTree, setting: events.Setting) -> Place:
        """The position that a game shows now."""
        way = tuple((game.number_of(step), step.move) for step in game.node.line())
        return cls(game, game.current, game.state, way, setting)


class Bench:
    """Where a session's searches are kept."""

    def __init__(self, shared: engines.Engines) -> None:
        self._engines = shared
        self._searched: Searched | None = None
        self._stepped: tuple[int, Search] | None = None
        self._cache: tuple[Evaluator, EvaluationCache] | None = None

    def clear(self) -> None:
        """Forget every search: the game is another."""
        self._searched = None
        self._stepped = None

    def search(self, place: Place) -> Searched:
        """The search of a position: the one at hand, carried on along the moves since, or a new
        one. Raises HonteError if its network cannot be opened."""
        engine = (place.setting.system, place.setting.network)
        old = self._searched
        known = old is not None and old.game is place.game and old.engine == engine
        if old is not None and known and _carry_on(old, place):
            search = old.search
        else:
            search = self.new_search(place.setting, place.state)
        searched = Searched(search, place.game, place.node, place.state, engine)
        self._searched = searched
        return searched

    def new_search(self, setting: events.Setting, state: GoState, *, cached: bool = True) -> Search:
        """A search of a position as a setting has it."""
        system = engines.named_system(setting.system)
        evaluator = self._engines.evaluator(system, setting.network)
        ownership = system.answer is not engines.LeafAnswer.PLAYOUT
        config = engines.config_of(system, ownership=ownership)
        cache = self.cache_for(evaluator) if cached else None
        return Search(state, config, evaluator, cache=cache)

    def look_ahead(self, place: Place) -> AlphaBeta:
        """An alpha-beta search of a position. Raises HonteError if its network cannot be opened."""
        self._searched = None
        system = engines.named_system(place.setting.system)
        config = system.config()
        assert isinstance(config, AlphaBetaConfig)
        return AlphaBeta(
            place.state, config, self._engines.evaluator(system, place.setting.network)
        )

    def cache_for(self, evaluator: Evaluator) -> EvaluationCache | None:
        """The session's cache of a network's answers; a mixture's are drawn by chance."""
        if evaluator not in self._engines.opened:
            return None
        if self._cache is None or self._cache[0] is not evaluator:
            self._cache = (evaluator, EvaluationCache(CACHE_SIZE))
        return self._cache[1]

    def tree(self, most: int, game: GameTree, number: int = 0) -> events.SearchTree | None:
        """The tree of the game's search, if there is one."""
        searched = self._searched
        if searched is None or searched.game is not game:
            return None
        return events.SearchTree(
            number=number,
            node=searched.node,
            rows=views.tree_rows(searched.search.root, most),
            total=searched.search.result().nodes,
        )

    def table(self, request: requests.Table) -> events.NodeTable:
        """A node's children. Raises HonteError where there is no such node."""
        searched = self._searched
        if searched is None:
            raise HonteError("There is no search yet: start the analysis first.")
        return views.node_table(searched.search, request.path, request.number)

    def steps(self, place: Place, count: int, number: int, *, begin: bool) -> events.Simulations:
        """The next simulations of the stepped search, or the first of a new one."""
        stepped = None if begin else self._stepped
        fresh = stepped is None
        if stepped is None:
            # Without the cache, so that each new leaf is seen to be evaluated.
            stepped = (place.node, self.new_search(place.setting, place.state, cached=False))
            self._stepped = stepped
        node, search = stepped
        traced: list[Simulation] = []
        ended = False
        steps = search.steps(planned=place.setting.visits if fresh else 0)
        while len(traced) < count and not ended:
            step = next(steps, None)
            ended = step is None or search.root.n >= MOST_STEPS
            if step is not None:
                traced.append(step)
        del steps  # ends the tracing
        first = search.root.n - len(traced)
        return events.Simulations(
            number=number,
            node=node,
            fresh=fresh,
            simulations=[views.simulation(search, s, first + i) for i, s in enumerate(traced)],
            ended=ended,
        )

    def count(self, place: Place, request: requests.Count) -> events.Counted:
        """The score of a position; the dead are found where they were not named.

        Raises HonteError for dead stones where there are none.
        """
        state = place.state
        dead = request.dead
        if dead is None:
            network = self._engines.network(place.setting.network)
            dead = Counter(*ownership_sources(network)).dead_stones(state)
        board = state.board().ravel()
        for point in dead:
            if point >= board.size or board[point] == 0:
                raise HonteError("A dead stone was named where there is none.")
        return events.Counted(
            number=request.number,
            node=place.node,
            score=float(state.score_with_dead(dead)),
            dead=list(dead),
            area=_area_with_dead(state, dead),
            estimate=not state.is_terminal(),
        )

    def explore(
        self, place: Place, wish: requests.Explore, send: Callable[[events.Explored], None]
    ) -> Work:
        """What a formula does at a made-up node, or at the position."""
        real = None
        if not wish.actions:
            system = engines.named_system("alphago_zero")
            evaluator = self._engines.evaluator(system, place.setting.network)
            real = explorer.RealPosition(place.state, evaluator, self.cache_for(evaluator))
        return explorer.explore(wish, real, works.SLICE, send)

    def contenders(self, place: Place, wish: requests.Compare) -> list[works.Contender]:
        """The systems of a comparison. Raises HonteError for an unknown name."""
        made = []
        for name in dict.fromkeys(wish.systems):
            system = engines.named_system(name)
            visits = visits_of(name, wish.visits, place.state)
            try:
                evaluator = self._engines.evaluator(system, place.setting.network)
            except HonteError as error:
                made.append(works.Contender(name, None, None, visits, str(error)))
                continue
            config = (
                engines.config_of(system, ownership=False) if system.grows_tree else system.config()
            )
            made.append(works.Contender(name, config, evaluator, visits))
        return made


def _carry_on(old: Searched, place: Place) -> bool:
    """Advance a search along a way through its node; whether that was possible."""
    numbers = [number for number, _ in place.way]
    if old.node not in numbers:
        return False
    for _, move in place.way[numbers.index(old.node) + 1 :]:
        if move is None or old.search.state.current_player() != move[0]:
            return False
        old.search.advance(move[1])
    return True


def visits_of(system: str, visits: int, state: GoState) -> int:
    """The visits a system is given: those that read no deeper than a ply need no more."""
    if system == "policy_only":
        return 1
    if system == "value_only":
        return len(state.legal_actions()) + 1
    return visits


def _area_with_dead(state: GoState, dead: list[int]) -> list[int]:
    """[points]: whose each point is once the dead stones are off, by what surrounds it."""
    board = state.board().ravel()
    gone = set(dead)
    cleared = Go(state.width, state.height, state.rules, state.komi).new_initial_state(
        black=[p for p in range(board.size) if board[p] == 1 and p not in gone],
        white=[p for p in range(board.size) if board[p] == 2 and p not in gone],
    )
    return [int(x) for x in cleared.plain_area().ravel()]
