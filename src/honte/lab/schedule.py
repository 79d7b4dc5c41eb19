"""Which games are played, in which order: pairs of games from one opening, sides exchanged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Protocol

from honte.errors import HonteError
from honte.lab.sprt import Sprt, SprtState, Verdict, pair_scores
from honte.lab.store import Fixture, GameRow


class Schedule(Protocol):
    """A plan for a match."""

    @property
    def total(self) -> int:
        """The most games there can be."""
        ...

    def fixtures(self) -> Iterator[Fixture]:
        """All games in order; opening by opening, so that a match cut short is balanced."""
        ...

    def decided(self, games: Sequence[GameRow]) -> bool:
        """Whether the games so far are enough."""
        ...


def _pair(one: str, other: str, opening: int) -> tuple[Fixture, Fixture]:
    return Fixture(one, other, opening), Fixture(other, one, opening)


def _check(players: Sequence[str], pairs: int) -> None:
    if len(players) < 2:
        raise HonteError(f"A match needs two players at least, not {len(players)}.")
    if pairs < 1:
        raise HonteError(f"{pairs} pairs of games are no match: give at least 1.")


@dataclass(frozen=True)
class RoundRobin:
    """Everybody against everybody, ``pairs`` pairs of games each."""

    players: tuple[str, ...]
    pairs: int

    def __post_init__(self) -> None:
        _check(self.players, self.pairs)

    @property
    def total(self) -> int:
        """Games in all."""
        return len(self.players) * (len(self.players) - 1) * self.pairs

    def fixtures(self) -> Iterator[Fixture]:
        """All games in order."""
        for opening in range(self.pairs):
            for one, other in combinations(self.players, 2):
                yield from _pair(one, other, opening)

    def decided(self, games: Sequence[GameRow]) -> bool:
        """Never before the last game."""
        return False


@dataclass(frozen=True)
class Gauntlet:
    """The first player against each of the others, ``pairs`` pairs of games each."""

    players: tuple[str, ...]
    pairs: int

    def __post_init__(self) -> None:
        _check(self.players, self.pairs)

    @property
    def total(self) -> int:
        """Games in all."""
        return 2 * (len(self.players) - 1) * self.pairs

    def fixtures(self) -> Iterator[Fixture]:
        """All games in order."""
        for opening in range(self.pairs):
            for other in self.players[1:]:
                yield from _pair(self.players[0], other, opening)

    def decided(self, games: Sequence[GameRow]) -> bool:
        """Never before the last game."""
        return False


@dataclass(frozen=True)
class Chain:
    """Each player against the next ``reach`` ones: for players so far apart that most others are
    no match for them."""

    players: tuple[str, ...]
    pairs: int
    reach: int = 1

    def __post_init__(self) -> None:
        _check(self.players, self.pairs)

    @property
    def total(self) -> int:
        """Games in all."""
        n = len(self.players)
        meetings = sum(min(self.reach, n - 1 - place) for place in range(n))
        return 2 * meetings * self.pairs

    def fixtures(self) -> Iterator[Fixture]:
        """All games in order."""
        for opening in range(self.pairs):
            for place, one in enumerate(self.players):
                for other in self.players[place + 1 : place + 1 + self.reach]:
                    yield from _pair(one, other, opening)

    def decided(self, games: Sequence[GameRow]) -> bool:
        """Never before the last game."""
        return False


@dataclass(frozen=True)
class Sequential:
    """Two players until a sequential test decides, or ``pairs`` pairs are played."""

    players: tuple[str, str]
    pairs: int
    test: Sprt

    def __post_init__(self) -> None:
        _check(self.players, self.pairs)

    @property
    def total(self) -> int:
        """The most games there can be."""
        return 2 * self.pairs

    def fixtures(self) -> Iterator[Fixture]:
        """All games in order."""
        for opening in range(self.pairs):
            yield from _pair(*self.players, opening)

    def state(self, games: Sequence[GameRow]) -> SprtState:
        """Where the test stands.

        Only whole pairs count, and only those before the first opening that is not yet played
        out: games that end sooner than others must not be seen sooner. What was played after the
        decision does not change it.
        """
        scores = pair_scores(games, *self.players)
        in_order: list[float] = []
        state = self.test.state(in_order)
        for opening in range(self.pairs):
            if opening not in scores or state.verdict is not Verdict.OPEN:
                break
            in_order.append(scores[opening])
            state = self.test.state(in_order)
        return state

    def decided(self, games: Sequence[GameRow]) -> bool:
        """Whether a hypothesis was accepted."""
        return self.state(games).verdict is not Verdict.OPEN
