"""Positions with known answers, and how many visits they take."""

from pathlib import Path

import pytest

from honte import records
from honte.errors import HonteError
from honte.lab.problems import problem_of_record, read_problems
from honte.lab.solve import Attempt, doubling, solve
from lab_players import uct

TACTICS = Path(__file__).resolve().parents[2] / "examples" / "tactics"


def problem(text):
    return problem_of_record(records.loads(text), "name", "here")


def test_moves_with_a_mark_are_right_and_others_are_not():
    marked = problem("(;SZ[5]AB[aa]PL[W](;W[bb]TE[1])(;W[cc]))")
    assert (marked.shown, marked.state.to_play) == ("B4", 1)
    # As the collections of the web mark them, at the end of the line.
    assert problem("(;SZ[5](;B[bb];W[cc];B[dd]C[RIGHT])(;B[ee]))").shown == "B4"
    assert problem("(;SZ[5](;B[bb])(;B[cc]))").answers == {6, 12}


def test_a_problem_without_an_answer_is_refused():
    with pytest.raises(HonteError, match="here holds no answer"):
        problem("(;SZ[5]AB[aa])")
    with pytest.raises(HonteError, match="here the answer is not legal"):
        problem("(;SZ[5]AB[bb];B[bb])")


def test_every_problem_of_the_examples_can_be_read():
    problems = read_problems([TACTICS])
    assert len(problems) >= 16
    assert len({one.name for one in problems}) == len(problems)
    for one in problems:
        assert one.answers <= set(one.state.legal_actions())


def test_a_file_at_fault_is_named(tmp_path):
    bad = tmp_path / "bad.toml"
    bad.write_text('[[problem]]\ngame = { name = "connect-four" }\nanswers = "9"\n')
    with pytest.raises(HonteError, match=r"In problem 1 of .*bad.toml: the answers '9'"):
        read_problems([bad])
    (tmp_path / "nothing").mkdir()
    with pytest.raises(HonteError, match="There is no problem in"):
        read_problems([tmp_path / "nothing"])


def test_a_problem_is_solved_from_where_it_stays_solved():
    attempt = Attempt("a", "p", (True, False, True, True))
    assert attempt.solved_at((1, 2, 4, 8)) == 4
    assert Attempt("a", "p", (True, False)).solved_at((1, 2)) is None
    assert doubling(1) == (1,)
    assert doubling(100) == (1, 2, 4, 8, 16, 32, 64, 100)


def test_uct_solves_the_small_games():
    problems = read_problems([TACTICS / "small-games.toml"])
    solved = solve([uct("few", 1), uct("many", 1)], problems, (4, 4000))
    assert solved.share("many") == solved.share("few")
    assert solved.share("many")[1] >= 0.85
    assert solved.share("many")[0] < solved.share("many")[1]
    assert len(solved.csv().splitlines()) == len(problems) + 1
