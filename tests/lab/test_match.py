"""Matches: results as the rules have them, and an engine's failure is its own loss."""

import shlex
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from honte import records
from honte.errors import HonteError
from honte.lab.match import MatchOptions, play_game, run_match
from honte.lab.statistics import elo_difference, wilson_interval

ENGINE = Path(__file__).with_name("scripted_engine.py")


def engine(*moves):
    return shlex.join([sys.executable, str(ENGINE), "scripted", *moves])


@pytest.fixture
def options(tmp_path):
    return MatchOptions((engine(), engine()), ("a", "b"), tmp_path, games=2, size=5, komi=0.5)


def test_a_wall_across_the_board_wins_for_black(options):
    black = engine("a3", "b3", "c3", "d3", "e3")
    game = play_game(replace(options, engines=(black, engine("a1", "a2", "b2"))), 0)
    # White's three stones stand in Black's area unless they are called dead: they count.
    assert (game.black, game.winner, game.result) == (0, 0, "B+11.5")
    record = records.load(options.folder / "games" / "0000.sgf")
    assert (record.black.name, record.white.name, str(record.result)) == (
        "a", "b", "Black wins by 11.5 points",
    )  # fmt: skip
    assert len(record.moves()) == game.moves


@pytest.mark.parametrize(
    ("moves", "how"),
    [
        (("c3", "resign"), "resignation"),
        (("c3", "c3"), "illegal move"),
        (("c3", "z9"), "answered genmove with 'z9'"),
        (("crash",), "ended while answering"),
        (("hang",), "did not answer 'genmove black' within 1 seconds"),
    ],
)
def test_who_fails_loses_and_the_result_says_how(options, moves, how):
    game = play_game(replace(options, engines=(engine(*moves), engine()), timeout=1.0), 0)
    assert game.winner == 1
    assert how in game.how


def test_colours_alternate_and_a_match_goes_on_where_it_stopped(options):
    first = run_match(replace(options, engines=(engine("c3"), engine("c3")), games=2))
    assert (first.wins, first.losses) == (1, 1), "White, who wants the same point, loses each game"
    seen = []
    run_match(
        replace(options, engines=(engine("c3"), engine("c3")), games=3),
        on_game=lambda game, standing: seen.append((game.number, standing.games)),
    )
    assert seen == [(2, 3)]
    with pytest.raises(HonteError, match="holds a match of a against b"):
        run_match(replace(options, size=7))


def test_an_engine_that_is_not_there_is_one_sentence(options):
    with pytest.raises(HonteError, match="no-such-engine cannot be started"):
        play_game(replace(options, engines=("no-such-engine", engine())), 0)


def test_the_interval_of_a_win_rate():
    """Wilson's interval of 95 of 100 is 88.8 % to 97.8 %; 76 % is 200 Elo."""
    low, high = wilson_interval(95, 100)
    assert (low, high) == (pytest.approx(0.888, abs=5e-4), pytest.approx(0.978, abs=5e-4))
    assert wilson_interval(0, 0) == (0, 1)
    assert elo_difference(0.76) == pytest.approx(200, abs=1)
