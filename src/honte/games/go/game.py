"""The game of Go: sizes, rules, komi, and the errors of playing it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from honte._core import GoState, Legality
from honte.errors import HonteError
from honte.games.go.rules import Rules
from honte.games.go.vertex import format_vertex

BLACK, WHITE = 0, 1

_REASONS = {
    Legality.OFF_BOARD: "it is off the board",
    Legality.OCCUPIED: "there is a stone already",
    Legality.SUICIDE: "it would be suicide",
    Legality.KO: "it would retake a ko at once",
    Legality.SUPERKO: "it would repeat an earlier position",
    Legality.REPEATED_KO: "in the clean-up a ko can be taken once in the same position",
    Legality.GAME_OVER: "the game is over",
}


class IllegalMove(HonteError):
    """A move that the rules forbid: which, whose, and why."""

    def __init__(
        self, action: int, player: int, legality: Legality, width: int, height: int
    ) -> None:
        on_board = 0 <= action <= width * height
        move = format_vertex(action, width, height) if on_board else f"action {action}"
        who = "White" if player == WHITE else "Black"
        super().__init__(f"{who} cannot play {move}: {_REASONS[legality]}.")
        self.action = action
        self.player = player
        self.legality = legality


@dataclass(frozen=True)
class Go:
    """A game of Go to be played: width by height (1 to 25), rules and komi.

    ``height`` is the width if it is left out, ``komi`` (White's points for moving second) the
    usual one of the rules.
    """

    width: int = 19
    height: int = field(default=0)
    rules: Rules = field(default_factory=lambda: Rules.named("chinese"))
    komi: float = field(default=float("nan"))

    def __init__(
        self,
        width: int = 19,
        height: int | None = None,
        rules: Rules | None = None,
        komi: float | None = None,
    ) -> None:
        rules = Rules.named("chinese") if rules is None else rules
        object.__setattr__(self, "width", width)
        object.__setattr__(self, "height", width if height is None else height)
        object.__setattr__(self, "rules", rules)
        object.__setattr__(self, "komi", rules.default_komi if komi is None else float(komi))
        for side in (self.width, self.height):
            if not 1 <= side <= 25:
                raise HonteError(f"A board is 1 to 25 points wide and high, not {side}.")
        if not abs(self.komi) <= 1000:
            raise HonteError(f"Komi is a number of points up to 1000, not {komi}.")

    def new_initial_state(
        self, black: Iterable[int] = (), white: Iterable[int] = (), to_play: int = BLACK
    ) -> GoState:
        """The position before the first move, with setup stones given as actions.

        Raises :class:`HonteError` if a stone is off the board or on another, or if a chain of
        stones has no liberty.
        """
        try:
            return GoState(
                self.width,
                self.height,
                self.rules,
                self.komi,
                list(black),
                list(white),
                to_play,
            )
        except ValueError as error:
            raise HonteError(str(error)) from None
