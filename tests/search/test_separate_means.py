"""AlphaGo's leaf values: (1 − λ) W_v / N_v + λ W_r / N_r, each mean with its own count."""

from __future__ import annotations

import numpy as np
import pytest

from games.tiny_games import RandomTree
from honte import presets
from honte.errors import HonteError
from honte.evaluation import Evaluation, Mixture, Rollout, Uniform, WithRollouts
from honte.games.connect_four import ConnectFour
from honte.games.go import Go
from honte.games.tic_tac_toe import TicTacToe
from honte.search import Search, SearchConfig
from honte.search.config import (
    Backup,
    Expansion,
    Parallelism,
    Puct,
    ScoreUtility,
    SeparateMeans,
    VirtualLossKind,
)
from honte.search.search import EvaluationCache
from search.hashed_evaluators import Hashed

ONE = Parallelism(batch_size=1, batches_in_flight=1)


def config(rollout_weight=0.5, threshold=1, parallelism=ONE, **backup):
    return SearchConfig(
        selection=Puct(c_puct=1.5),
        expansion=Expansion(threshold=threshold),
        backup=Backup(separate_means=SeparateMeans(rollout_weight=rollout_weight), **backup),
        parallelism=parallelism,
    )


class Network:
    """The same value everywhere; counts the positions it was asked for."""

    def __init__(self, value=0.5):
        self.value, self.asked = value, []

    def __call__(self, batch):
        self.asked += [str(state) for state in batch.states()]
        return Evaluation(value=np.full(batch.size, self.value, np.float32))


class Results:
    """Rollouts that end as a list says, for player 0."""

    def __init__(self, *results):
        self.results, self.played = results, 0

    def __call__(self, batch):
        values = []
        for player in batch.players():
            result = self.results[self.played % len(self.results)]
            values.append(result if player == 0 else -result)
            self.played += 1
        return Evaluation(value=np.array(values, np.float32))


def test_below_the_threshold_a_leaf_has_one_value_and_a_rollout_at_every_visit():
    network, rollouts = Network(), Results(1, 1, -1)
    search = Search(
        TicTacToe().new_initial_state(), config(threshold=40), WithRollouts(network, rollouts)
    )
    search.run(simulations=301)
    assert rollouts.played == 301
    assert len(network.asked) == len(set(network.asked)) == search.result().nodes < 40


def test_the_means_have_counts_of_their_own():
    """One legal action a position: 1 + 3 visits below a threshold of 40. Player 0 moves first."""
    corridor = RandomTree(1, branching=1, depth=3)
    search = Search(
        corridor, config(0.25, threshold=40), WithRollouts(Network(0.5), Results(1, -1, 1, 1))
    )
    search.run(simulations=4)
    (edge,) = search.root.edges()
    value = -0.5  # the network's, of the child, for player 0: once
    rollouts = (-1 + 1 + 1) / 3
    assert edge.n == 3
    assert edge.q == pytest.approx(0.75 * value + 0.25 * rollouts)
    both = 0.75 * (0.5 + value) / 2 + 0.25 * (1 - 1 + 1 + 1) / 4
    assert search.root.value == pytest.approx(both)


def visits(search, simulations=300):
    search.run(simulations=simulations)
    return {edge.action: edge.n for edge in search.root.edges()}


def hashed(**kind):
    return Hashed(7, spread=1.0, **kind)


def rolled(state):
    return lambda batch: Evaluation(value=hashed(seed=3)(batch).rollout)


def test_a_weight_of_nothing_is_the_search_by_values_alone():
    state = ConnectFour().new_initial_state()
    apart = Search(state, config(0.0), WithRollouts(hashed(), rolled(state)))
    alone = Search(state, SearchConfig(selection=Puct(c_puct=1.5), parallelism=ONE), hashed())
    assert visits(apart) == visits(alone)


@pytest.mark.parametrize("weight", [0.25, 0.5, 1.0])
def test_where_every_visit_brings_both_the_means_mix_as_the_answers_do(weight):
    state = ConnectFour().new_initial_state()
    apart = Search(state, config(weight), WithRollouts(hashed(), rolled(state)))
    mixed = Search(
        state,
        SearchConfig(selection=Puct(c_puct=1.5), parallelism=ONE),
        Mixture(hashed(), rolled(state), weight),
    )
    assert visits(apart) == visits(mixed)
    assert apart.root.value == pytest.approx(mixed.root.value, abs=1e-6)


def test_below_the_threshold_the_answers_mix_otherwise():
    """A mixture asks the network again at every visit; its value then weighs as the rollouts do."""
    state = ConnectFour().new_initial_state()
    apart = Search(state, config(threshold=8), WithRollouts(hashed(), rolled(state)))
    mixed = Search(
        state,
        SearchConfig(selection=Puct(c_puct=1.5), expansion=Expansion(threshold=8), parallelism=ONE),
        Mixture(hashed(), rolled(state), 0.5),
    )
    assert visits(apart) != visits(mixed)


