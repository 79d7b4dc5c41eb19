"""What the rules of Go say about ko, superko, suicide, passing and the button."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from games.go.positions import at, play, position
from honte.errors import HonteError
from honte.games.go import (
    BLACK,
    RULE_NAMES,
    WHITE,
    Go,
    HandicapBonus,
    IllegalMove,
    Ko,
    Legality,
    Rules,
    Scoring,
    format_vertex,
    parse_vertex,
)

TRIPLE_KO = {
    "black": "C2 C5 C8 D1 D3 D4 D6 D7 D9 E8",
    "white": "F2 F5 F8 E1 E3 E4 E6 E7 E9 D2 D5",
}
TRIPLE_KO_MOVES = "b E2 w D8 b E5 w D2 b E8"


@pytest.mark.parametrize("ko", [Ko.POSITIONAL, Ko.SITUATIONAL])
@pytest.mark.parametrize("suicide", [False, True])
@pytest.mark.parametrize("frozen", [False, True])
def test_triple_ko_repeats_under_superko(ko: Ko, suicide: bool, frozen: bool) -> None:
    state = play(position(9, **TRIPLE_KO, rules=Rules(ko, suicide=suicide)), TRIPLE_KO_MOVES)
    if frozen:
        state.freeze()
    back = at(state, "D5")
    assert state.legality(back) is Legality.SUPERKO
    assert back not in state.legal_actions()
    assert state.ko_banned() == [at(state, "D8"), back]
    with pytest.raises(IllegalMove, match="White cannot play D5: it would repeat"):
        state.play(back)


def test_triple_ko_has_no_result_under_simple_ko() -> None:
    state = play(position(9, **TRIPLE_KO, rules="chinese"), TRIPLE_KO_MOVES)
    assert state.legality(at(state, "D5")) is Legality.LEGAL
    play(state, "w D5")  # the second time: the start was the first
    assert not state.is_terminal()
    play(state, TRIPLE_KO_MOVES + " w D5")
    assert state.is_terminal()
    assert state.is_no_result()
    assert state.returns() == [0.0, 0.0]
    assert state.legal_actions() == []


def test_a_pass_breaks_the_count_of_repetitions() -> None:
    state = play(position(9, **TRIPLE_KO, rules="chinese"), TRIPLE_KO_MOVES + " w D5")
    play(state, "b pass w J9 b pass w A9")
    play(state, TRIPLE_KO_MOVES + " w D5")
    assert not state.is_terminal()


def test_a_copy_is_not_changed_by_what_follows() -> None:
    # Black takes A1, the move is undone, and A1 may be taken again.
    state = play(position(9), "b A2 w A1")
    before = state.clone()
    play(state, "b B1")
    assert state.board()[8, 0] == 0
    assert before.board()[8, 0] == 2
    assert before.legality(at(before, "B1"), BLACK) is Legality.LEGAL
    play(before, "b B1")
    assert np.array_equal(before.board(), state.board())
    frozen = before.clone()
    frozen.freeze()
    play(frozen, "w pass b J9")
    assert before.move_number == 3
    assert before.key() == state.key()


def test_suicide_is_called_suicide() -> None:
    state = play(position(19), "b A18 w A19 b B19")
    assert state.legality(at(state, "A19"), WHITE) is Legality.SUICIDE
    with pytest.raises(IllegalMove, match="White cannot play A19: it would be suicide"):
        play(state, "w A19")
    assert state.move_number == 3


def test_multi_stone_suicide_only_where_the_rules_allow_it() -> None:
    corner = {"black": "A1", "white": "A2 B2 C1"}
    assert position(5, **corner).legality(at(position(5), "B1")) is Legality.LEGAL
    strict = position(5, **corner, rules="chinese")
    assert strict.legality(at(strict, "B1")) is Legality.SUICIDE
    state = play(position(5, **corner), "b B1")
    assert state.board()[4, :2].tolist() == [0, 0]
    assert state.captured(BLACK) == 2


def test_simple_ko_bans_retaking_at_once_and_only_for_the_opponent() -> None:
    state = play(position(5, black="A2 B1 B3", white="C1 C3 D2 B2", rules="chinese"), "b C2")
    assert state.captured(WHITE) == 1
    assert state.legality(at(state, "B2")) is Legality.KO
    assert state.legality(at(state, "B2"), BLACK) is Legality.LEGAL
    assert state.ko_banned() == [at(state, "B2")]
    play(state, "w E5 b A5")
    assert state.legality(at(state, "B2")) is Legality.LEGAL


@pytest.mark.parametrize("name", ["chinese", "tromp-taylor", "aga"])
def test_a_snapback_is_legal(name: str) -> None:
    # White takes the stone thrown in at B1; black takes all five back there.
    state = position(5, black="A3 B3 C3 D2 D1", white="A2 B2 C2 C1", rules=name)
    play(state, "b B1 w A1")
    assert state.board()[4].tolist() == [2, 0, 2, 1, 0]
    assert state.legality(at(state, "B1")) is Legality.LEGAL
    play(state, "b B1")
    assert state.captured(WHITE) == 5
    assert state.ko_banned() == []


# White sends two stones (A1 and B1), black takes them with C1, white takes that one back.
SENDING_TWO = {"black": "A2 B2", "white": "B1 C2 D1", "to_play": WHITE}


def test_sending_two_returning_one_goes_on_under_simple_ko_until_a_pass_repeats() -> None:
    state = play(position(5, **SENDING_TWO, rules="chinese"), "w A1 b C1 w B1 b pass")
    play(state, "w A1 b C1 w B1")
    assert not state.is_terminal()
    assert state.pass_would_end_phase()
    play(state, "b pass")
    assert state.is_terminal()
    assert not state.is_no_result()


def test_positional_superko_forbids_returning_one() -> None:
    state = play(position(5, **SENDING_TWO, rules=Rules(Ko.POSITIONAL)), "w A1 b C1")
    assert state.legality(at(state, "B1")) is Legality.SUPERKO


def test_situational_superko_forbids_sending_two_again() -> None:
    state = play(position(5, **SENDING_TWO, rules=Rules(Ko.SITUATIONAL)), "w A1 b C1 w B1 b pass")
    assert state.legality(at(state, "A1")) is Legality.SUPERKO


def test_pass_is_legal_unless_the_game_is_over() -> None:
    state = position(3)
    assert state.legal_actions()[-1] == 9
    play(state, "b pass w pass")
    assert state.is_terminal()
    assert state.current_player() == -4
    assert state.legality(9) is Legality.GAME_OVER
    with pytest.raises(IllegalMove, match="the game is over"):
        state.play(9)
    resumed = state.resumed()
    assert resumed.legality(0) is Legality.LEGAL
    assert state.is_terminal()
    play(resumed, "b pass w pass")
    assert resumed.is_terminal()


def test_moves_out_of_turn() -> None:
    state = play(position(9), "b D4 b E5 w C3")
    assert state.to_play == BLACK
    assert state.moves() == [(0, at(state, "D4")), (0, at(state, "E5")), (1, at(state, "C3"))]
    assert state.with_to_play(WHITE).to_play == WHITE
    assert state.to_play == BLACK


def test_the_first_pass_takes_the_button() -> None:
    # With komi 6.5 the button makes a draw possible.
    state = play(Go(5, rules=Rules.named("aga-button"), komi=6.5).new_initial_state(), "b C3")
    assert state.has_button
    play(state, "w pass")
    assert not state.has_button
    assert state.passes_in_a_row == 0
    play(state, "b pass")
    assert not state.is_terminal()
    play(state, "w pass")
    assert state.is_terminal()
    assert state.score() == -25 + 6.5 + 0.5
    assert state.with_komi(24.5).score() == 0.0
    assert state.with_komi(24.5).returns() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("setup", "moves", "handicap"),
    [
        ("", "b D4", 0),
        ("", "b D4 b Q16 b D16 w Q4", 3),
        ("D4 Q16", "w D16", 2),
        ("D4 Q16", "b Q4 w D16", 3),
        ("", "b D4 w pass b Q16 w D16", 2),
        ("", "b D4 w Q16 b D16 b Q4", 0),
    ],
)
def test_black_stones_before_whites_first_move_are_handicap(
    setup: str, moves: str, handicap: int
) -> None:
    state = play(position(19, black=setup, rules="chinese"), moves)
    assert state.handicap == handicap
    assert state.self_komi(WHITE) == handicap
    aga = play(position(19, black=setup, rules="aga"), moves)
    assert aga.self_komi(WHITE) == max(0, handicap - 1)


def test_eight_plays_count_as_the_same_eight_setup_stones() -> None:
    points = "D4 Q16 D16 Q4 D10 Q10 K4 K16"
    placed = position(19, black=points, to_play=WHITE, rules="chinese", komi=0.5)
    played = play(position(19, rules="chinese", komi=0.5), "b " + points.replace(" ", " b "))
    assert placed.handicap == played.handicap == 8
    assert np.array_equal(placed.board(), played.board())
    assert placed.to_play == played.to_play == WHITE


def test_every_name_of_rules_and_its_json() -> None:
    assert {"tromp-taylor", "chinese", "japanese", "aga-button", "cgos"} <= set(RULE_NAMES)
    for name in RULE_NAMES:
        rules = Rules.named(name.upper())
        assert Rules.from_json(rules.to_json()) == rules
        assert rules.name is not None
        assert Rules.named(rules.name) == rules
    assert Rules.named("chinese").default_komi == 7.5
    assert Rules.named("japanese").default_komi == 6.5
    assert Rules.named("aga-button").default_komi == 7.0
    with pytest.raises(HonteError, match="tromp-taylor"):
        Rules.named("klingon")


def test_rules_are_read_from_katagos_json() -> None:
    rules = Rules.parse('{"ko": "SIMPLE", "scoring": "TERRITORY", "whiteHandicapBonus": "N-1"}')
    assert (rules.ko, rules.scoring, rules.tax.value) == (Ko.SIMPLE, Scoring.TERRITORY, "SEKI")
    assert rules.handicap_bonus is HandicapBonus.N_MINUS_ONE
    for bad in ('{"ko": "SPIGHT"}', '{"colour": 1}', '{"suicide": 3}', "{", '{"ko": '):
        with pytest.raises(HonteError):
            Rules.parse(bad)


def test_vertices() -> None:
    assert parse_vertex("q16", 19, 19) == 3 * 19 + 15
    assert parse_vertex("J13", 9, 13) == 8
    assert parse_vertex("PASS", 9, 9) == 81
    for action in range(9 * 13 + 1):
        assert parse_vertex(format_vertex(action, 9, 13), 9, 13) == action
    for bad in ("I5", "Q20", "A0", "", "D", "4", "K1", "resign", "A١"):
        with pytest.raises(HonteError):
            parse_vertex(bad, 9, 9)


def test_setup_refuses_what_is_no_position() -> None:
    with pytest.raises(HonteError, match="no liberty"):
        position(2, black="A1", white="A2 B1")
    with pytest.raises(HonteError, match="share"):
        position(5, black="A1 A1")
    with pytest.raises(HonteError, match="off the board"):
        Go(5).new_initial_state(black=[25])
    with pytest.raises(HonteError, match="1 to 25"):
        Go(26)


@pytest.mark.parametrize("name", ["chinese", "tromp-taylor", "japanese"])
def test_pickle_keeps_the_game(name: str) -> None:
    state = play(position(9, **TRIPLE_KO, rules=name, komi=6.5), TRIPLE_KO_MOVES)
    for other in (pickle.loads(pickle.dumps(state)), copy.copy(state), copy.deepcopy(state)):
        assert other.key() == state.key()
        assert other.legal_actions() == state.legal_actions()
        assert other.moves() == state.moves()
        assert (other.rules, other.komi) == (state.rules, state.komi)
    play(state, "w pass b pass")
    other = pickle.loads(pickle.dumps(state))
    assert (other.is_terminal(), other.phase) == (state.is_terminal(), state.phase)
    assert other.key() == state.key()


def test_other_rules_for_the_same_moves() -> None:
    state = play(position(5, black="A1", white="A2 B2 C1"), "b B1")
    with pytest.raises(HonteError, match="Move 1 is illegal"):
        state.with_rules(Rules.named("chinese"))
    japanese = play(position(5), "b C3 w C2").with_rules(Rules.named("japanese"))
    assert japanese.rules.scoring is Scoring.TERRITORY
    assert japanese.move_number == 2


def test_the_board_draws_itself() -> None:
    state = play(position(3), "b B2 w A3")
    assert str(state) == ("   A B C\n 3(O). .\n 2 . X .\n 1 . . .\n   A B C\nX to play, move 2")
    assert repr(state) == "<GoState 3x3 move 2, black to play>"


def test_keys_tell_apart_what_a_network_sees() -> None:
    start = position(5, rules="chinese")
    one = play(start.clone(), "b C3 w B2 b D4")
    other = play(start.clone(), "b D4 w B2 b C3")
    assert np.array_equal(one.board(), other.board())
    keys = {
        one.key(),
        other.key(),
        one.with_komi(1.0).key(),
        one.with_rules(Rules.named("aga")).key(),
        one.with_to_play(BLACK).key(),
        play(one.clone(), "w pass").key(),
        start.key(),
    }
    assert len(keys) == 7
    assert one.key() == play(start.clone(), "b C3 w B2 b D4").key()


def test_symmetries_are_katagos() -> None:
    state = Go(5, 3).new_initial_state()
    assert state.num_symmetries() == 4
    assert [state.transform_action(1, s) for s in range(4)] == [1, 11, 3, 13]
    square = play(position(5), "b B5 w E4")
    assert square.num_symmetries() == 8
    assert [square.transform_action(1, s) for s in range(8)] == [1, 21, 3, 23, 5, 9, 15, 19]
    assert square.transform_action(25, 5) == 25
    plain = square.observation_tensor()
    for symmetry in range(8):
        seen = square.observation_tensor(symmetry)
        for action in range(25):
            moved = square.transform_action(action, symmetry)
            assert np.array_equal(seen[:, moved // 5, moved % 5], plain[:, action // 5, action % 5])


def test_observation_is_alphago_zeros() -> None:
    state = play(position(5), "b C3 w B2")
    planes = state.observation_tensor()
    assert planes.shape == (17, 5, 5)
    assert planes.dtype == np.float32
    assert planes[0, 2, 2] == 1.0  # black, to move, has C3 now
    assert planes[1, 3, 1] == 1.0
    assert planes[2, 2, 2] == 1.0  # and had it a move ago, when white had nothing
    assert not planes[3].any()
    assert not planes[4:16].any()
    assert planes[16].all()
    assert not play(state, "b A1").observation_tensor()[16].any()


def test_records_of_other_rules_can_be_played_tolerantly() -> None:
    ko = play(position(5, black="A2 B1 B3", white="C1 C3 D2 B2", rules="chinese"), "b C2")
    ko.play(at(ko, "B2"), tolerant=True)
    assert ko.captured(BLACK) == 1
    suicide = position(5, black="A1", white="A2 B2 C1", rules="chinese")
    suicide.play(at(suicide, "B1"), tolerant=True)
    assert suicide.captured(BLACK) == 2
    over = play(position(5, black="A2 B1"), "b pass w pass")
    over.play(at(over, "C3"), tolerant=True)
    assert not over.is_terminal()
    for vertex, reason in (("A1", "suicide"), ("C3", "there is a stone already")):
        with pytest.raises(IllegalMove, match=reason):
            over.play(at(over, vertex), WHITE, tolerant=True)
    finished = play(position(5, black="A2 B1"), "b pass w pass")
    with pytest.raises(IllegalMove):
        finished.play(at(finished, "A2"), tolerant=True)
    assert finished.is_terminal()
    replayed = pickle.loads(pickle.dumps(suicide))
    assert replayed.key() == suicide.key()
