"""OpenSpiel's games as oracle: the same legal actions, players, ends and results all along
random games, and its own states unchanged through the adapter of the native search."""

import random

import pytest

from honte import _core

pyspiel = pytest.importorskip("pyspiel", reason="needs OpenSpiel (pip install open_spiel)")

NATIVE = {
    "tic_tac_toe": _core.TicTacToeState,
    "connect_four": _core.ConnectFourState,
    "connect_four(rows=5,columns=8)": lambda: _core.ConnectFourState(5, 8),
    "connect_four(rows=7,columns=4)": lambda: _core.ConnectFourState(7, 4),
    "gomoku(size=15)": _core.GomokuState,
    "gomoku(size=7)": lambda: _core.GomokuState(7),
    "gomoku(size=19)": lambda: _core.GomokuState(19),
    "hex(board_size=3)": lambda: _core.HexState(3),
    "hex(board_size=8)": lambda: _core.HexState(8),
    "hex(board_size=11)": _core.HexState,
    "hex(board_size=19)": lambda: _core.HexState(19),
    "othello": _core.OthelloState,
}
UNCHANGED = [
    "tic_tac_toe",
    "connect_four",
    "hex(board_size=5)",
    "othello",
    "breakthrough",
    "chess",
    "go(board_size=5)",
]


def follow(theirs, ours, chance):
    """Play one random game on both; returns its length."""
    length = 0
    while True:
        assert ours.is_terminal() == theirs.is_terminal(), str(theirs)
        assert ours.current_player() == theirs.current_player(), str(theirs)
        assert ours.legal_actions() == theirs.legal_actions(), str(theirs)
        if theirs.is_terminal():
            assert ours.returns() == theirs.returns(), str(theirs)
            return length
        action = chance.choice(theirs.legal_actions())
        theirs.apply_action(action)
        ours.apply_action(action)
        length += 1


@pytest.mark.parametrize("name", NATIVE)
def test_a_native_game_agrees(name):
    chance = random.Random(7)
    game = pyspiel.load_game(name)
    assert NATIVE[name]().num_distinct_actions() == game.num_distinct_actions()
    for _ in range(400 if game.num_distinct_actions() <= 65 else 60):
        follow(game.new_initial_state(), NATIVE[name](), chance)


@pytest.mark.parametrize("name", UNCHANGED)
def test_a_pyspiel_state_works_as_it_is(name):
    chance = random.Random(11)
    game = pyspiel.load_game(name)
    for _ in range(10):
        follow(game.new_initial_state(), _core.PythonState(game.new_initial_state()), chance)


def test_a_game_with_chance_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match="chance node"):
        _core.PythonState(pyspiel.load_game("backgammon").new_initial_state()).current_player()


@pytest.mark.parametrize("size", [5, 9])
def test_go_agrees(size):
    """Area scoring, no suicide, the simple ko: the same legal moves all along random games and the
    same result after two passes. OpenSpiel ends a game where a position comes back and after
    2 · size² moves; such a game is followed to there."""
    from honte.games.go import Go, Ko, Rules, Scoring

    rules = Rules(ko=Ko.SIMPLE, scoring=Scoring.AREA, friendly_pass=False)
    chance, finished = random.Random(5), 0
    game = pyspiel.load_game(f"go(board_size={size},komi=7.5)")
    for _ in range(60):
        theirs, ours = game.new_initial_state(), Go(size, rules=rules, komi=7.5).new_initial_state()
        while not theirs.is_terminal():
            assert ours.current_player() == theirs.current_player()
            assert list(ours.legal_actions()) == theirs.legal_actions(), str(theirs)
            legal = theirs.legal_actions()
            wanted = legal[-1] if chance.random() < 0.1 else chance.choice(legal)
            theirs.apply_action(wanted)
            ours.apply_action(wanted)
        if ours.is_terminal():
            finished += 1
            assert ours.passes_in_a_row == 2
            assert list(ours.returns()) == theirs.returns(), str(theirs)
    assert finished > 10
