"""A game of Go as it is played: every position kept, so that taking back is exact."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from honte.errors import HonteError
from honte.games.go import BLACK, WHITE, Go, GoState, Rules

MOVES_A_FREEZE = 16
"""Positions share the history up to the last of these moves; each keeping all of its own would cost
memory with the square of a game's length."""


@dataclass(frozen=True, slots=True)
class Step:
    """One move and what it led to."""

    player: int
    action: int
    state: GoState
    """The position after the move."""
    follows: bool
    """Whether ``state`` is the position before with this move played by the player to move, so
    that a search of that position can be carried on."""


class Game:
    """A board, its rules and komi, and the moves so far.

    The same colour may move twice. Several black moves that open a game are taken as handicap:
    some controllers place handicap stones that way, and a network should see them as such.
    """

    def __init__(self, width: int, height: int, rules: Rules, komi: float) -> None:
        """An empty board. Raises :class:`HonteError` if the size is none for Go."""
        self._initial = Go(width, height, rules, komi).new_initial_state()
        self._steps: list[Step] = []
        self._placed_handicap = False

    @classmethod
    def of_state(cls, state: GoState) -> Game:
        """The game that led to a state: its setup stones, then its moves."""
        game = cls(state.width, state.height, state.rules, state.komi)
        moves = state.moves()
        game.set_up(
            black=state.setup_stones(BLACK),
            white=state.setup_stones(WHITE),
            to_play=moves[0][0] if moves else state.to_play,
        )
        for player, action in moves:
            game.play(player, action)
        if game.state.to_play != state.to_play:
            game.set_to_play(state.to_play)
        return game

    @property
    def state(self) -> GoState:
        """The position now. Not to be changed in place."""
        return self._steps[-1].state if self._steps else self._initial

    @property
    def initial_state(self) -> GoState:
        """The position before the first move: empty, or as it was set up."""
        return self._initial

    @property
    def steps(self) -> Sequence[Step]:
        """The moves, the latest last."""
        return self._steps

    @property
    def moves(self) -> list[tuple[int, int]]:
        """The moves as (player, action)."""
        return [(step.player, step.action) for step in self._steps]

    @property
    def placed_handicap(self) -> bool:
        """Whether the stones of the initial position are handicap stones."""
        return self._placed_handicap

    @property
    def is_empty(self) -> bool:
        """Whether no stone is on the board."""
        return not self.state.board().any()

    def state_for(self, player: int) -> GoState:
        """The position now with ``player`` to move."""
        state = self.state
        return state if state.to_play == player else state.with_to_play(player)

    def play(self, player: int, action: int) -> None:
        """Play a move. Raises :class:`honte.games.go.IllegalMove`; then nothing has changed."""
        before = self.state
        after = before.resumed() if _is_finished(before) else before.clone()
        after.play(action, player)
        follows = not _is_finished(before) and before.to_play == player
        handicap = self._opening_black_stones(player, action)
        if handicap is not None:
            after = _set_up(before, black=handicap, white=(), to_play=WHITE)
            follows = False
        if len(self._steps) % MOVES_A_FREEZE == 0:
            after.freeze()
        self._steps.append(Step(player, action, after, follows))

    def _opening_black_stones(self, player: int, action: int) -> list[int] | None:
        """The stones of a handicap that is being laid move by move, this one included."""
        pass_action = self._initial.width * self._initial.height
        if player != BLACK or not self._steps or self._initial.board().any():
            return None
        actions = [step.action for step in self._steps] + [action]
        if any(step.player != BLACK for step in self._steps) or pass_action in actions:
            return None
        return actions

    def undo(self) -> None:
        """Take back one move. Set-up and handicap stones are no moves."""
        if not self._steps:
            raise HonteError("cannot undo")
        self._steps.pop()

    def set_up(
        self,
        *,
        black: Sequence[int] = (),
        white: Sequence[int] = (),
        to_play: int = BLACK,
        handicap: bool = False,
    ) -> None:
        """Begin anew from these stones, without history. Raises :class:`HonteError` for stones
        off the board, on each other or without liberties; then nothing has changed."""
        self._initial = _set_up(self._initial, black=black, white=white, to_play=to_play)
        self._steps = []
        self._placed_handicap = handicap

    def set_to_play(self, player: int) -> None:
        """Who moves next, whoever moved last."""
        if self._steps:
            last = self._steps[-1]
            state = last.state.with_to_play(player)
            self._steps[-1] = Step(last.player, last.action, state, follows=False)
        else:
            self._initial = self._initial.with_to_play(player)

    def clear(self) -> None:
        """The empty board of the same size, rules and komi."""
        self.set_up()

    def set_rules(self, rules: Rules) -> None:
        """Other rules from here on; stones, moves and komi stay."""

        def change(state: GoState) -> GoState:
            try:
                return state.with_rules(rules)
            except ValueError:
                # A move that was played is illegal under these rules: keep the stones alone.
                board = state.board().ravel()
                return Go(state.width, state.height, rules, state.komi).new_initial_state(
                    black=[int(point) for point in (board == 1).nonzero()[0]],
                    white=[int(point) for point in (board == 2).nonzero()[0]],
                    to_play=state.to_play,
                )

        self._replace_states(change)

    def set_komi(self, komi: float) -> None:
        """Another komi; stones and moves stay."""
        self._replace_states(lambda state: state.with_komi(komi))

    def resume(self, player: int) -> None:
        """Take play up again after two passes, with ``player`` to move."""
        if self._steps:
            last = self._steps[-1]
            state = last.state.resumed()
            if state.to_play != player:
                state = state.with_to_play(player)
            self._steps[-1] = Step(last.player, last.action, state, follows=False)

    def _replace_states(self, change: Callable[[GoState], GoState]) -> None:
        initial = change(self._initial)
        steps = [
            Step(step.player, step.action, change(step.state), step.follows) for step in self._steps
        ]
        self._initial, self._steps = initial, steps


def _is_finished(state: GoState) -> bool:
    return state.is_terminal() or state.passes_in_a_row >= 2


def _set_up(like: GoState, *, black: Sequence[int], white: Sequence[int], to_play: int) -> GoState:
    game = Go(like.width, like.height, like.rules, like.komi)
    return game.new_initial_state(black=black, white=white, to_play=to_play)
