"""What is known to be true of games and of the formulas, found by search.

Exact values come from brute force in this file or from the literature named with each.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from games.tiny_games import after, best_actions, minimax
from honte import presets
from honte.evaluation import Evaluation, Rollout, Uniform
from honte.games import ConnectFour, Go, Hex
from honte.games.go import Rules, format_vertex, parse_vertex
from honte.search import Search, SearchConfig, StopReason
from honte.search.config import (
    Backup,
    FirstPlayUrgency,
    Parallelism,
    PolynomialPuct,
    Puct,
    Rave,
    Ucb1,
    UctLikePuct,
)
from honte.search.reference.phases import explored

SOLVER = SearchConfig(selection=Ucb1(c=1.0), backup=Backup(solver=True))


def solved(state, visits=300_000, evaluator=None):
    """The exact value for the side to move and the action chosen; fails if search has no proof."""
    result = Search(state, SOLVER, evaluator or Rollout(), seed=1).run(visits=visits)
    assert result.stop_reason is StopReason.PROVEN
    return result.value, result.action


# Connect Four


def late_position(seed, discs):
    """A position of a game whose players take a win and stop the other's, where they see one."""
    chance = random.Random(seed)
    while True:
        state = ConnectFour().new_initial_state()
        while not state.is_terminal() and np.count_nonzero(state.board()) < discs:
            legal = state.legal_actions()
            wins = [a for a in legal if after(state, a).is_terminal()]
            threats = [a for a in legal if threatens(state, a)]
            state.apply_action(chance.choice(wins or threats or legal))
        if not state.is_terminal():
            return state


def threatens(state, action):
    """Whether the opponent would win by dropping a disc in this column."""
    board = state.board().copy()
    row = max(row for row in range(len(board)) if board[row, action] == 0)
    board[row, action] = 2 - state.to_play
    return type(state).from_board(board, state.to_play).is_terminal()


DECIDED = [(seed, 28 + seed % 3) for seed in range(8)]
DRAWN = [(16, 29), (27, 29), (40, 29)]


@pytest.mark.parametrize(("seed", "discs"), DECIDED)
def test_late_connect_four_is_won_or_lost_as_brute_force_says(seed, discs):
    state = late_position(seed, discs)
    value, action = solved(state)
    assert value == (1 - 2 * state.to_play) * minimax(state)
    assert action in best_actions(state)


@pytest.mark.parametrize(("seed", "discs"), DRAWN)
def test_late_connect_four_is_drawn_as_brute_force_says(seed, discs):
    """A draw is played long before it is proven: the search keeps to the drawing move, which is
    how it finds no better."""
    state = late_position(seed, discs)
    assert minimax(state) == 0.0
    result = Search(state, SOLVER, Rollout(), seed=1).run(visits=100_000)
    assert result.value == pytest.approx(0.0, abs=0.02)
    assert result.action in best_actions(state)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_connect_four_opens_in_the_centre(seed):
    """The only first move that wins [Allis 1988, Allen 1988]; in the 41st ply, so a million random
    rollouts do not see the win and waver between the middle columns, in any UCT."""
    config = SearchConfig(selection=Ucb1(c=2.0))
    result = Search(ConnectFour().new_initial_state(), config, Rollout(), seed=seed).run(
        visits=100_000
    )
    best = result.children[0]
    assert best.action == result.action == 3
    assert best.n > 0.7 * result.visits
    assert result.value > 0


# Hex


@pytest.mark.parametrize("size", [2, 3])
def test_small_hex_is_won_by_the_first_player(size):
    """As Hex of any size is, by Nash's argument of strategy stealing."""
    state = Hex(size).new_initial_state()
    assert minimax(state) == 1.0
    value, action = solved(state)
    assert value == 1.0
    assert action in best_actions(state)


@pytest.mark.parametrize("size", [2, 3])
def test_each_first_move_of_small_hex_wins_or_loses_as_brute_force_says(size):
    state = Hex(size).new_initial_state()
    found = [a for a in state.legal_actions() if solved(after(state, a))[0] == -1.0]
    assert found == best_actions(state)
    assert size * size // 2 in found if size == 3 else found == [1, 2]


# Go on 5×5: Black opens at the centre and takes the whole board [van der Werf 2003]. The whole
# claim is not proven here: a search plays a game against itself, and the side that the claim
# favours gets what the claim says, with a komi of one point less and of just as much.


