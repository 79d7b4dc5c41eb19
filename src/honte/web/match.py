"""The game that a session shows: the board, who plays, the clocks and the result."""

from __future__ import annotations

from honte.errors import HonteError
from honte.games.go import BLACK, GoState
from honte.web import engines, events, requests
from honte.web.clocks import GameClock
from honte.web.game import GameTree
from honte.web.store import Saved

RESULT_NAMES = {0: "B", 1: "W"}
GIVEN_UP = ("+R", "+T")
"""How results end that no position shows."""


class Match:
    """All that is kept of a session's game."""

    def __init__(self, shared: engines.Engines) -> None:
        playouts = shared.networks[0] == engines.PLAYOUTS
        self.setting = events.Setting(
            system="uct" if playouts else "katago",
            network=shared.networks[0],
            visits=2_000 if playouts else 100,
            seconds=0.0,
            black="person",
            white="person",
        )
        self.game = GameTree.new(requests.NewGame(type="new_game"))
        self.clock: GameClock | None = None
        self.outcome: str | None = None
        self._engines = shared
        self._serial = 0

    @property
    def state(self) -> GoState:
        """The position shown."""
        return self.game.state

    @property
    def is_over(self) -> bool:
        """Whether the position shown is the end of the game."""
        return self.state.is_terminal() or self.outcome is not None

    @property
    def seat_to_move(self) -> str:
        """Who moves: ``person`` or ``engine``."""
        return self.setting.black if self.state.to_play == BLACK else self.setting.white

    def begin(self, wish: requests.NewGame) -> None:
        """A new game. Raises HonteError for one that cannot be."""
        game = GameTree.new(wish)
        self._replace(game, None if wish.clock is None else GameClock(wish.clock))
        self._seat(wish.black, wish.white)

    def open(self, text: str) -> None:
        """The game of a record. Raises HonteError for what is none."""
        self._replace(GameTree.of_text(text), None)
        self._seat("person", "person")

    def _replace(self, game: GameTree, clock: GameClock | None) -> None:
        self.game = game
        self.clock = clock
        self.outcome = None
        self._serial += 1

    def _seat(self, black: str, white: str) -> None:
        self.setting = self.setting.model_copy(update={"black": black, "white": white})

    def play(self, action: int) -> bool:
        """A move of the side to move; whether a node was added. Raises HonteError."""
        self.refuse_if_over()
        added = self.game.play(action)
        if self.clock is not None:
            self.clock.moved()
        if self.state.is_terminal():
            self._end_by_count()
        return added

    def resign(self) -> None:
        """The side to move gives up. Raises HonteError where the game is over."""
        self.refuse_if_over()
        self.give_up(self.state.to_play, "R")

    def give_up(self, loser: int, how: str) -> None:
        """A player loses: by resignation, ``R``, or on time, ``T``."""
        self._end(f"{RESULT_NAMES[1 - loser]}+{how}")
        if self.clock is not None:
            self.clock.stop()

    def agree(self, state: GoState, score: float) -> bool:
        """The score that the players agree on; whether it is that of the position shown."""
        if self.state is not state:
            return False
        self._end(outcome_of(score))
        return True

    def go_to(self, node: int) -> None:
        """Show another position. Raises HonteError if there is none of this number."""
        self.game.go_to(node)
        self.outcome = None
        if self.state.is_terminal():
            self._end_by_count()
        if self.clock is not None:
            self.clock.stop()

    def configure(self, wish: requests.Configure) -> None:
        """Change what is named. Raises HonteError for systems and networks that are not here."""
        changes = {
            key: value
            for key in ("system", "network", "visits", "seconds", "black", "white")
            if (value := getattr(wish, key)) is not None
        }
        setting = self.setting.model_copy(update=changes)
        system = engines.named_system(setting.system)
        if setting.network not in self._engines.networks:
            names = ", ".join(self._engines.networks)
            raise HonteError(f"There is no network {setting.network!r} here; there are {names}.")
        if system.needs_network and setting.network == engines.PLAYOUTS:
            raise engines.needs_a_network(system)
        self.setting = setting

    def refuse_if_over(self) -> None:
        """Raise HonteError where nobody may move."""
        if self.outcome is not None and self.outcome.endswith(GIVEN_UP):
            raise HonteError(f"The game is over ({self.outcome}): start another, or go back.")
        if self.state.is_terminal():
            raise HonteError("The game is over: both players have passed. Go back to play on.")

    def refuse_finished_board(self) -> None:
        """Raise HonteError where there is nothing to search."""
        if self.state.is_terminal():
            raise HonteError("The game on the board is over: go back to another position.")

    def _end_by_count(self) -> None:
        self._end("Void" if self.state.is_no_result() else outcome_of(self.state.score()))

    def _end(self, outcome: str) -> None:
        self.outcome = outcome
        self.game.set_result(outcome)

    # What is told and kept

    def game_event(self) -> events.Game:
        """The game and its variations."""
        initial = self.game.initial_state()
        return events.Game(
            serial=self._serial,
            width=initial.width,
            height=initial.height,
            rules=initial.rules.name or "custom",
            komi=initial.komi,
            title=self.game.record.title,
            black_stones=list(initial.setup_stones(0)),
            white_stones=list(initial.setup_stones(1)),
            first_player=initial.to_play,
            handicap=initial.handicap,
            nodes=self.game.describe(),
            setting=self.setting,
            warnings=self.game.warnings,
            has_clock=self.clock is not None,
        )

    def position_event(self) -> events.Position:
        """What is on the board."""
        state = self.state
        return events.Position(
            node=self.game.current,
            board="".join(".XO"[stone] for stone in state.board().ravel()),
            to_play=state.to_play,
            last=state.last_action,
            move_number=state.move_number,
            moves=[action for _, action in state.moves()],
            captured=(state.captured(0), state.captured(1)),
            forbidden=forbidden_points(state),
            over=self.is_over,
            outcome=self.outcome,
        )

    def clock_event(self) -> events.ClockState | None:
        """Both clocks; None where the game has none."""
        clock = self.clock
        if clock is None:
            return None
        return events.ClockState(
            kind=clock.settings.kind,
            black=clock.face(0),
            white=clock.face(1),
            running=clock.running,
        )

    def saved(self, *, thinking: bool) -> Saved:
        """What is kept; ``thinking``: whether the engine is about to move."""
        return Saved(
            sgf=self.game.record.dumps(),
            way=self.game.way(),
            setting=self.setting,
            outcome=self.outcome,
            thinking=thinking,
            clocks=None if self.clock is None else self.clock.saved(),
        )

    def restore(self, saved: Saved) -> None:
        """Take up what was kept. A clock that ran runs on from now."""
        self.game = GameTree.of_text(saved.sgf)
        self.game.follow(saved.way)
        self.outcome = saved.outcome
        if saved.clocks is not None:
            self.clock = GameClock.restored(saved.clocks)
            if saved.clocks.runs and not self.is_over:
                self.clock.start(self.state.to_play)
        known = saved.setting.network in self._engines.networks
        if known and saved.setting.system in engines.SYSTEMS:
            self.setting = saved.setting


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
