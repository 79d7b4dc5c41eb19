"""Games in a search: each kind reaches it, and each tells it the truth."""

import pytest

from games.tiny_games import Corridor, DoubleMove, Nim, RandomTree, Ring, after, best_actions
from honte.errors import ProtocolError
from honte.evaluation import Uniform
from honte.games import ConnectFour, Go, Gomoku, Hex, Othello, TicTacToe
from honte.search import Search

NATIVE = [TicTacToe(), ConnectFour(), Gomoku(7), Hex(5), Othello(6), Go(5)]
TINY = [Nim(), DoubleMove(), Corridor(), Ring(), Ring(count_plies=False), RandomTree(1)]


@pytest.mark.parametrize("game", NATIVE, ids=str)
def test_a_native_game(game):
    state = game.new_initial_state()
    search = Search(state, seed=3)
    result = search.run(visits=200)
    assert result.action in state.legal_actions()
    assert sum(child.n for child in result.children) + 1 == result.visits == 200
    search.advance(result.action)
    state.apply_action(result.action)
    assert type(search.state) is type(state)
    assert search.state.legal_actions() == state.legal_actions()


@pytest.mark.parametrize("game", TINY, ids=str)
def test_a_game_of_ones_own(game):
    evaluator = Uniform() if game == Ring(count_plies=False) else None
    result = Search(game, evaluator=evaluator, seed=3).run(visits=300)
    assert result.action in game.legal_actions()
    assert abs(result.value) <= 1


@pytest.mark.parametrize("heaps", [(1, 2), (3, 4), (1, 3, 5)])
def test_nim_is_played_right(heaps):
    assert Search(Nim(heaps), seed=1).run(visits=5000).action in best_actions(Nim(heaps))


def test_a_player_who_moves_twice_makes_three():
    """Player 1 has two moves and two cells of a three: the value stays on its side."""
    state = after(DoubleMove(7), 0, 4, 5, 1)
    assert state.current_player() == 0
    assert Search(state, seed=1).run(visits=500).action in best_actions(state)


def test_a_mate_in_one():
    pytest.importorskip("chess", reason="needs python-chess (pip install chess)")
    from honte.games.chess import Chess

    state = Chess("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1").new_initial_state()
    result = Search(state, evaluator=Uniform(), seed=1).run(visits=400)
    assert state.action_to_string(result.action) == "Ra8#"


def test_a_breach_deep_in_the_tree_is_named():
    class Broken(Nim):
        def returns(self):
            return [1.0, 1.0]

    with pytest.raises(
        ProtocolError, match=r"The game Broken .* zero-sum.* led there is \d+ \(all"
    ):
        Search(Broken(), seed=1).run(visits=1000)
