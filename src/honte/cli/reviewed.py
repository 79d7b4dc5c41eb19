"""A game, its analysis, and how to say both: what every output of ``honte analyze`` starts from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from honte.games.go import GoState, format_vertex
from honte.players.analysis import Candidate, GameAnalysis, PositionAnalysis
from honte.records import GameRecord, format_rules

COLOURS = ("Black", "White")


@dataclass(frozen=True, slots=True)
class ReviewedGame:
    """A record with the positions of its main line and what the search found in them."""

    record: GameRecord
    path: str
    states: tuple[GoState, ...]
    """The position before the first move, and after each."""
    analysis: GameAnalysis
    engine: str
    """What evaluated the positions, in words."""
    visits: int
    seconds: float
    stopped: str
    """Why the record's later moves were left out; empty where none were."""

    def vertex(self, action: int | None) -> str:
        """An action in GTP letters; empty for None."""
        if action is None:
            return ""
        return format_vertex(action, self.record.width, self.record.height)

    def vertices(self, line: tuple[int, ...]) -> list[str]:
        """A line of moves in GTP letters."""
        return [self.vertex(action) for action in line]

    @property
    def rules(self) -> str:
        """The rules it was analysed by."""
        return format_rules(self.states[0].rules)

    def to_json(self) -> dict[str, Any]:
        """The whole analysis; winrates and leads are Black's, candidates the mover's."""
        record = self.record
        return {
            "file": self.path,
            "black": str(record.black),
            "white": str(record.white),
            "date": record.date,
            "result": record.result.text if record.result else "",
            "width": record.width,
            "height": record.height,
            "rules": self.states[0].rules.to_json(),
            "komi": self.states[0].komi,
            "engine": self.engine,
            "visits": self.visits,
            "stopped": self.stopped,
            "positions": [self._position(position) for position in self.analysis.positions],
        }

    def _position(self, position: PositionAnalysis) -> dict[str, Any]:
        return {
            "turn": position.turn,
            "player": COLOURS[position.player].lower(),
            "visits": position.visits,
            "blackWinrate": _rounded(position.black_winrate, 5),
            "blackLead": _rounded(position.black_lead, 3),
            "played": self.vertex(position.played) or None,
            "winrateLoss": _rounded(position.winrate_loss, 5),
            "pointsLoss": _rounded(position.points_loss, 3),
            "grade": position.grade.value,
            "candidates": [self._candidate(candidate) for candidate in position.candidates],
        }

    def _candidate(self, candidate: Candidate) -> dict[str, Any]:
        return {
            "move": self.vertex(candidate.action),
            "visits": candidate.visits,
            "winrate": _rounded(candidate.winrate, 5),
            "lead": _rounded(candidate.score_lead, 3),
            "prior": _rounded(candidate.prior, 5),
            "line": self.vertices(candidate.line),
        }


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