def test_a_virtual_loss_is_a_lost_rollout():
    """With λ = 0 the values' mean stays what it is while leaves are in flight."""
    core = Search(
        ConnectFour().new_initial_state(),
        config(0.0, virtual_visits=3.0),
        WithRollouts(hashed(), Rollout()),
    )
    core.run(simulations=50)
    before = {edge.action: edge.q for edge in core.root.edges()}
    from honte import _core

    batch = _core.LeafBatch()
    core._core.select(batch, 8, 8)
    assert core._core.waiting > 0
    for edge in core.root.edges():
        if edge.action in before:
            assert edge.q == pytest.approx(before[edge.action])
    batch.cancel()
    assert {edge.action: edge.q for edge in core.root.edges() if edge.n} == before


def test_a_cached_value_still_gets_its_rollout():
    state, cache = TicTacToe().new_initial_state(), EvaluationCache(10_000)
    network, rollouts = Network(), Results(1, -1, -1)
    evaluator = WithRollouts(network, rollouts)
    first = Search(state, config(), evaluator, cache=cache)
    first.run(simulations=60)
    asked, played = len(network.asked), rollouts.played
    again = Search(state, config(), evaluator, cache=cache)
    again.run(simulations=30)
    assert again.result().cache_hits > 0
    assert len(network.asked) - asked == 30 - again.result().cache_hits
    assert rollouts.played - played == again.result().evaluations == 30


def test_the_network_sees_the_same_rows_in_batches():
    """With many leaves in flight, part of a batch asks for rollouts alone."""
    network = Network(0.25)
    search = Search(
        Go(5).new_initial_state(),
        config(threshold=3, parallelism=Parallelism(batch_size=16, batches_in_flight=2)),
        WithRollouts(network),
    )
    result = search.run(simulations=500)
    assert result.visits == 500
    assert len(network.asked) == len(set(network.asked)) == result.nodes


def test_alphagos_presets_are_the_papers():
    for preset in (presets.alphago_fan(), presets.alphago_lee()):
        assert preset.backup.separate_means == SeparateMeans(rollout_weight=0.5)
        assert preset.expansion.threshold == 40
        assert preset.backup.virtual_loss is VirtualLossKind.LOST_VISITS
        assert preset.backup.virtual_visits == 3
    result = Search(Go(5).new_initial_state(), presets.alphago_lee(), WithRollouts(Network())).run(
        visits=300
    )
    assert result.visits == 300


@pytest.mark.parametrize("evaluator", [Rollout(), Uniform()])
def test_an_evaluator_inside_the_core_has_one_answer_for_both(evaluator):
    state = ConnectFour().new_initial_state()
    apart = Search(state, config(), evaluator, seed=4)
    plain = Search(state, SearchConfig(selection=Puct(c_puct=1.5)), evaluator, seed=4)
    assert visits(apart) == visits(plain)


def test_a_tree_of_two_means_can_be_saved_and_taken_up(tmp_path):
    state = ConnectFour().new_initial_state()
    search = Search(state, config(), WithRollouts(hashed(), rolled(state)))
    search.run(simulations=100)
    search.save(tmp_path / "tree")
    other = Search(state, config(), WithRollouts(hashed(), rolled(state)))
    other.load(tmp_path / "tree")
    assert visits(other, 50) == visits(search, 50)
    plain = Search(state, SearchConfig(), hashed())
    with pytest.raises(HonteError, match="another kind of backup"):
        plain.load(tmp_path / "tree")


@pytest.mark.parametrize("weight", [-0.1, 1.1, float("nan")])
def test_a_weight_outside_0_to_1_is_refused(weight):
    with pytest.raises(HonteError, match="rollout_weight"):
        SeparateMeans(rollout_weight=weight)


def test_two_means_know_neither_points_nor_weights():
    for other in ({"score_utility": ScoreUtility()}, {"value_weight_exponent": 0.25}):
        with pytest.raises(HonteError, match="Drop score_utility"):
            config(**other)


def test_an_evaluator_without_rollouts_is_named():
    network = Network()
    network.name = "a network alone"
    with pytest.raises(HonteError, match=r"a network alone .* wrap it in WithRollouts"):
        Search(TicTacToe().new_initial_state(), config(), network).run(visits=10)


def test_a_rollout_that_is_no_result_is_named():
    with pytest.raises(HonteError, match="rollout is 2"):
        Search(
            TicTacToe().new_initial_state(), config(), WithRollouts(Network(), Results(2.0))
        ).run(visits=10)