def played_out(komi, visits, seed):
    """The game that a search plays with itself, as its moves and White's score."""
    search = Search(
        Go(5, rules=Rules.named("tromp-taylor"), komi=komi).new_initial_state(),
        SearchConfig(selection=Ucb1(c=0.4), backup=Backup(solver=True)),
        Rollout(),
        seed=seed,
    )
    moves = []
    while not search.state.is_terminal():
        action = search.run(visits=visits).action
        moves.append(format_vertex(action, 5, 5))
        search.advance(action)
    return moves, search.state.score()


def check_that_black_takes_5x5(visits, seed):
    for komi in (24, 25):
        moves, score = played_out(komi, visits, seed)
        assert moves[0] == "C3"
        assert score == komi - 25


def test_black_at_the_centre_takes_5x5():
    check_that_black_takes_5x5(visits=40_000, seed=3)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 5])
def test_black_at_the_centre_takes_5x5_again(seed):
    check_that_black_takes_5x5(visits=30_000, seed=seed)


def test_after_the_centre_no_other_opening_of_5x5_does_as_well():
    """At komi 24 the search gives the centre ten times the visits of any other first move."""
    state = Go(5, rules=Rules.named("tromp-taylor"), komi=24).new_initial_state()
    result = Search(state, SearchConfig(selection=Ucb1(c=0.4)), Rollout(), seed=1).run(
        visits=100_000
    )
    best, second = result.children[:2]
    assert best.action == parse_vertex("C3", 5, 5)
    assert best.n > 10 * second.n
    assert best.q > 0


# Chess: mates, by the solver, with an evaluator that knows nothing

MATES = {
    "back rank": (1, "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1"),
    "scholar's": (1, "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 0 1"),
    "two rooks, Black to move": (1, "6k1/8/8/8/8/r7/1r6/7K b - - 0 1"),
    "two rooks": (2, "7k/8/R7/1R6/8/8/8/6K1 w - - 0 1"),
    "a queen": (2, "k7/8/2K5/8/8/8/8/3Q4 w - - 0 1"),
    "Morphy's problem": (2, "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"),
}


def mates_in(board, moves):
    """Whether the side to move mates in so many moves, by python-chess and brute force."""
    for move in list(board.legal_moves):
        board.push(move)
        mated = board.is_checkmate() or (moves > 1 and is_mated_in(board, moves - 1))
        board.pop()
        if mated:
            return True
    return False


def is_mated_in(board, moves):
    """Whether the side to move, not mated yet, is mated in so many moves whatever it plays."""
    replies = list(board.legal_moves)
    for reply in replies:
        board.push(reply)
        mated = mates_in(board, moves)
        board.pop()
        if not mated:
            return False
    return bool(replies)


@pytest.mark.parametrize("name", MATES)
def test_a_mate_is_found_and_proven(name):
    pytest.importorskip("chess", reason="needs python-chess (pip install chess)")
    from honte.games.chess import Chess

    moves, fen = MATES[name]
    state = Chess(fen).new_initial_state()
    assert mates_in(state.board, moves)
    assert moves == 1 or not mates_in(state.board, moves - 1)
    value, action = solved(state, visits=5000, evaluator=Uniform())
    assert value == 1.0
    board = after(state, action).board
    assert board.is_checkmate() if moves == 1 else is_mated_in(board, moves - 1)


# The exploration terms' values, in the reference and in the core

TEN_ACTIONS = Go(3)  # nine points and the pass: equal priors are 0.1


class Failing:
    """Value 0 and the given priors at every position; fails on demand."""

    def __init__(self, priors=None):
        self.priors, self.fails = priors, False

    def __call__(self, batch):
        if self.fails:
            raise RuntimeError("no answer")
        logits = np.zeros((batch.size, batch.num_actions), np.float32)
        if self.priors is not None:
            logits[:] = np.log(self.priors)
        return Evaluation(np.zeros(batch.size, np.float32), logits)


def core_terms(selection, visits_of, rest=None, priors=None):
    """{action: exploration term} in the core, at a root whose actions have just these visits;
    ``rest`` is the action whose visits bring the sum to ``rest``'s second number."""
    evaluator = Failing(priors)
    config = SearchConfig(
        selection=selection, parallelism=Parallelism(batch_size=1, batches_in_flight=1)
    )
    search = Search(TEN_ACTIONS.new_initial_state(), config, evaluator)
    search.run(visits=1)
    if rest is not None:
        action, total = rest
        visits_of = {**visits_of, action: total - sum(visits_of.values())}
    for action, visits in visits_of.items():
        if visits > 0:
            search.run(simulations=visits, allowed_actions=[action])
    # An edge that was chosen and never answered has no visit, and its term is there to be read.
    evaluator.fails = True
    for action, visits in visits_of.items():
        if visits == 0:
            with pytest.raises(RuntimeError, match="no answer"):
                search.run(simulations=1, allowed_actions=[action])
    search.run(visits=1)  # opens every action again, and finds its visits spent
    edges = search.root.edges()
    assert {edge.action: edge.n for edge in edges} == visits_of
    return {edge.action: edge.u for edge in edges}


