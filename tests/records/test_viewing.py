"""A viewer shows what a record says, even where no rules would allow it."""

import numpy as np
import pytest

from honte.records import load_collection, loads
from honte.records.viewing import views
from shared_data import shared_file


def test_s36_a_move_on_a_stone_overwrites_it_and_is_flagged():
    *_, second, third = views(loads("(;SZ[9];B[ee];W[ee];B[dd])").mainline())
    assert second.overwrites
    assert second.board[4, 4] == 2
    assert (third.overwrites, third.board[3, 3]) == (False, 1)


def test_s36_an_illegal_ko_recapture_is_executed_and_flagged():
    record = loads("(;SZ[5];B[bc];W[cc];B[ad];W[dd];B[be];W[ce];B[cd];W[bd];B[cd])")
    *_, capture, recapture = views(record.mainline())
    assert (capture.board[3, 1], capture.board[3, 2]) == (2, 0)
    assert not capture.retakes
    assert recapture.retakes
    assert (recapture.board[3, 1], recapture.board[3, 2]) == (0, 1)


def test_s34_a_move_off_the_board_changes_nothing():
    *_, first, second, third = views(loads("(;SZ[9];B[ee];W[kk];B[cc])").mainline())
    assert (first.board == second.board).all()
    assert third.board.sum() == 2


def test_setup_in_the_middle_adds_and_takes_away():
    *_, last = views(loads("(;SZ[5];B[cc];AW[aa]AE[cc];B[bb])").mainline())
    assert last.board.tolist()[0][0] == 2
    assert (last.board[2, 2], last.board[1, 1]) == (0, 1)


@pytest.mark.parametrize("number", range(0, 96, 12))
def test_legal_games_look_as_the_rules_play_them(number):
    record = load_collection(shared_file("games", "alphago-games.sgf"))[number]
    shown = [view.board for view in views(record.mainline()) if view.node.move]
    played = [state.board() for state in record.states()][1:]
    assert len(shown) == len(played) > 100
    assert all(np.array_equal(ours, theirs) for ours, theirs in zip(shown, played, strict=True))
