"""A player's place at one game: it is asked for a move and told what was played."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from honte.errors import HonteError
from honte.evaluation import Evaluator
from honte.games.go import BLACK, GoState, Legality, format_vertex, parse_vertex
from honte.lab.engine import EngineFailure, GtpEngine
from honte.lab.openings import derived_seed
from honte.lab.specs import AlphaBetaPlayerSpec, SearchPlayerSpec
from honte.players.counting import Counter
from honte.players.ownership import ownership_sources
from honte.search import AlphaBeta, AlphaBetaConfig, EvaluationCache, Search


@dataclass(frozen=True, slots=True)
class Answer:
    """What a player does in its turn."""

    action: int | None
    """None: it resigns."""
    seconds: float
    winrate: float | None = None
    """What its own search gives it, where that is known."""


class SearchSeat:
    """A search that plays one side of one game."""

    def __init__(self, spec: SearchPlayerSpec, evaluator: Evaluator, seed: int) -> None:
        self.spec = spec
        self.evaluator = evaluator
        self._seed = seed
        self._cache = EvaluationCache(spec.cache) if spec.cache else None
        self._search: Search | None = None

    def search(self, state: Any, ply: int) -> Search:
        """The search of the position, its player to move."""
        if self._search is None:
            self._search = Search(
                state,
                self.spec.search,
                self.evaluator,
                seed=derived_seed(self._seed, ply),
                cache=self._cache,
            )
        return self._search

    def played(self, action: int) -> None:
        """A move was played, by either side."""
        if self._search is None:
            return
        if self.spec.keep_tree:
            self._search.advance(action)
        else:
            self._search = None

    def dead_stones(self, state: GoState) -> list[int] | None:
        """The stones it would take off the board of a finished game of Go."""
        return Counter(*ownership_sources(self.evaluator)).dead_stones(state)


class AlphaBetaSeat:
    """Alpha-beta that plays one side of one game; it keeps nothing between moves."""

    def __init__(self, spec: AlphaBetaPlayerSpec, evaluator: Evaluator, seed: int) -> None:
        self.spec = spec
        self._evaluator = evaluator
        self._seed = seed

    def move(self, state: Any, ply: int) -> Answer:
        """Its answer in this position. Raises HonteError where the search cannot go on."""
        search = AlphaBeta(
            state,
            AlphaBetaConfig(self.spec.depth),
            self._evaluator,
            seed=derived_seed(self._seed, ply),
        )
        result = search.run(self.spec.limits.budget() if self.spec.limits else None)
        if result.action is None:
            raise HonteError("The search found no move.")
        return Answer(result.action, result.seconds, result.winrate)

    def dead_stones(self, state: GoState) -> list[int] | None:
        """The stones it would take off the board of a finished game of Go."""
        return Counter(*ownership_sources(self._evaluator)).dead_stones(state)


class EngineSeat:
    """A GTP engine that plays one side of one game of Go.

    It gets a process when it is first asked, and hears of the moves played since then when it is
    asked again. :meth:`move` may run in a thread; :meth:`leave` only when none is running, and
    :meth:`abandon` at any time.
    """

    def __init__(
        self, take: Callable[[], GtpEngine], give_back: Callable[[GtpEngine], None]
    ) -> None:
        self._take = take
        self._give_back = give_back
        self._engine: GtpEngine | None = None
        self._heard = 0

    def move(self, state: GoState) -> int | None:
        """Its move for the player to move, None to resign.

        Raises :class:`EngineFailure` for anything that is no legal move.
        """
        if self._engine is None:
            self._engine = self._take()
            set_up(self._engine, state)
        moves = state.moves()
        for player, action in moves[self._heard :]:
            vertex = format_vertex(action, state.width, state.height)
            self._engine.ask(f"play {_colour(player)} {vertex}")
        answer = self._engine.ask(f"genmove {_colour(state.to_play)}")
        self._heard = len(moves) + 1
        return _read_move(answer, self._engine.spec.name, state)

    def dead_stones(self, state: GoState) -> list[int] | None:
        """The stones it calls dead in a finished game; None where it has no answer to that."""
        if self._engine is None:
            return None
        try:
            for player, action in state.moves()[self._heard :]:
                vertex = format_vertex(action, state.width, state.height)
                self._engine.ask(f"play {_colour(player)} {vertex}")
            self._heard = len(state.moves())
            listed = self._engine.ask("final_status_list dead").split()
            return [parse_vertex(vertex, state.width, state.height) for vertex in listed]
        except HonteError:
            return None

    def log(self) -> str:
        """The last lines of its conversation."""
        return self._engine.log() if self._engine is not None else ""

    def leave(self) -> None:
        """The game is over; the process waits for the next one."""
        if self._engine is not None:
            self._give_back(self._engine)
            self._engine = None

    def abandon(self) -> None:
        """End the process, in the middle of an answer if need be."""
        if self._engine is not None:
            self._engine.close()


def set_up(engine: GtpEngine, state: GoState) -> None:
    """An empty board of the game's size, komi and, where the engine knows them, rules.

    Raises :class:`EngineFailure` if the engine cannot play this game.
    """
    if state.width != state.height:
        raise EngineFailure("Engines are asked for square boards only.")
    engine.ask(f"boardsize {state.width}")
    engine.ask("clear_board")
    engine.ask(f"komi {state.komi:g}")
    if engine.ask("known_command kata-set-rules").lower() == "true":
        engine.ask(f"kata-set-rules {state.rules.name or json.dumps(state.rules.to_json())}")


def _read_move(answer: str, name: str, state: GoState) -> int | None:
    if answer.lower() == "resign":
        return None
    try:
        action = parse_vertex(answer, state.width, state.height)
    except HonteError:
        raise EngineFailure(
            f"The engine {name!r} played {answer[:40]!r}, which is no move."
        ) from None
    legality = state.legality(action)
    if legality is not Legality.LEGAL:
        reason = legality.name.lower().replace("_", " ")
        raise EngineFailure(f"The engine {name!r} played {answer}, which is illegal: {reason}.")
    return action


def _colour(player: int) -> str:
    return "black" if player == BLACK else "white"
