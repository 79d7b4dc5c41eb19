"""Ratings: known results, and intervals that hold what they promise."""

import numpy as np
import pytest

from honte.errors import HonteError
from honte.lab.ratings import ELO, maximum_likelihood, rate
from honte.lab.store import Ending, Fixture, GameRow


def games(first, second, won=0, drawn=0, lost=0, start=0):
    results = [1.0] * won + [0.5] * drawn + [0.0] * lost
    return [
        GameRow(Fixture(first, second, start + number), (), Ending.RULES, result, None)
        for number, result in enumerate(results)
    ]


def test_three_quarters_are_191_elo():
    """Of the model itself: 400 · log10(3) = 190.85."""
    strength = maximum_likelihood(np.array([[0.0, 75.0], [25.0, 0.0]]))
    assert (strength[0] - strength[1]) * ELO == pytest.approx(190.85, abs=0.01)


def test_a_ring_of_equal_wins_is_equal():
    strength = maximum_likelihood(np.array([[0, 6, 4], [4, 0, 6], [6, 4, 0]], float))
    assert strength == pytest.approx(0, abs=1e-9)


def test_the_same_strengths_as_choix():
    choix = pytest.importorskip("choix", reason="choix is the oracle of this test")
    random = np.random.default_rng(3)
    wins = random.integers(1, 30, (6, 6)).astype(float)
    np.fill_diagonal(wins, 0)
    data = [(a, b) for a in range(6) for b in range(6) for _ in range(int(wins[a, b]))]
    assert maximum_likelihood(wins) == pytest.approx(choix.opt_pairwise(6, data), abs=1e-5)


def test_many_games_give_the_expected_difference_and_its_error():
    """Of 1000 independent games at 50 % the error of the score is 1.58 %, 21.5 Elo at 95 %."""
    rows = games("a", "b", won=500, lost=500)
    elo, low, high = rate(rows).difference("a", "b")
    assert elo == pytest.approx(0, abs=1e-6)
    assert high - low == pytest.approx(2 * 21.5, rel=0.01)


def test_draws_narrow_the_interval():
    decided = rate(games("a", "b", won=100, lost=100)).difference("a", "b")
    drawn = rate(games("a", "b", won=20, drawn=160, lost=20)).difference("a", "b")
    assert drawn[2] - drawn[1] < 0.6 * (decided[2] - decided[1])


def test_who_won_everything_has_a_finite_rating():
    elo, low, high = rate(games("a", "b", won=20)).difference("a", "b")
    assert 300 < elo < 1000
    assert low > 0
    assert high > 1000


def test_an_anchor_has_rating_zero():
    rows = games("a", "b", won=30, lost=10) + games("b", "c", won=30, lost=10)
    table = rate(rows).table(anchor="c")
    assert [rating.name for rating in table] == ["a", "b", "c"]
    assert (table[2].elo, table[2].margin) == (0.0, 0.0)
    assert table[1].elo == pytest.approx(table[0].elo / 2, rel=0.01)


def test_players_who_never_met_are_not_compared():
    with pytest.raises(HonteError, match="c, d never met a"):
        rate(games("a", "b", won=1) + games("c", "d", won=1))
    with pytest.raises(HonteError, match="no finished games"):
        rate([])


def simulated(random, pairs, elo, opening_spread, draw=0.1):
    """Pairs of games from openings that favour one side by their own Elo."""
    bias = random.normal(0, opening_spread, pairs)
    rows = []
    for number in range(pairs):
        for first, second, sign in (("a", "b", 1), ("b", "a", -1)):
            expected = 1 / (1 + 10 ** (-(sign * elo + bias[number]) / 400))
            share = draw * 2 * min(expected, 1 - expected)
            dice = random.random()
            result = (
                1.0 if dice < expected - share / 2 else 0.5 if dice < expected + share / 2 else 0.0
            )
            rows.append(GameRow(Fixture(first, second, number), (), Ending.RULES, result, None))
    return rows


@pytest.mark.parametrize(("pairs", "spread"), [(8, 0), (20, 0), (100, 0), (20, 300), (100, 300)])
def test_equal_players_are_within_the_interval_95_times_in_100(pairs, spread):
    random = np.random.default_rng(pairs + spread)
    matches = 600
    held = 0
    for _ in range(matches):
        _, low, high = rate(simulated(random, pairs, 0, spread)).difference("a", "b")
        held += low <= 0 <= high
    # Within three standard errors of 95 %, and with few pairs rather too wide than too narrow.
    assert held / matches >= 0.95 - 3 * (0.95 * 0.05 / matches) ** 0.5
    if pairs >= 100:
        assert held / matches <= 0.95 + 3 * (0.95 * 0.05 / matches) ** 0.5


def test_unequal_players_too():
    random = np.random.default_rng(5)
    held = 0
    for _ in range(400):
        _, low, high = rate(simulated(random, 60, 150, 100)).difference("a", "b")
        held += low <= 150 <= high
    assert 0.92 <= held / 400 <= 0.985


def test_equal_players_of_a_round_robin_are_within_their_intervals():
    random = np.random.default_rng(9)
    held = []
    for _ in range(200):
        rows = []
        for one in range(4):
            for other in range(one + 1, 4):
                names = {"a": f"p{one}", "b": f"p{other}"}
                rows += [
                    GameRow(
                        Fixture(names[g.fixture.first], names[g.fixture.second], g.fixture.opening),
                        (), Ending.RULES, g.result, None,
                    )
                    for g in simulated(random, 25, 0, 0)
                ]  # fmt: skip
        held += [rating.low <= 0 <= rating.high for rating in rate(rows).table()]
    assert 0.93 <= np.mean(held) <= 0.985
