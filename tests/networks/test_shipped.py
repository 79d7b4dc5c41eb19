"""The networks that come with honte: there, small, and with a sense of the game."""

import pytest

import honte.networks
from honte import presets
from honte.evaluation import NetworkEvaluator
from honte.games.go import Go, Rules, parse_vertex
from honte.search import Search
from shared_data import REPOSITORY


@pytest.fixture(scope="module")
def evaluator():
    return NetworkEvaluator(honte.networks.default())


def test_it_is_found_by_name_and_small():
    files = honte.networks.shipped_networks()
    assert honte.networks.load("default").description == honte.networks.default().description
    assert sum(path.stat().st_size for path in files.values()) < 6e6


@pytest.mark.parametrize("size", [9, 13, 19])
def test_it_opens_as_people_do(evaluator, size):
    """On 13 and 19 lines in a corner, on 9 near the centre; never on the first two lines."""
    said = evaluator.evaluate([Go(size).new_initial_state()])
    y, x = divmod(int(said.policy[0].argmax()), size)
    assert min(x, y, size - 1 - x, size - 1 - y) >= 2
    assert 0.3 < said.values.win[0] < 0.7


def test_it_captures_a_chain_in_atari_that_would_get_away(evaluator):
    black = [parse_vertex(v, 9, 9) for v in ("b5", "c6", "d6", "e6", "f6", "c4", "d4", "e4", "f4")]
    white = [parse_vertex(v, 9, 9) for v in ("c5", "d5", "e5", "f5", "g7", "g3", "h5")]
    state = Go(9, rules=Rules.named("chinese"), komi=7).new_initial_state(black, white)
    assert int(evaluator.evaluate([state]).policy[0].argmax()) == parse_vertex("g5", 9, 9)


def test_it_knows_who_owns_a_won_game(evaluator):
    """Black holds three quarters of the board."""
    black = [5 * 9 + x for x in range(9)]
    white = [6 * 9 + x for x in range(9)]
    state = Go(9, rules=Rules.named("chinese"), komi=7).new_initial_state(black, white)
    said = evaluator.evaluate([state])
    assert said.values.win[0] > 0.9
    assert said.values.lead[0] > 10
    assert said.ownership[0][:5].mean() > 0.6
    assert said.ownership[0][7:].mean() < -0.6


def test_each_has_its_card():
    cards = {path.stem for path in (REPOSITORY / "docs" / "networks").glob("*.md")}
    assert {"default", "zero-9x9"} <= set(honte.networks.shipped_networks()) <= cards


def test_the_one_from_nothing_captures_what_it_can():
    """White's four stones have one liberty left, and would connect by it."""
    evaluator = NetworkEvaluator(honte.networks.load("zero-9x9"))
    black = [parse_vertex(v, 9, 9) for v in ("b5", "c6", "d6", "e6", "f6", "c4", "d4", "e4", "f4")]
    white = [parse_vertex(v, 9, 9) for v in ("c5", "d5", "e5", "f5", "g7", "g3", "h5")]
    state = Go(9, rules=Rules.named("chinese"), komi=7).new_initial_state(black, white)
    found = Search(state, presets.alphazero(), evaluator, seed=0).run(visits=200)
    assert found.action == parse_vertex("g5", 9, 9)
