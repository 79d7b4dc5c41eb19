"""What holds for every native game, at every position of random games, and their rules."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honte.errors import HonteError
from honte.games import (
    ConnectFour,
    ConnectFourState,
    Gomoku,
    GomokuState,
    Hex,
    HexState,
    Othello,
    OthelloState,
    State,
    TicTacToe,
    TicTacToeState,
)

GAMES = [
    TicTacToe(),
    ConnectFour(),
    ConnectFour(rows=3, columns=5),
    Gomoku(),
    Gomoku(size=6, overline_wins=False),
    Hex(),
    Hex(size=4),
    Othello(),
    Othello(size=6),
    Othello(size=4),
]
every_game = pytest.mark.parametrize("game", GAMES, ids=str)
choices = st.lists(st.integers(0, 400), max_size=120)


def played(state, actions):
    for action in actions:
        state.apply_action(action)
    return state


def wander(game, picks):
    """A position of the game, and the actions that led there."""
    state, actions = game.new_initial_state(), []
    for pick in picks:
        legal = state.legal_actions()
        if not legal:
            break
        actions.append(legal[pick % len(legal)])
        state.apply_action(actions[-1])
    return state, actions


@every_game
def test_the_protocol(game):
    assert isinstance(game.new_initial_state(), State)


@every_game
@settings(max_examples=25)
@given(picks=choices)
def test_the_board_makes_the_position(game, picks):
    """A position set up from its board, pickled or copied is the same position."""
    state, _ = wander(game, picks)
    twins = [state.clone(), copy.copy(state), copy.deepcopy(state)]
    twins.append(pickle.loads(pickle.dumps(state)))
    rules = {"overline_wins": game.overline_wins} if isinstance(game, Gomoku) else {}
    twins.append(type(state).from_board(state.board(), state.to_play, **rules))
    for twin in twins:
        assert twin == state
        assert twin is not state
        assert hash(twin) == hash(state)
        assert twin.key() == state.key()
        assert twin.legal_actions() == state.legal_actions()
        assert twin.returns() == state.returns()
        assert str(twin) == str(state)


@every_game
@settings(max_examples=25)
@given(picks=choices)
def test_symmetries_keep_the_rules(game, picks):
    """The game played through a symmetry is the game seen through it."""
    state, actions = wander(game, picks)
    size = state.num_distinct_actions()
    for symmetry in range(state.num_symmetries()):
        images = [state.transform_action(action, symmetry) for action in range(size)]
        assert sorted(images) == list(range(size))
        if symmetry == 0:
            assert images == list(range(size))
        if isinstance(game, Othello) and symmetry in (1, 2, 5, 6):
            continue  # these map the first four discs to the other players'
        twin = played(game.new_initial_state(), [images[action] for action in actions])
        assert twin.legal_actions() == sorted(images[a] for a in state.legal_actions())
        assert twin.returns() == state.returns()
        np.testing.assert_array_equal(twin.observation_tensor(), state.observation_tensor(symmetry))


@every_game
@settings(max_examples=25)
@given(picks=choices)
def test_planes_show_the_board_from_the_mover(game, picks):
    state, _ = wander(game, picks)
    planes, board = state.observation_tensor(), state.board()
    assert planes.shape == tuple(state.observation_shape)
    assert planes.dtype == np.float32
    np.testing.assert_array_equal(planes[0], board == state.to_play + 1)
    np.testing.assert_array_equal(planes[1], board == 2 - state.to_play)
    if isinstance(game, Hex):
        assert (planes[2] == state.to_play).all()


@every_game
@settings(max_examples=15)
@given(picks=choices)
def test_what_is_not_legal_is_refused_and_changes_nothing(game, picks):
    state, _ = wander(game, picks)
    before, legal = state.clone(), set(state.legal_actions())
    for action in [-1, state.num_distinct_actions(), *range(state.num_distinct_actions())]:
        if action not in legal:
            with pytest.raises(HonteError, match=f"action {action}"):
                state.apply_action(action)
    assert state == before


def all_positions(state, seen):
    if state not in seen:
        seen.add(state)
        for action in state.legal_actions():
            all_positions(played(state.clone(), [action]), seen)
    return seen


def test_tic_tac_toe_has_5478_positions_with_as_many_keys():
    positions = all_positions(TicTacToeState(), set())
    assert len(positions) == 5478
    assert len({position.key() for position in positions}) == 5478


def test_small_othello_has_no_two_positions_of_one_key():
    by_key = {}
    for position in all_positions(OthelloState(4), set()):
        twin = by_key.setdefault(position.key(), position)
        assert (str(twin), twin.legal_actions()) == (str(position), position.legal_actions())


def test_boards_of_other_sizes_have_other_keys():
    states = [ConnectFourState(r, c) for r in (5, 6, 7) for c in (5, 6, 7)]
    states += [GomokuState(n, rule) for n in (7, 8, 9, 15) for rule in (True, False)]
    states += [HexState(n) for n in (7, 8, 9, 11)] + [OthelloState(n) for n in (4, 6, 8)]
    states += [TicTacToeState()]
    assert len({state.key() for state in states}) == len(states)


def test_a_transposition_has_one_key():
    assert played(HexState(11), [1, 2, 3, 4]).key() == played(HexState(11), [3, 4, 1, 2]).key()
    assert played(HexState(11), [1, 2, 3, 4]).key() != played(HexState(11), [1, 4, 3, 5]).key()


def test_connect_four_by_board_and_by_moves():
    by_moves = played(ConnectFourState(), [3, 3, 2, 2, 4, 4])
    board = np.zeros((6, 7), np.uint8)
    board[5, 2:5], board[4, 2:5] = 1, 2
    assert ConnectFourState.from_board(board, 0) == by_moves
    assert played(by_moves, [1]).returns() == [1.0, -1.0]
    assert str(by_moves).splitlines()[-2:] == [". x x x x . .", "x has won"]


@pytest.mark.parametrize(
    "columns",
    [[0, 1, 0, 1, 0, 1, 0], [0, 0, 1, 1, 2, 2, 3], [0, 1, 1, 2, 2, 3, 2, 3, 3, 6, 3]],
    ids=["upright", "level", "slanting"],
)
@pytest.mark.parametrize("mirrored", [False, True])
def test_the_fourth_in_a_row_wins_and_not_the_third(columns, mirrored):
    columns = [6 - column for column in columns] if mirrored else columns
    state = played(ConnectFourState(), columns[:-1])
    assert not state.is_terminal()
    assert played(state, columns[-1:]).returns() == [1.0, -1.0]


def test_a_line_does_not_run_on_into_the_next_column():
    """Three discs on top of a column and one at the bottom of the next are no line."""
    board = np.zeros((6, 7), np.uint8)
    board[:3, 0], board[3:, 0], board[5, 1] = 1, 2, 1
    assert not ConnectFourState.from_board(board, 0).is_terminal()


def test_six_in_a_row_in_gomoku():
    """Freestyle: an overline wins. Standard: only exactly five do."""
    around = [0, 45, 1, 46, 2, 47, 4, 48, 5, 60]
    for overline_wins in (True, False):
        state = played(GomokuState(15, overline_wins), [*around, 3])
        assert state.is_terminal() == overline_wins
        assert played(GomokuState(15, overline_wins), [*around[:-2], 3]).is_terminal()


def test_othello_passes_only_when_nothing_else_is_legal():
    board = np.zeros((8, 8), np.uint8)
    board[0, :3] = [1, 1, 2]
    state = OthelloState.from_board(board, 0)
    assert state.legal_actions() == [3]
    other = OthelloState.from_board(board, 1)
    assert other.legal_actions() == [other.pass_action] == [64]
    with pytest.raises(HonteError):
        state.apply_action(64)
    assert played(played(other, [64]), [3]).returns() == [1.0, -1.0]


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: ConnectFour(rows=0), "0 rows and 7 columns"),
        (lambda: ConnectFour(rows=8, columns=8), "8 rows and 8 columns"),
        (lambda: Gomoku(size=20), "Gomoku board of size 20"),
        (lambda: Hex(size=0), "Hex board of size 0"),
        (lambda: Othello(size=5), "give 4, 6 or 8"),
        (lambda: HexState.from_board(np.zeros((3, 4), np.uint8), 0), "3 rows and 4 columns"),
        (lambda: HexState.from_board(np.full((3, 3), 3, np.uint8), 0), "3 at row 0, column 0"),
        (lambda: HexState.from_board(np.zeros((3, 3), np.uint8), 2), "player to move is 2"),
        (lambda: TicTacToeState.from_board(np.zeros((4, 4), np.uint8), 0), "3 rows"),
        (
            lambda: ConnectFourState.from_board(np.eye(6, 7, dtype=np.uint8), 0),
            "Column 0 has a disc above an empty cell",
        ),
        (
            lambda: TicTacToeState.from_board(
                np.array([[1, 1, 1], [0, 0, 0], [2, 2, 2]], np.uint8), 0
            ),
            "Both players",
        ),
        (lambda: HexState(3).transform_action(0, 2), "symmetry below 2"),
        (lambda: HexState(3).observation_tensor(2), "Symmetry 2"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(make, sentence):
    with pytest.raises(HonteError, match=sentence):
        make()
