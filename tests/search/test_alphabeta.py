"""Alpha-beta is minimax with less work."""

from __future__ import annotations

import numpy as np
import pytest

from games.tiny_games import Corridor, DoubleMove, Nim, RandomTree, after, best_actions, minimax
from honte import presets
from honte.errors import HonteError
from honte.evaluation import Rollout, Uniform
from honte.games import ConnectFour, Hex, TicTacToe
from honte.search import AlphaBeta, AlphaBetaConfig, Budget, StopReason
from patience import processor_time_below
from search.hashed_evaluators import Hashed


def plain_minimax(state, depth, judge):
    """Every position to the depth: the value for player 0 and how many positions there are."""
    if state.is_terminal():
        return state.returns()[0], 1
    if depth == 0:
        value, _ = judge(state)
        return (-value if state.current_player() == 1 else value), 1
    below = [plain_minimax(after(state, a), depth - 1, judge) for a in state.legal_actions()]
    choose = max if state.current_player() == 0 else min
    return choose(value for value, _ in below), 1 + sum(count for _, count in below)


TREES = {
    "plain": {},
    "uneven": {"uneven": True, "early": True},
    "moves twice": {"moves_twice": True},
    "one player": {"players": 1},
}


@pytest.mark.parametrize("kind", TREES)
@pytest.mark.parametrize("depth", [1, 2, 3, 4, 9])
@pytest.mark.parametrize("seed", range(4))
def test_it_equals_minimax_on_random_trees(kind, depth, seed):
    state = RandomTree(seed, 3, 5, **TREES[kind])
    evaluator = Hashed(3, seed=seed)
    result = AlphaBeta(state, AlphaBetaConfig(depth), evaluator).run()
    sign = -1.0 if state.current_player() == 1 else 1.0
    value, _ = plain_minimax(state, depth, evaluator.one)
    assert sign * result.value == pytest.approx(value)
    chosen, _ = plain_minimax(after(state, result.action), depth - 1, evaluator.one)
    assert chosen == pytest.approx(value)
    if depth > 5:
        assert result.stop_reason is StopReason.PROVEN
    for child in result.children:
        truth, _ = plain_minimax(after(state, child.action), depth - 1, evaluator.one)
        assert child.q >= sign * truth - 1e-6


def test_the_depth_it_names_is_the_depth_it_reached():
    """The line's end is worth what the root is worth."""
    state, evaluator = RandomTree(3, 3, 6), Hashed(3)
    result = AlphaBeta(state, AlphaBetaConfig(4), evaluator).run()
    assert result.stop_reason is StopReason.DEPTH
    assert len(result.principal_variation) == 4
    end = after(state, *result.principal_variation)
    value, _ = evaluator.one(end)
    assert result.value == pytest.approx(value if end.current_player() == 0 else -value)


def test_it_looks_at_far_fewer_positions():
    state = ConnectFour().new_initial_state()
    _, all_positions = plain_minimax(state, 5, lambda s: (0.0, None))
    result = AlphaBeta(state, AlphaBetaConfig(5), Uniform()).run()
    assert result.visits < all_positions / 5
    assert sum(child.n for child in result.children) < result.visits


@pytest.mark.parametrize(
    ("state", "depth"),
    [
        (Nim((1, 2, 3)), 6),
        (DoubleMove(6), 6),
        (Corridor(9), 9),
        (Hex(3).new_initial_state(), 9),
        (after(TicTacToe().new_initial_state(), 0), 8),
    ],
    ids=str,
)
def test_games_that_end_within_the_depth_are_proven(state, depth):
    result = AlphaBeta(state, AlphaBetaConfig(depth), Uniform()).run()
    assert result.stop_reason is StopReason.PROVEN
    assert result.value == minimax(state) * (1 - 2 * result.player)
    assert result.action in best_actions(state)
    assert result.children[0].proven == result.value


def test_a_budget_ends_it_after_a_finished_depth():
    state = ConnectFour().new_initial_state()
    config = AlphaBetaConfig(12)
    result = AlphaBeta(state, config, Uniform()).run(visits=2000)
    assert result.stop_reason is StopReason.VISITS
    assert 2000 <= result.visits <= 2001
    assert AlphaBeta(state, config, Uniform()).run(visits=1).action in state.legal_actions()
    with processor_time_below(1.0):
        timed = AlphaBeta(state, config, Uniform()).run(Budget(seconds=0.1))
    assert timed.stop_reason is StopReason.TIME
    assert timed.seconds >= 0.1


class Counted:
    """Counts the batches that another evaluator is asked."""

    def __init__(self, evaluator):
        self.evaluator, self.batches, self.positions = evaluator, 0, 0

    def __call__(self, batch):
        self.batches += 1
        self.positions += batch.size
        return self.evaluator(batch)


def test_positions_that_follow_from_one_are_judged_together():
    evaluator = Counted(Hashed(7))
    result = AlphaBeta(ConnectFour().new_initial_state(), AlphaBetaConfig(3), evaluator).run()
    assert evaluator.positions == result.evaluations
    assert evaluator.positions > 5 * evaluator.batches


def test_the_same_seed_gives_the_same_result_with_rollouts():
    state = ConnectFour().new_initial_state()

    def chosen(seed):
        result = AlphaBeta(state, presets.alphabeta(depth=2), Rollout(20), seed=seed).run()
        return [(child.action, child.q) for child in result.children]

    assert chosen(1) == chosen(1) != chosen(2)


def test_it_takes_the_win_and_stops_the_other():
    state = after(ConnectFour().new_initial_state(), 3, 0, 3, 0, 3)
    search = AlphaBeta(state, presets.alphabeta(), Uniform())
    assert search.run().action == 3
    search.advance(1)
    result = search.run()
    assert (result.action, result.value) == (3, 1.0)
    assert result.policy[3] == result.policy.sum() == 1.0
    assert np.flatnonzero(result.prior).tolist() == search.state.legal_actions()
    search.advance(3)
    assert search.run().stop_reason is StopReason.TERMINAL


def test_what_cannot_be_is_refused():
    with pytest.raises(HonteError, match="depth = 0"):
        AlphaBetaConfig(0)
    with pytest.raises(HonteError, match="Action 9 is not legal"):
        AlphaBeta(TicTacToe().new_initial_state()).advance(9)


def test_a_walk_in_slices_finds_what_a_run_finds():
    state = TicTacToe().new_initial_state()
    whole = AlphaBeta(state, AlphaBetaConfig(depth=3), Rollout(8)).run()
    search = AlphaBeta(state, AlphaBetaConfig(depth=3), Rollout(8))
    slices = search.slices()
    pauses, depths = 0, []
    while True:
        try:
            found = next(slices)
        except StopIteration as end:
            last = end.value
            break
        pauses += 1
        if found is not None:
            depths.append(search.depth_finished)
    assert depths == [1, 2]
    assert pauses >= whole.evaluations
    assert (last.action, last.value, last.visits) == (whole.action, whole.value, whole.visits)
    assert search.depth_finished == 3
