"""Chess through python-chess: its rules, its numbering of moves, its draws."""

import random

import pytest

from honte._core import PythonState
from honte.errors import HonteError
from honte.games.chess import Chess

chess = pytest.importorskip("chess", reason="needs python-chess (pip install chess)")

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
PROMOTIONS = "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1"


def perft(state, depth):
    if depth == 0:
        return 1
    total = 0
    for action in state.legal_actions():
        after = state.clone()
        after.apply_action(action)
        total += perft(after, depth - 1)
    return total


def play(state, *moves):
    for move in moves:
        state.apply_action(state.string_to_action(move))
    return state


@pytest.mark.parametrize(
    ("fen", "counts"),
    [(None, [1, 20, 400, 8902]), (KIWIPETE, [1, 48, 2039]), (PROMOTIONS, [1, 24, 496])],
)
def test_perft(fen, counts):
    """The counts of the Chess Programming Wiki; no two moves share a number."""
    state = Chess(fen).new_initial_state()
    assert [perft(state, depth) for depth in range(len(counts))] == counts


def test_scholars_mate():
    state = play(Chess().new_initial_state(), "e4", "e5", "Bc4", "Nc6", "Qh5", "Nf6", "Qxf7#")
    assert state.is_terminal()
    assert state.current_player() == -4
    assert state.legal_actions() == []
    assert state.returns() == [1.0, -1.0]


def test_stalemate_is_a_draw():
    state = play(Chess("7k/8/5KQ1/8/8/8/8/8 w - - 0 1").new_initial_state(), "Qf7")
    assert state.is_terminal()
    assert state.returns() == [0.0, 0.0]


def test_the_third_occurrence_is_a_draw_through_clones_too():
    state = Chess().new_initial_state()
    for move in ["Nf3", "Nf6", "Ng1", "Ng8"] * 2:
        assert not state.is_terminal()
        state = play(state.clone(), move)
    assert state.is_terminal()
    assert state.returns() == [0.0, 0.0]


def test_fifty_moves_each_without_progress_are_a_draw():
    state = Chess("7k/8/5K2/8/8/8/8/R7 w - - 99 80").new_initial_state()
    assert not state.is_terminal()
    assert play(state.clone(), "Ra2").returns() == [0.0, 0.0]
    assert play(state.clone(), "Ra2").is_terminal()


def test_a_king_and_a_bishop_do_not_mate():
    assert Chess("8/8/8/4k3/8/8/3BK3/8 w - - 0 1").new_initial_state().is_terminal()


def test_numbers_of_moves():
    state = Chess("1n5k/P7/8/8/8/8/8/R3K3 w Q - 0 1").new_initial_state()
    number = state.string_to_action
    assert number("e1d1") == 64 * 4 + 3
    assert number("O-O-O") == 64 * 4 + 2
    assert number("a8=Q") == 64 * 48 + 56
    assert number("a8=N") == 4096 + 1
    assert number("axb8=R") == 4096 + 3 * 16 + 2
    assert state.action_to_string(4096 + 3 * 16 + 2) == "axb8=R+"


def test_all_along_random_games_numbers_name_moves():
    chance = random.Random(3)
    for _ in range(3):
        own = Chess().new_initial_state()
        adapted = PythonState(own)
        for _ in range(60):
            if own.is_terminal():
                break
            board = own.board
            actions = own.legal_actions()
            assert adapted.legal_actions() == actions
            assert len(actions) == board.legal_moves.count()
            assert {own.string_to_action(move.uci()) for move in board.legal_moves} == set(actions)
            action = chance.choice(actions)
            own.apply_action(action)
            adapted.apply_action(action)


def test_planes():
    planes = play(Chess().new_initial_state(), "e4").observation_tensor()
    assert planes.shape == (20, 8, 8)
    assert planes[0, 1].all()  # Black, to move, has its pawns on the seventh rank
    assert planes[6, 4, 4] == 1  # White's pawn on e4
    assert planes[19].sum() == 0


@pytest.mark.parametrize("fen", ["no position", "8/8/8/8/8/8/8/8 w - - 0 1"])
def test_a_position_that_cannot_be(fen):
    with pytest.raises(HonteError, match="chess position"):
        Chess(fen).new_initial_state()


def test_an_illegal_move():
    state = Chess().new_initial_state()
    with pytest.raises(HonteError, match="action 5 is not legal"):
        state.apply_action(5)
    with pytest.raises(HonteError, match="'e5' is no legal move"):
        state.string_to_action("e5")
