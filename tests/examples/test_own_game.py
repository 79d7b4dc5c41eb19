"""examples/own_game.py: Cram, in which the second player wins every board of even sides."""

import runpy

import pytest

from shared_data import REPOSITORY


@pytest.fixture(scope="module")
def program():
    return runpy.run_path(str(REPOSITORY / "examples" / "own_game.py"))


def test_the_program_plays_a_whole_game(program, capsys):
    program["main"]()
    *moves, end = capsys.readouterr().out.splitlines()
    assert 4 <= len(moves) <= 8
    assert end in {f"player {player} has laid the last domino" for player in (0, 1)}


def test_the_second_player_wins_by_symmetry(program):
    """After the first domino in a corner of 2 × 2 the only answer ends the game."""
    game = program["Cram"](2, 2)
    assert game.legal_actions() == [0, 1, 3, 4]
    game.apply_action(0)
    assert game.legal_actions() == [4]
    game.apply_action(4)
    assert game.is_terminal()
    assert game.returns() == [-1.0, 1.0]
