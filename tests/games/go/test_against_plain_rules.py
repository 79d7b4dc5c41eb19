"""The native engine against the plain one: same moves, boards and scores in random games."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest

from games.go.plain_rules import STONES, PlainGo
from honte.games.go import Go, GoState, HandicapBonus, Ko, Rules, Scoring, Tax

SIZES = [(1, 1), (2, 1), (2, 2), (3, 2), (2, 4), (3, 3), (5, 3), (4, 4), (5, 5)]


def drawn(board: np.ndarray) -> str:
    return "".join(f".{STONES}"[colour] for colour in board.ravel())


def check(state: GoState, plain: PlainGo) -> None:
    where = f"{plain.rules} {plain.moves}"
    assert state.is_terminal() == plain.over, where
    assert state.legal_actions() == plain.legal(), where
    assert drawn(state.board()) == "".join(plain.board), where
    assert (state.phase, state.passes_in_a_row) == (plain.phase, plain.passes), where
    assert state.to_play == plain.to_play


def check_scores(state: GoState, plain: PlainGo) -> None:
    where = f"{plain.rules}\n{state}"
    assert drawn(state.pass_alive()) == "".join(plain.area(big=False)), where
    assert drawn(state.plain_area()) == "".join(plain.plain_area()), where
    assert state.is_no_result() == plain.no_result
    assert state.score() == plain.score(), where


def play_game(rules: Rules, width: int, height: int, seed: int, moves: int, passing: float) -> int:
    random_source = random.Random(seed)
    komi = random_source.choice([0.0, 0.5, 7.5, -3.0])
    state = Go(width, height, rules, komi).new_initial_state()
    plain = PlainGo(width, height, rules, komi)
    played = 0
    while played < moves and not plain.over:
        check(state, plain)
        if random_source.random() < 0.2:
            check_scores(state, plain)
        if random_source.random() < 0.1:
            state.freeze()
        legal = plain.legal()
        pass_now = len(legal) == 1 or random_source.random() < passing
        action = legal[-1] if pass_now else random_source.choice(legal[:-1])
        state = state.clone() if random_source.random() < 0.3 else state
        state.play(action)
        plain.play(action)
        played += 1
    check(state, plain)
    check_scores(state, plain)
    return played


@pytest.mark.parametrize(("ko", "suicide"), list(product(Ko, (False, True))))
def test_area_games(ko: Ko, suicide: bool) -> None:
    played = 0
    for seed, (width, height) in enumerate(SIZES):
        for tax in Tax if width < 5 else [Tax.NONE]:
            rules = Rules(ko, suicide=suicide, tax=tax, friendly_pass=bool(seed % 2))
            played += play_game(rules, width, height, seed, moves=50, passing=0.03)
    assert played > 400


@pytest.mark.parametrize(("ko", "tax"), list(product(Ko, Tax)))
def test_territory_games_through_the_clean_up(ko: Ko, tax: Tax) -> None:
    played = 0
    for seed, (width, height) in enumerate([(2, 2), (3, 2), (3, 3), (4, 3), (5, 4), (5, 5)]):
        for repeat in range(2):
            rules = Rules(ko, Scoring.TERRITORY, bool(repeat % 2), tax)
            played += play_game(rules, width, height, 10 * seed + repeat, moves=90, passing=0.25)
    assert played > 200


def test_button_and_handicap_bonus() -> None:
    for seed, (ko, bonus) in enumerate(product(Ko, HandicapBonus)):
        rules = Rules(ko, handicap_bonus=bonus, button=True)
        play_game(rules, 4, 4, seed, moves=40, passing=0.2)
