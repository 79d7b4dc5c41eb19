"""Analysing a game: what a move cost is read from the positions around it."""

import pytest

from honte.errors import HonteError
from honte.evaluation import Rollout
from honte.players.analysis import Candidate, Grade, PositionAnalysis, analyze_game
from honte.presets import uct
from honte.records import loads
from honte.search import Budget


def states(text):
    return list(loads(text).states())


def test_filling_ones_own_last_eye_is_the_blunder_of_the_game():
    # Black's group has two eyes, B1 and D1, and wins with its 10 points and 8 of komi; after
    # filling one of them White takes it at once.
    record = loads(
        "(;SZ[5]KM[-8]AB[ad][bd][cd][dd][ed][ae][ce][ee]AW[ac][bc][cc][dc][ec][ab][bb][db][eb]"
        "PL[B];B[be];W[ca])"
    )
    analysis = analyze_game(list(record.states()), Rollout(), uct(), Budget(visits=800), seed=1)
    blunder = analysis.worst(0)[0]
    assert blunder.turn == 0
    assert blunder.grade is Grade.BLUNDER
    assert blunder.winrate_loss > 0.3
    assert blunder.best.action != blunder.played


def test_the_same_seed_gives_the_same_analysis_on_any_number_of_threads():
    game = states("(;SZ[5];B[cc];W[cb];B[bb];W[bc])")
    one, two = (
        analyze_game(game, Rollout(), uct(), Budget(visits=60), seed=3, threads=threads)
        for threads in (1, 2)
    )
    assert one == two
    assert [position.turn for position in one.positions] == [0, 1, 2, 3, 4]
    assert one.positions[-1].played is None


def test_picked_turns_are_judged_too():
    game = states("(;SZ[5];B[cc];W[cb];B[bb])")
    heard = []
    analysis = analyze_game(
        game, Rollout(), uct(), Budget(visits=20), turns=[1], on_position=heard.append
    )
    [position] = analysis.positions
    assert (position.turn, position.player) == (1, 1)
    assert position.winrate_loss is not None
    assert heard == [1, 2]
    with pytest.raises(HonteError, match="no turn 4"):
        analyze_game(game, Rollout(), uct(), Budget(visits=20), turns=[4])


def test_the_same_colour_twice_is_searched_for_who_moved():
    analysis = analyze_game(
        states("(;SZ[5];B[cc];B[bb];W[dd])"), Rollout(), uct(), Budget(visits=20)
    )
    assert [position.player for position in analysis.positions[:3]] == [0, 0, 1]


@pytest.mark.parametrize(
    ("winrate_loss", "points_loss", "grade"),
    [(0.02, None, Grade.GOOD), (0.06, None, Grade.DOUBTFUL), (0.12, None, Grade.MISTAKE),
     (0.3, None, Grade.BLUNDER), (0.3, 1.0, Grade.GOOD), (0.01, 20.0, Grade.GOOD),
     (0.15, 14.0, Grade.MISTAKE), (0.3, 14.0, Grade.BLUNDER)],
)  # fmt: skip
def test_a_move_is_bad_when_winrate_and_points_agree(winrate_loss, points_loss, grade):
    best = Candidate(3, 10, 0.5, None, 0.1, (3,))
    position = PositionAnalysis(0, 0, 10, 0.5, None, (best,), 4, winrate_loss, points_loss)
    assert position.grade is grade
