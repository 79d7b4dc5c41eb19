"""The tiny games are what they say, and the native search's adapter sees them the same."""

import random

import pytest

from games.tiny_games import (
    Corridor,
    DoubleMove,
    Nim,
    RandomTree,
    Ring,
    after,
    best_actions,
    minimax,
)
from honte._core import PythonState
from honte.games import State


@pytest.mark.parametrize("heaps", [(1,), (2, 2), (1, 2, 3), (1, 3, 4), (1, 1, 1), (2, 4, 5)])
def test_nim_is_won_where_the_exclusive_or_is_not_zero(heaps):
    xor = 0
    for heap in heaps:
        xor ^= heap
    assert minimax(Nim(heaps)) == (1.0 if xor else -1.0)


def test_a_player_moves_twice():
    state = after(DoubleMove(), 3)
    assert state.current_player() == 1
    assert after(state, 0).current_player() == 1
    assert after(state, 0, 6).current_player() == 0


@pytest.mark.parametrize(("length", "value"), [(5, 0.0), (6, 0.0), (7, 0.0)])
def test_short_strips_are_drawn(length, value):
    assert minimax(DoubleMove(length)) == value


def test_who_walks_the_corridors_last_step_wins():
    assert minimax(Corridor(5)) == 1.0
    assert minimax(Corridor(6)) == -1.0


def test_a_ring_comes_back_to_the_same_position():
    endless = Ring(count_plies=False)
    assert after(endless, 1, 1) == endless
    assert after(Ring(), 1, 1) != Ring()
    assert minimax(Ring()) == 0.0


def test_a_random_tree_is_the_same_tree_every_time():
    assert [minimax(RandomTree(seed)) for seed in range(6)] == [
        minimax(RandomTree(seed)) for seed in range(6)
    ]
    assert len({minimax(RandomTree(seed)) for seed in range(20)}) > 1


def test_one_player_takes_the_largest_leaf():
    tree = RandomTree(3, branching=2, depth=3, players=1)
    leaves = [
        after(tree, a, b, c).returns()[0] for a in range(2) for b in range(2) for c in range(2)
    ]
    assert minimax(tree) == max(leaves)
    assert after(tree, best_actions(tree)[0]).current_player() == 0


GAMES = [
    Nim(),
    DoubleMove(),
    Corridor(),
    Ring(),
    RandomTree(1),
    RandomTree(2, early=True, uneven=True),
    RandomTree(3, moves_twice=True),
    RandomTree(4, players=1),
]


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_the_adapter_sees_the_same_game(game):
    assert isinstance(game, State)
    chance = random.Random(5)
    for _ in range(20):
        own, adapted = game.clone(), PythonState(game)
        while True:
            assert adapted.is_terminal() == own.is_terminal()
            assert adapted.current_player() == own.current_player()
            assert adapted.legal_actions() == own.legal_actions()
            assert adapted.observation_tensor() == own.observation_tensor()
            assert adapted.key() == PythonState(own).key()
            if own.is_terminal():
                assert adapted.returns() == own.returns()
                break
            action = chance.choice(own.legal_actions())
            own.apply_action(action)
            adapted.apply_action(action)
