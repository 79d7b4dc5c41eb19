"""Plays the games of a match, and keeps each as it ends.

A match that was cut short is gone on with by running it again: what is in the store is not played
twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from honte.evaluation import Evaluator
from honte.lab.board_games import GameSpec
from honte.lab.evaluators import Evaluators
from honte.lab.openings import OpeningMaker
from honte.lab.playroom import GameOrder, LocalPlayroom, Playroom
from honte.lab.schedule import Schedule
from honte.lab.specs import LeafValue, MatchSpec, PlayerSpec
from honte.lab.store import Fixture, GameRow, Store


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a match is."""

    done: int
    """Games in the store that belong to this match."""
    total: int
    """The most there can be."""
    latest: GameRow | None = None


OnProgress = Callable[[Progress], None]
OpenPlayroom = Callable[[GameSpec, MatchSpec, Sequence[PlayerSpec], int | None], Playroom]
"""Makes the place where a match is played: from the game, how it is played, who plays, and how many
games at once (None: as many as suits the players)."""


class Match:
    """A match: who, what, in which order, and the file it is kept in.

    ``open_playroom`` says where it is played; None: in this process.
    """

    def __init__(
        self,
        store: Store,
        players: Sequence[PlayerSpec],
        schedule: Schedule,
        *,
        game: GameSpec | None = None,
        match: MatchSpec | None = None,
        evaluators: Evaluators | None = None,
        at_once: int | None = None,
        open_playroom: OpenPlayroom | None = None,
    ) -> None:
        """Raises HonteError if the store holds another match, or an engine is to play a game that
        is not Go."""
        self._store = store
        self._schedule = schedule
        self._game = game or GameSpec()
        self._match = match or MatchSpec()
        self._evaluators = evaluators or Evaluators()
        if open_playroom is None:
            self._playroom: Playroom = LocalPlayroom(
                self._game, self._match, players, evaluators=self._evaluators, at_once=at_once
            )
        else:
            self._playroom = open_playroom(self._game, self._match, players, at_once)
        store.begin(self._game, self._match, players)

    def games(self) -> list[GameRow]:
        """The games of this match that are in the store."""
        wanted = set(self._schedule.fixtures())
        return [game for game in self._store.games() if game.fixture in wanted]

    def run(self, on_progress: OnProgress | None = None) -> list[GameRow]:
        """Play what is missing; all games of this match. An interruption loses only the games on
        the board.

        Raises HonteError, before the first game, that names a player who cannot play and why.
        """
        games = self.games()
        report = on_progress or (lambda progress: None)
        report(Progress(len(games), self._schedule.total))
        if len(games) == self._schedule.total or self._schedule.decided(games):
            return games
        orders = self._orders({game.fixture for game in games})

        def deliver(finished: GameRow) -> bool:
            row = self._store.add(finished)
            if row is not None:
                games.append(row)
                report(Progress(len(games), self._schedule.total, row))
            return not self._schedule.decided(games)

        try:
            self._playroom.check()
            self._playroom.play(lambda wait: next(orders, None), deliver)
        finally:
            self._playroom.close()
        return games

    def _judge(self) -> Evaluator:
        return self._evaluators.evaluator(LeafValue(network=self._match.openings.network))

    def _orders(self, played: set[Fixture]) -> Iterator[GameOrder]:
        """The games that are missing, in order, each with its opening."""
        maker: OpeningMaker | None = None
        openings = self._store.openings()
        for fixture in self._schedule.fixtures():
            if fixture in played:
                continue
            if fixture.opening not in openings:
                if maker is None:
                    maker = OpeningMaker(
                        self._game, self._match.openings, self._judge(), self._match.seed
                    )
                    for opening in openings.values():
                        maker.know(opening)
                made = maker.make(fixture.opening)
                self._store.add_openings([made])
                openings[fixture.opening] = made
            yield GameOrder(fixture, openings[fixture.opening])
