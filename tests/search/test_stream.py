"""A stream of searches: each finds what it would find alone, and the next one takes its place."""

import numpy as np
import pytest

from honte.errors import HonteError
from honte.evaluation import Evaluation, Uniform
from honte.games import ConnectFour, TicTacToe
from honte.search import Budget, Search, SearchConfig, run_stream
from honte.search.config import Gumbel, GumbelDecision, Parallelism
from search.hashed_evaluators import Hashed

ONE_LEAF = Parallelism(batch_size=1, batches_in_flight=1)


def positions(count):
    """Connect Four after 0, 1, 2, … moves drawn at random."""
    random = np.random.default_rng(3)
    found = []
    for moves in range(count):
        state = ConnectFour().new_initial_state()
        for _ in range(moves):
            state.apply_action(int(random.choice(state.legal_actions())))
        found.append(state)
    return found


def children(result):
    return [(child.action, child.n, child.q) for child in result.children]


@pytest.mark.parametrize(
    "config", [SearchConfig(), SearchConfig(selection=Gumbel(), decision=GumbelDecision())]
)
def test_every_search_is_what_it_is_alone_with_one_leaf_in_flight(config):
    evaluator = Hashed(7)
    parallelism = Parallelism(batch_size=4, batches_in_flight=2)
    states = positions(9)
    searches = [
        Search(state, config.replace(parallelism=parallelism), evaluator, seed=number)
        for number, state in enumerate(states)
    ]
    found = {}

    def finished(search, result):
        found[search.seed] = result

    budgets = [Budget(visits=20 + 7 * number) for number in range(len(states))]
    run_stream(zip(searches, budgets, strict=True), finished)
    assert sorted(found) == list(range(len(states)))
    for number, (state, budget) in enumerate(zip(states, budgets, strict=True)):
        alone = Search(state, config.replace(parallelism=ONE_LEAF), evaluator, seed=number)
        result = alone.run(budget)
        assert children(found[number]) == children(result)
        assert found[number].action == result.action
        assert found[number].stop_reason is result.stop_reason


def test_a_search_that_ends_gives_way_to_the_next_or_to_itself_advanced():
    evaluator = Hashed(9)
    moves = {0: 0, 1: 0}
    searches = [Search(TicTacToe().new_initial_state(), None, evaluator, seed=s) for s in moves]

    def finished(search, result):
        search.advance(result.action)
        moves[search.seed] += 1
        return None if search.state.is_terminal() else (search, Budget(simulations=8))

    run_stream([(search, Budget(simulations=8)) for search in searches], finished)
    assert all(5 <= count <= 9 for count in moves.values())
    assert all(search.state.is_terminal() for search in searches)


def test_a_search_at_the_end_of_its_game_ends_at_once():
    state = TicTacToe().new_initial_state()
    for action in (0, 3, 1, 4, 2):
        state.apply_action(action)
    results = []
    search = Search(state, None, Hashed(9))
    run_stream([(search, Budget(visits=5))], lambda _, result: results.append(result))
    (result,) = results
    assert result.action is None
    assert result.value == 1.0, "for player 0, the winner, since nobody is to move"


def test_what_cannot_run_together_is_refused_in_a_sentence():
    state = TicTacToe().new_initial_state()
    two = [(Search(state, None, Hashed(9)), Budget(visits=5)) for _ in range(2)]
    with pytest.raises(HonteError, match="must share one evaluator"):
        run_stream(two, lambda _, __: None)
    with pytest.raises(HonteError, match="not of seconds"):
        run_stream([(Search(state, None, Hashed(9)), Budget(seconds=1))], lambda _, __: None)


def test_an_answer_that_cannot_be_is_refused_and_names_its_evaluator():
    def broken(batch):
        return Evaluation(np.full(batch.size, np.nan, np.float32))

    search = Search(TicTacToe().new_initial_state(), None, broken)
    with pytest.raises(HonteError, match="The evaluator broken gave an answer that cannot be used"):
        run_stream([(search, Budget(visits=5))], lambda _, __: None)


def test_the_core_s_own_evaluators_run_in_a_stream_too():
    results = []
    searches = [Search(TicTacToe().new_initial_state(), None, Uniform(), seed=s) for s in (0, 1)]
    budget = Budget(visits=30)
    run_stream(((search, budget) for search in searches), lambda _, found: results.append(found))
    assert [result.visits for result in results] == [30, 30]