def shown(number, digits):
    return pytest.approx(number, abs=0.5 * 10.0**-digits * 1.001)


VISITS = [0, 1, 5, 10, 50, 100, 400]
TERMS = [6.00, 3.00, 1.00, 0.55, 0.12, 0.06, 0.015]


def test_puct_falls_with_the_visits_of_its_action():
    """c = 1.5, P = 0.1, N(s) = 1600."""
    found = core_terms(Puct(c_puct=1.5), dict(enumerate(VISITS)), rest=(9, 1600))
    for action, (n, term) in enumerate(zip(VISITS, TERMS, strict=True)):
        digits = 3 if n == 400 else 2
        assert explored(Puct(c_puct=1.5), 0.1, n, 1600) == shown(term, digits)
        assert found[action] == shown(term, digits)


def test_puct_grows_with_the_prior():
    """c = 1.5, N(s) = 1600, N(s,a) = 0."""
    terms = {0.30: 18.0, 0.10: 6.0, 0.03: 1.8, 0.01: 0.6, 0.001: 0.06}
    priors = [*terms, *[(1 - sum(terms)) / 5] * 5]
    found = core_terms(Puct(c_puct=1.5), dict.fromkeys(range(5), 0), rest=(9, 1600), priors=priors)
    for action, (p, term) in enumerate(terms.items()):
        assert explored(Puct(c_puct=1.5), p, 0, 1600) == pytest.approx(term)
        assert found[action] == pytest.approx(term, rel=1e-3)  # the tree keeps 11 bits of P


def test_ucb1_and_puct_at_a_thousand_visits():
    """N = 1000, n = 10: √(ln N / n) = 0.83, √N / (1 + n) = 2.87."""
    assert explored(Ucb1(c=1.0), 0.1, 10, 1000) == shown(0.83, 2)
    assert core_terms(Ucb1(c=1.0), {0: 10}, rest=(9, 1000))[0] == shown(0.83, 2)
    assert explored(Puct(c_puct=1.0), 1.0, 10, 1000) == shown(2.87, 2)
    assert core_terms(Puct(c_puct=10.0), {0: 10}, rest=(9, 1000))[0] == shown(2.87, 2)


@pytest.mark.parametrize(
    "selection",
    [
        Ucb1(c=1.3),
        Rave(c=0.7),
        Puct(c_puct=1.25, c_log=1.0),
        Puct(c_puct=1.0, c_log=0.45, c_base=500.0),
        PolynomialPuct(c=2.0, alpha=0.7),
        UctLikePuct(c=1.1),
    ],
    ids=str,
)
def test_reference_and_core_have_the_same_terms(selection):
    visits = {0: 7, 3: 1, 5: 200}
    found = core_terms(selection, visits)
    p = 0.1 if not isinstance(selection, Ucb1 | Rave) else 0.0
    for action, n in visits.items():
        assert found[action] == pytest.approx(explored(selection, p, n, 208), rel=1e-3)


def test_growing_c_puct_explores_more_the_more_visits_there_are():
    """c(N) = log((1 + N + 19652) / 19652) + 1.25: 1.25 at first, 1.33 at 1600, 3.06 at 100,000
    [Silver 2018]; honte's N counts one visit less."""
    growing = presets.alphazero().selection
    for visits, c in [(1, 1.25), (1600, 1.33), (100_000, 3.06)]:
        assert explored(growing, 0.1, 0, visits) / (0.1 * visits**0.5) == shown(c, 2)


def test_first_play_urgency_decides_whether_a_second_action_is_tried():
    """Everything is worth 0 but unvisited actions, which count as a loss: one action gets all."""
    loss = Puct(c_puct=0.1, first_play_urgency=FirstPlayUrgency(amount=-1.0))
    result = Search(
        TEN_ACTIONS.new_initial_state(), SearchConfig(selection=loss), Failing([0.5] + [0.05] * 9)
    ).run(visits=20)
    assert len(result.children) == 1
