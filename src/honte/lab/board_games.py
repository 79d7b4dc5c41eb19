"""The games a match can be about, by name."""

from __future__ import annotations

from enum import Enum
from typing import Any, Self

from pydantic import Field, model_validator

from honte.errors import HonteError
from honte.games import ConnectFour, Gomoku, Hex, Othello, TicTacToe
from honte.games.go import Go, Rules, format_vertex, parse_vertex
from honte.search.config import Phase


class GameName(Enum):
    """A game honte knows."""

    GO = "go"
    CONNECT_FOUR = "connect-four"
    TIC_TAC_TOE = "tic-tac-toe"
    OTHELLO = "othello"
    HEX = "hex"
    GOMOKU = "gomoku"


class GameSpec(Phase):
    """A game with its size and rules."""

    name: GameName = GameName.GO
    size: int | None = Field(default=None, ge=1, le=25)
    """Of Go (default 19), Othello, Hex and Gomoku."""
    rules: str = "tromp-taylor"
    """Of Go. By rules without friendly passes (tromp-taylor) the board is counted as it stands: who
    leaves dead stones there pays for them. By others the players say which stones are dead."""
    komi: float | None = None
    """Of Go; default: 7 on boards of up to 9 × 9, otherwise the usual one of the rules."""

    @model_validator(mode="after")
    def _possible(self) -> Self:
        self.new_initial_state()
        return self

    def new_initial_state(self) -> Any:
        """The position before the first move. Raises HonteError for a size that cannot be."""
        match self.name:
            case GameName.GO:
                return self.go().new_initial_state()
            case GameName.CONNECT_FOUR:
                return ConnectFour().new_initial_state()
            case GameName.TIC_TAC_TOE:
                return TicTacToe().new_initial_state()
            case GameName.OTHELLO:
                return (Othello(self.size) if self.size else Othello()).new_initial_state()
            case GameName.HEX:
                return (Hex(self.size) if self.size else Hex()).new_initial_state()
            case GameName.GOMOKU:
                return (Gomoku(self.size) if self.size else Gomoku()).new_initial_state()

    def go(self) -> Go:
        """The game, where it is Go."""
        size = self.size or 19
        rules = Rules.parse(self.rules)
        komi = self.komi
        if komi is None:
            komi = 7.0 if size <= 9 else rules.default_komi
        return Go(size, rules=rules, komi=komi)

    @property
    def is_go(self) -> bool:
        """Whether GTP engines can play it."""
        return self.name is GameName.GO

    def title(self) -> str:
        """For headings: ``Go 9 × 9, tromp-taylor, komi 7``."""
        if not self.is_go:
            return self.name.value + (f" {self.size} × {self.size}" if self.size else "")
        go = self.go()
        return f"Go {go.width} × {go.height}, {self.rules}, komi {go.komi:g}"

    def format_action(self, action: int) -> str:
        """A move for people: a vertex of Go, a column of Connect Four counted from 1, otherwise
        the action's number."""
        if self.is_go:
            go = self.go()
            return format_vertex(action, go.width, go.height)
        return str(action + 1) if self.name is GameName.CONNECT_FOUR else str(action)

    def parse_action(self, text: str) -> int:
        """The inverse of :meth:`format_action`. Raises HonteError for what is no move."""
        if self.is_go:
            go = self.go()
            return parse_vertex(text, go.width, go.height)
        try:
            number = int(text)
        except ValueError:
            raise HonteError(f"{text!r} is no move of {self.name.value}: give a number.") from None
        return number - 1 if self.name is GameName.CONNECT_FOUR else number


def points(state: Any) -> int:
    """The number of points or cells a position is about: what its length is measured by."""
    return int(state.width * state.height) if hasattr(state, "rules") else _cells(state)


def _cells(state: Any) -> int:
    return int(state.board().size)
