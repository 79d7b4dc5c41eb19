"""Elo ratings by maximum likelihood, with intervals.

The model is Bradley and Terry's: a player d Elo stronger scores 1 / (1 + 10^(−d/400)); a draw is
half a win and half a loss. To every pair of players that met, half a win is added for each: then
a player that won everything has a finite rating, and the interval for few games covers the truth
about as often as it says [Haldane 1956; Anscombe 1956].

The intervals come from the likelihood's curvature; where there are enough pairs of games from one
opening, from how the pairs' scores really spread [a sandwich estimate, Huber 1967], because games
from one opening are not independent and draws make scores spread less.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from honte.bradley_terry import ELO, PRIOR, information, maximum_likelihood
from honte.errors import HonteError
from honte.lab.store import GameRow

ENOUGH_PAIRS = 50
"""From this many pairs of games a player on the spread of their scores is trusted alone; below,
the wider of both estimates is given."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's strength among those it was rated with."""

    name: str
    elo: float
    """Relative to the anchor, or to the mean of all."""
    low: float
    high: float
    """The interval."""
    games: int
    score: float
    """Points in [0, games]."""

    @property
    def margin(self) -> float:
        """Half the interval."""
        return (self.high - self.low) / 2


@dataclass(frozen=True)
class Ratings:
    """All players' strengths and how sure they are."""

    names: tuple[str, ...]
    elo: NDArray[np.float64]
    """[players], mean 0."""
    covariance: NDArray[np.float64]
    """[players, players], in Elo²."""
    games: NDArray[np.int64]
    points: NDArray[np.float64]

    def table(self, *, anchor: str | None = None, confidence: float = 0.95) -> list[Rating]:
        """The ratings, the strongest first. With an anchor it has rating 0 and no interval."""
        width = _standard_errors(confidence)
        zero = self._index(anchor) if anchor is not None else None
        rows = []
        for player, name in enumerate(self.names):
            elo, variance = self.elo[player], self.covariance[player, player]
            if zero is not None:
                elo = elo - self.elo[zero]
                variance = self._variance(player, zero)
            half = width * math.sqrt(max(0.0, variance))
            rows.append(
                Rating(
                    name,
                    float(elo),
                    float(elo - half),
                    float(elo + half),
                    int(self.games[player]),
                    float(self.points[player]),
                )
            )
        return sorted(rows, key=lambda row: -row.elo)

    def difference(
        self, one: str, other: str, *, confidence: float = 0.95
    ) -> tuple[float, float, float]:
        """How much stronger ``one`` is than ``other``, and the interval's ends."""
        a, b = self._index(one), self._index(other)
        elo = float(self.elo[a] - self.elo[b])
        half = _standard_errors(confidence) * math.sqrt(self._variance(a, b))
        return elo, elo - half, elo + half

    def likelihood_of_superiority(self, one: str, other: str) -> float:
        """The chance that ``one`` is the stronger, as far as these games say."""
        a, b = self._index(one), self._index(other)
        return NormalDist().cdf((self.elo[a] - self.elo[b]) / math.sqrt(self._variance(a, b)))

    def _variance(self, a: int, b: int) -> float:
        c = self.covariance
        return float(max(0.0, c[a, a] + c[b, b] - 2 * c[a, b]))

    def _index(self, name: str) -> int:
        try:
            return self.names.index(name)
        except ValueError:
            raise HonteError(
                f"There is no rated player {name!r}; there are {', '.join(self.names)}."
            ) from None


def _standard_errors(confidence: float) -> float:
    if not 0 < confidence < 1:
        raise HonteError(f"A confidence is between 0 and 1, not {confidence}.")
    return NormalDist().inv_cdf(0.5 + confidence / 2)


def rate(games: Sequence[GameRow]) -> Ratings:
    """Rate all players of these games.

    Raises HonteError if there are none, or if they fall into groups that never met.
    """
    names = tuple(dict.fromkeys(n for g in games for n in (g.fixture.first, g.fixture.second)))
    if not names:
        raise HonteError("There are no finished games to rate.")
    place = {name: index for index, name in enumerate(names)}
    first = np.array([place[game.fixture.first] for game in games])
    second = np.array([place[game.fixture.second] for game in games])
    result = np.array([game.result for game in games])
    pair = np.unique([_pair_number(game, place) for game in games], return_inverse=True)[1]
    n = len(names)
    wins = np.zeros((n, n))
    np.add.at(wins, (first, second), result)
    np.add.at(wins, (second, first), 1.0 - result)
    met = (wins + wins.T) > 0
    _refuse_strangers(names, met)
    strength = maximum_likelihood(wins + PRIOR * met)
    covariance = _covariance(strength, wins + PRIOR * met, (first, second, result, pair))
    number = np.bincount(np.concatenate([first, second]), minlength=n)
    return Ratings(names, strength * ELO, covariance * ELO**2, number, wins.sum(axis=1))


def _covariance(
    strength: NDArray[np.float64],
    wins: NDArray[np.float64],
    games: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]],
) -> NDArray[np.float64]:
    """[n, n] of the strengths less their mean, in natural units squared."""
    n = len(strength)
    inverse = np.linalg.pinv(information(strength, wins + wins.T))
    first, second, result, pair = games
    surprise = result - 1.0 / (1.0 + np.exp(strength[second] - strength[first]))
    pairs = int(pair.max()) + 1
    score = np.zeros((pairs, n))
    np.add.at(score, (pair, first), surprise)
    np.add.at(score, (pair, second), -surprise)
    # With few games, what was fitted to them leaves too little spread [MacKinnon & White 1985].
    spread = score.T @ score * (pairs / max(1, pairs - n))
    sandwich = inverse @ spread @ inverse
    if pairs >= ENOUGH_PAIRS * n:
        return sandwich
    # The wider of both, direction by direction: a matrix at least as large as either.
    values, vectors = np.linalg.eigh(sandwich - inverse)
    wider: NDArray[np.float64] = inverse + (vectors * np.maximum(values, 0)) @ vectors.T
    return wider


def _pair_number(game: GameRow, place: dict[str, int]) -> int:
    """A number for the pair of games that a game belongs to."""
    a, b = sorted((place[game.fixture.first], place[game.fixture.second]))
    return (game.fixture.opening * len(place) + a) * len(place) + b


def _refuse_strangers(names: Sequence[str], met: NDArray[np.bool_]) -> None:
    known, new = {0}, [0]
    while new:
        for other in np.flatnonzero(met[new.pop()]):
            if int(other) not in known:
                known.add(int(other))
                new.append(int(other))
    strangers = [name for index, name in enumerate(names) if index not in known]
    if strangers:
        raise HonteError(
            f"{', '.join(strangers)} never met {names[0]}, directly or through others: their "
            "ratings cannot be compared."
        )
