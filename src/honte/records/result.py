"""Results of games, as records write them and as people say them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from honte.records.root import read_number


class Ending(Enum):
    """How a game ended."""

    SCORE = "score"
    RESIGNATION = "resignation"
    TIME = "time"
    FORFEIT = "forfeit"
    UNSTATED = "unstated"
    """Won, the record does not say how."""
    DRAW = "draw"
    NO_RESULT = "no result"
    """Void: suspended, or no result by the rules."""


_BY_WORD = {
    "": Ending.UNSTATED,
    "r": Ending.RESIGNATION,
    "resign": Ending.RESIGNATION,
    "resignation": Ending.RESIGNATION,
    "t": Ending.TIME,
    "time": Ending.TIME,
    "timeout": Ending.TIME,
    "f": Ending.FORFEIT,
    "forfeit": Ending.FORFEIT,
}
_SGF = {
    Ending.UNSTATED: "",
    Ending.RESIGNATION: "R",
    Ending.TIME: "T",
    Ending.FORFEIT: "F",
}
_WON = re.compile(r"(b|w|black|white)\s*\+\s*(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Result:
    """Who won and how."""

    ending: Ending
    winner: int | None = None
    """0 for Black, 1 for White, None for nobody."""
    margin: float | None = None
    """Points the winner is ahead, for a game that was counted."""

    @staticmethod
    def parse(text: str) -> Result | None:
        """From the value of RE; None where it says nothing (``?``) or nothing known."""
        plain = text.strip()
        if plain.lower() in ("0", "draw", "jigo"):
            return Result(Ending.DRAW)
        if plain.lower() in ("void", "no result"):
            return Result(Ending.NO_RESULT)
        match = _WON.fullmatch(plain)
        if match is None:
            return None
        winner = 0 if match[1][0] in "bB" else 1
        how = match[2].strip()
        ending = _BY_WORD.get(how.lower().rstrip("."))
        if ending is not None:
            return Result(ending, winner)
        margin = read_number(how)
        if margin is None or margin < 0:
            return Result(Ending.UNSTATED, winner)
        return Result(Ending.DRAW) if margin == 0 else Result(Ending.SCORE, winner, margin)

    @staticmethod
    def of_score(white_minus_black: float) -> Result:
        """The result of a counted game from White's score minus Black's, komi included."""
        if white_minus_black == 0:
            return Result(Ending.DRAW)
        return Result(Ending.SCORE, int(white_minus_black > 0), abs(white_minus_black))

    @property
    def text(self) -> str:
        """As SGF writes it: ``B+R``, ``W+3.5``, ``0``, ``Void``."""
        if self.ending is Ending.DRAW:
            return "0"
        if self.ending is Ending.NO_RESULT or self.winner is None:
            return "Void"
        how = f"{self.margin:g}" if self.margin is not None else _SGF.get(self.ending, "")
        return f"{'BW'[self.winner]}+{how}"

    def __str__(self) -> str:
        """As people say it: "White wins by resignation"."""
        if self.ending is Ending.DRAW:
            return "draw"
        if self.ending is Ending.NO_RESULT or self.winner is None:
            return "no result"
        name = ("Black", "White")[self.winner]
        if self.margin is not None:
            return f"{name} wins by {self.margin:g} point{'s' if self.margin != 1 else ''}"
        how = {
            Ending.RESIGNATION: " by resignation",
            Ending.TIME: " on time",
            Ending.FORFEIT: " by forfeit",
        }.get(self.ending, "")
        return f"{name} wins{how}"
