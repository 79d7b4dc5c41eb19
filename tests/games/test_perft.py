"""How many games of a given length the rules allow: numbers known from the literature."""

import pytest

from honte._core import ConnectFourState, OthelloState, TicTacToeState


def perft(state, depth):
    """Games of ``depth`` plies from here; a game that ends earlier is not counted."""
    if depth == 0:
        return 1
    if depth == 1:
        return len(state.legal_actions())
    total = 0
    for action in state.legal_actions():
        after = state.clone()
        after.apply_action(action)
        total += perft(after, depth - 1)
    return total


def finished_games(state):
    if state.is_terminal():
        return 1
    total = 0
    for action in state.legal_actions():
        after = state.clone()
        after.apply_action(action)
        total += finished_games(after)
    return total


def test_tic_tac_toe_has_255168_games():
    assert finished_games(TicTacToeState()) == 255_168


@pytest.mark.parametrize(
    ("depth", "games"), list(enumerate([1, 7, 49, 343, 2401, 16807, 117649, 823536]))
)
def test_connect_four(depth, games):
    """823,536 and not 7⁷ = 823,543: seven discs do not fit in one column."""
    assert perft(ConnectFourState(), depth) == games


@pytest.mark.parametrize(
    ("depth", "games"), list(enumerate([1, 4, 12, 56, 244, 1396, 8200, 55092]))
)
def test_othello(depth, games):
    """The counts that Othello programs agree on, passes being plies of their own."""
    assert perft(OthelloState(), depth) == games
