"""The sequential probability ratio test: play until a difference is there or is not.

H0: the first player is ``elo0`` stronger than the second; H1: it is ``elo1`` stronger. The log
likelihood ratio is the generalised one over the scores of *pairs* of games (0, ½, 1, 1½ or 2
points), whose distribution is fitted under each hypothesis: two games from one opening are not
independent, and draws and openings that one side wins anyhow carry less than their number says.
Sources: Wald 1945; Van den Bergh, "A practical introduction to the GSPRT".
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from honte.errors import HonteError
from honte.lab.store import GameRow

PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
_SMOOTHING = 1e-3
"""Added to each count, so that an outcome not seen yet is not impossible."""


class Verdict(Enum):
    """What a test says."""

    OPEN = "undecided"
    ACCEPT_H0 = "H0 accepted"
    ACCEPT_H1 = "H1 accepted"


@dataclass(frozen=True, slots=True)
class SprtState:
    """Where a test stands."""

    llr: float
    """Log likelihood ratio of H1 against H0."""
    lower: float
    """At or below it H0 is accepted."""
    upper: float
    """At or above it H1 is accepted."""
    pairs: int

    @property
    def verdict(self) -> Verdict:
        """What follows."""
        if self.llr >= self.upper:
            return Verdict.ACCEPT_H1
        return Verdict.ACCEPT_H0 if self.llr <= self.lower else Verdict.OPEN


@dataclass(frozen=True)
class Sprt:
    """A test with its hypotheses and error rates.

    ``alpha`` is the chance to accept H1 where H0 is true, ``beta`` the chance to accept H0 where
    H1 is. Raises HonteError for rates or hypotheses that make no test.
    """

    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise HonteError(f"SPRT needs elo0 below elo1, not {self.elo0:g} and {self.elo1:g}.")
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise HonteError(f"SPRT: {name} is between 0 and 0.5, not {getattr(self, name)}.")

    def state(self, scores: Sequence[float]) -> SprtState:
        """The test after pairs with these scores for the first player, each 0, ¼, … 1."""
        numbers = Counter(round(score * 4) for score in scores)
        return SprtState(
            llr=self.log_likelihood_ratio(tuple(numbers[quarter] for quarter in range(5))),
            lower=math.log(self.beta / (1 - self.alpha)),
            upper=math.log((1 - self.beta) / self.alpha),
            pairs=len(scores),
        )

    def log_likelihood_ratio(self, counts: tuple[int, ...]) -> float:
        """From the numbers of pairs by score, from 0 to 2 points."""
        return _log_likelihood_ratio(counts, expected_score(self.elo0), expected_score(self.elo1))


def expected_score(elo: float) -> float:
    """The mean score of a player this much stronger."""
    return float(1.0 / (1.0 + 10.0 ** (-elo / 400.0)))


@lru_cache(maxsize=100_000)
def _log_likelihood_ratio(counts: tuple[int, ...], mean0: float, mean1: float) -> float:
    pairs = sum(counts)
    if pairs == 0:
        return 0.0
    smoothed = [count + _SMOOTHING for count in counts]
    observed = [count / sum(smoothed) for count in smoothed]
    under0, under1 = _fitted(observed, mean0), _fitted(observed, mean1)
    return pairs * sum(
        p * math.log(b / a) for p, a, b in zip(observed, under0, under1, strict=True)
    )


def _fitted(observed: Sequence[float], mean: float) -> list[float]:
    """The most likely distribution over the pair scores with this mean, given what was seen.

    It is observed / (1 + x (score − mean)) for the x at which the mean is right.
    """
    distance = [score - mean for score in PAIR_SCORES]
    # All denominators must stay positive; between the ends the sum falls from +∞ to −∞.
    low, high = -1.0 / distance[-1], -1.0 / distance[0]
    for _ in range(60):
        x = (low + high) / 2
        if sum(p * d / (1.0 + x * d) for p, d in zip(observed, distance, strict=True)) > 0:
            low = x
        else:
            high = x
    return [p / (1.0 + low * d) for p, d in zip(observed, distance, strict=True)]


def pair_scores(games: Sequence[GameRow], one: str, other: str) -> dict[int, float]:
    """The score of ``one`` against ``other`` in [0, 1] for each opening both have played from
    both sides."""
    found: dict[int, list[float]] = {}
    for game in games:
        sides = (game.fixture.first, game.fixture.second)
        if sides == (one, other):
            found.setdefault(game.fixture.opening, []).append(game.result)
        elif sides == (other, one):
            found.setdefault(game.fixture.opening, []).append(1.0 - game.result)
    return {opening: sum(scores) / 2 for opening, scores in found.items() if len(scores) == 2}
