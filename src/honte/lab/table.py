"""One game of a match while it is played."""

from __future__ import annotations

import contextlib
from typing import Any

from honte.games.go import Scoring
from honte.lab.board_games import GameSpec, points
from honte.lab.openings import Opening, derived_seed, start_position
from honte.lab.seats import AlphaBetaSeat, Answer, EngineSeat, SearchSeat
from honte.lab.specs import AgreedEnd, MatchSpec
from honte.lab.store import Ending, Fixture, GameRow

Seat = SearchSeat | AlphaBetaSeat | EngineSeat


class Table:
    """A position, two seats, and when it is over.

    ``seats`` are those of the player who starts the game and of the other; players of the game's
    state are numbered the same way.
    """

    def __init__(
        self,
        game: GameSpec,
        match: MatchSpec,
        fixture: Fixture,
        opening: Opening,
        seats: tuple[Seat, Seat],
    ) -> None:
        self.fixture = fixture
        self.seats = seats
        self.state: Any = start_position(game, opening.actions)
        self.actions = list(opening.actions)
        self.seconds = [0.0, 0.0]
        self._game = game
        self._agreement = _Agreement(match.agreed_end) if match.agreed_end is not None else None
        self._agreed: tuple[float, int] | None = None
        self._checked = (
            match.agreed_end is not None
            and _chance(match.seed, fixture, "checked") < match.agreed_end.checked
        )
        self._longest = max(len(opening.actions) + 1, round(match.longest * points(self.state)))
        self.row: GameRow | None = None
        """The finished game."""
        if self.state.is_terminal():
            self._end_by_rules()

    @property
    def player(self) -> int:
        """Whose turn it is."""
        return int(self.state.current_player())

    @property
    def seat(self) -> Seat:
        """Who sits there."""
        return self.seats[self.player]

    def name(self, player: int) -> str:
        """The name of a player."""
        return self.fixture.first if player == 0 else self.fixture.second

    def answer(self, answer: Answer) -> bool:
        """Take the answer of the player to move; whether a move was played and must be told.

        The action is legal; seats see to that.
        """
        player = self.player
        self.seconds[player] += answer.seconds
        if answer.action is None:
            self._end(Ending.RESIGNED, 1.0 if player == 1 else 0.0)
            return False
        if self._agreement is not None and self._ends_by_agreement(player, answer.winrate):
            return False
        self.state.apply_action(answer.action)
        self.actions.append(answer.action)
        if self.state.is_terminal():
            self._end_by_rules()
        elif len(self.actions) >= self._longest:
            self._end_by_length()
        return True

    def fail(self, player: int, note: str) -> None:
        """The player could not go on: it loses."""
        self._end(Ending.FORFEIT, 1.0 if player == 1 else 0.0, note=note)

    def _ends_by_agreement(self, player: int, winrate: float | None) -> bool:
        assert self._agreement is not None
        agreed = self._agreement.result(player, winrate)
        if agreed is None or self._agreed is not None:
            return False
        if self._checked:
            self._agreed = (agreed, len(self.actions))
            return False
        self._end(Ending.AGREED, agreed)
        return True

    def _end_by_rules(self) -> None:
        if self._game.is_go and self.state.is_no_result():
            self._end(Ending.NO_RESULT, 0.5)
            return
        if self._game.is_go:
            self._end_by_score()
        else:
            self._end(Ending.RULES, (self.state.returns()[0] + 1) / 2)

    def _end_by_score(self) -> None:
        """Count the board: as it stands under rules by which players do not agree on dead stones,
        otherwise by what the players say of them.

        Where they agree on the winner alone, the smaller margin counts; where they do not even
        agree on that, the game is drawn.
        """
        rules = self.state.rules
        if rules.scoring is Scoring.AREA and not rules.friendly_pass:
            self._end_on(-float(self.state.score()))
            return
        opinions = [seat.dead_stones(self.state) for seat in self.seats]
        margins = []
        for dead in opinions:
            with contextlib.suppress(ValueError):  # stones that are not there
                if dead is not None:
                    margins.append(-float(self.state.score_with_dead(dead)))
        if not margins:
            self._end_on(-float(self.state.score()), "Counted as it stands.")
        elif len({(margin > 0) - (margin < 0) for margin in margins}) > 1:
            self._end(Ending.RULES, 0.5, note="The players differ on who won.")
        else:
            self._end_on(min(margins, key=abs))

    def _end_on(self, margin: float, note: str = "") -> None:
        result = 0.5 if margin == 0 else float(margin > 0)
        self._end(Ending.RULES, result, margin, note)

    def _end_by_length(self) -> None:
        if not self._game.is_go:
            self._end(Ending.LENGTH, 0.5)
            return
        margin = -float(self.state.score())
        self._end(Ending.LENGTH, 0.5 if margin == 0 else float(margin > 0), margin)

    def _end(
        self, ending: Ending, result: float, margin: float | None = None, note: str = ""
    ) -> None:
        self.row = GameRow(
            fixture=self.fixture,
            actions=tuple(self.actions),
            ending=ending,
            result=result,
            margin=margin,
            note=note,
            agreed=self._agreed,
            seconds=(self.seconds[0], self.seconds[1]),
        )


class _Agreement:
    """Counts the turns on which each player's search gave the game up for the same side."""

    def __init__(self, spec: AgreedEnd) -> None:
        self._spec = spec
        self._loser: int | None = None
        self._turns = [0, 0]

    def result(self, player: int, winrate: float | None) -> float | None:
        """What both agree on for the first player, after one more turn; None for nothing."""
        loser = None
        if winrate is not None and winrate < self._spec.winrate:
            loser = player
        elif winrate is not None and winrate > 1 - self._spec.winrate:
            loser = 1 - player
        if loser is None or loser != self._loser:
            self._loser, self._turns = loser, [0, 0]
        if loser is None:
            return None
        self._turns[player] += 1
        return float(loser == 1) if min(self._turns) >= self._spec.turns else None


def _chance(seed: int, fixture: Fixture, purpose: str) -> float:
    """A number in [0, 1) that belongs to this game."""
    number = derived_seed(seed, fixture.first, fixture.second, fixture.opening, purpose)
    return number / 2.0**64
