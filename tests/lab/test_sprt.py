"""The sequential test keeps its error rates."""

import math

import numpy as np
import pytest

from honte.errors import HonteError
from honte.lab.sprt import PAIR_SCORES, Sprt, Verdict, expected_score


def outcomes(elo, spread, draw):
    """[5]: the chances of a pair's scores, from openings that favour a side by ± spread Elo."""
    chances = np.zeros(5)
    for bias in (-spread, spread):
        games = []
        for sign in (1, -1):
            mean = expected_score(elo + sign * bias)
            share = draw * 2 * min(mean, 1 - mean)
            games.append((1 - mean - share / 2, share, mean - share / 2))
        chances += np.convolve(*games) / 2
    return chances


def decide(test, chances, random, most=6000):
    """The verdict on simulated pairs, looked at every pair."""
    scores = random.choice(5, size=most, p=chances)
    counts = np.zeros(5, int)
    lower, upper = math.log(test.beta / (1 - test.alpha)), math.log((1 - test.beta) / test.alpha)
    for number, score in enumerate(scores, 1):
        counts[score] += 1
        llr = test.log_likelihood_ratio(tuple(counts.tolist()))
        if llr >= upper:
            return Verdict.ACCEPT_H1, number
        if llr <= lower:
            return Verdict.ACCEPT_H0, number
    return Verdict.OPEN, most


def elo_of(chances):
    mean = float(chances @ PAIR_SCORES)
    return -400 * math.log10(1 / mean - 1)


@pytest.mark.parametrize("trials", [120, pytest.param(1500, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("spread", "draw"), [(0, 0.2), (250, 0.2), (0, 0.8)])
def test_error_rates_hold(spread, draw, trials):
    random = np.random.default_rng(7)
    wrong = {}
    for truth, bad in ((0, Verdict.ACCEPT_H1), (60, Verdict.ACCEPT_H0)):
        chances = outcomes(truth, spread, draw)
        # Uneven openings pull a pair's mean towards ½: test what the mean score says.
        test = Sprt(elo0=elo_of(outcomes(0, spread, draw)), elo1=elo_of(outcomes(60, spread, draw)))
        verdicts = [decide(test, chances, random)[0] for _ in range(trials)]
        assert Verdict.OPEN not in verdicts
        wrong[truth] = verdicts.count(bad) / trials
    # 5 % and three standard errors of the count.
    limit = 0.05 + 3 * math.sqrt(0.05 * 0.95 / trials)
    assert wrong[0] <= limit
    assert wrong[60] <= limit


def test_the_test_is_quicker_than_a_match_of_fixed_length():
    """To tell 0 from 60 Elo at 5 % and 5 % takes (2 · 1.645 · 0.354 / 0.0857)² = 185 pairs."""
    random = np.random.default_rng(2)
    lengths = [decide(Sprt(0, 60), outcomes(60, 0, 0), random)[1] for _ in range(60)]
    assert np.mean(lengths) < 185


def test_a_long_lead_is_h1_and_none_is_h0():
    test = Sprt(0, 20)
    assert test.state([0.75] * 200).verdict is Verdict.ACCEPT_H1
    assert test.state([0.5, 0.25, 0.75] * 2000).verdict is Verdict.ACCEPT_H0
    assert test.state([]).verdict is Verdict.OPEN


def test_swapping_players_and_hypotheses_turns_the_sign():
    counts = (3, 10, 40, 20, 9)
    forward = Sprt(0, 30).log_likelihood_ratio(counts)
    backward = Sprt(-30, 0).log_likelihood_ratio(counts[::-1])
    assert forward == pytest.approx(-backward, rel=1e-6)


def test_the_ratio_is_that_of_the_normal_approximation_near_the_hypotheses():
    counts = (100, 400, 1000, 440, 120)
    n = sum(counts)
    mean = np.dot(counts, PAIR_SCORES) / n
    variance = np.dot(counts, (np.array(PAIR_SCORES) - mean) ** 2) / n
    s0, s1 = expected_score(0), expected_score(10)
    approximate = n * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance)
    assert Sprt(0, 10).log_likelihood_ratio(counts) == pytest.approx(approximate, rel=0.03)


@pytest.mark.parametrize("options", [{"elo0": 5, "elo1": 5}, {"alpha": 0}, {"beta": 0.7}])
def test_what_is_no_test_is_refused(options):
    with pytest.raises(HonteError, match="SPRT"):
        Sprt(**options)
