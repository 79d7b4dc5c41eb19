"""When to give a game up."""

from __future__ import annotations

from dataclasses import dataclass

from honte.search.result import SearchResult


@dataclass(frozen=True, slots=True)
class Resignation:
    """Resign after ``turns`` own turns in a row below ``winrate``.

    With ``handicap`` stones against it a player expects to be behind for long, so the threshold
    falls by ``handicap_factor`` for each stone.
    """

    winrate: float = 0.05
    turns: int = 3
    minimum_visits: int = 50
    """A search of fewer visits says too little."""
    earliest_move_share: float = 0.2
    """No resignation before this share of the board's points has been played."""
    handicap_factor: float = 0.7


class ResignationJudge:
    """Counts hopeless turns of one player over a game."""

    def __init__(self, settings: Resignation) -> None:
        self._settings = settings
        self._hopeless_turns = 0

    def reset(self) -> None:
        """A new game, or another position than the one that was hopeless."""
        self._hopeless_turns = 0

    def resigns(
        self,
        result: SearchResult,
        *,
        handicap: int,
        move_number: int,
        points: int,
        pass_wins: bool,
    ) -> bool:
        """Whether to resign instead of the move found; call once for each own turn.

        ``pass_wins``: passing now would end the game with a win.
        """
        settings = self._settings
        threshold = settings.winrate * settings.handicap_factor**handicap
        best = max((child.q for child in result.children if child.n > 0), default=result.value)
        best_winrate = (max(best, result.value) + 1.0) / 2.0
        hopeless = (
            best_winrate < threshold and result.visits >= settings.minimum_visits and not pass_wins
        )
        self._hopeless_turns = self._hopeless_turns + 1 if hopeless else 0
        long_enough = move_number >= settings.earliest_move_share * points
        return long_enough and self._hopeless_turns >= settings.turns
