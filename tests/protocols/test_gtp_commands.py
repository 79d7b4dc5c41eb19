"""What controllers rely on, command by command."""

from __future__ import annotations

import json
import os
import threading
import time
from dataclasses import replace

import pytest

from gtp_driver import QUICK, Fixed, converse, make_engine, resigning
from honte.games.go import BLACK, RULE_NAMES, WHITE, format_vertex, parse_vertex
from honte.players.player import PlayerSettings
from honte.presets import uct
from honte.protocols.gtp import serve
from honte.search import Search
from patience import PATIENCE, TRIES, until


def texts(script, engine=None):
    return [("" if reply.success else "? ") + reply.text for reply in converse(script, engine)]


def last(script, engine=None):
    return texts(script, engine)[-1]


def test_administration():
    assert texts("protocol_version\nname\nknown_command genmove\nknown_command x\n") == [
        "2",
        "honte",
        "true",
        "false",
    ]
    listed = converse("list_commands\n")[0].lines
    required = (
        "protocol_version name version known_command list_commands quit boardsize clear_board"
    )
    assert set((required + " komi play genmove undo final_score").split()) <= set(listed)
    assert last("nonsense\n") == "? unknown command"


@pytest.mark.parametrize("size", ["1", "26", "0", "-3", "9 1", "99999999999999999999"])
def test_unacceptable_sizes(size):
    engine = make_engine()
    reply = last(f"play b d4\nboardsize {size}\n", engine)
    assert reply.startswith("? ")
    assert len(engine.game.steps) == 1


@pytest.mark.parametrize(("size", "shape"), [("13", (13, 13)), ("9 13", (9, 13)), ("5:7", (5, 7))])
def test_board_sizes(size, shape):
    engine = make_engine()
    assert last(f"play b d4\nboardsize {size}\n", engine) == ""
    assert (engine.game.state.width, engine.game.state.height) == shape
    assert engine.game.is_empty


def test_unacceptable_size_is_said_in_gtps_words():
    assert last("boardsize 26\n") == "? unacceptable size"


# G1
def test_a_resignation_is_not_a_move():
    engine = make_engine(Fixed(-1.0), settings=resigning())
    # The stub net gives −1 to whoever moves; both players are lost, so search cannot help.
    script = "play b d4\n1 reg_genmove w\n"
    converse(script, engine)
    engine = make_engine(_WhiteIsLost(), settings=resigning())
    replies = texts("play b d4\ngenmove w\nundo\nshowboard\nundo\n", engine)
    assert replies[1] == "resign"
    assert "X" not in "".join(
        line[2:] for line in replies[3].splitlines() if line[:2].strip().isdigit()
    )
    assert replies[4] == "? cannot undo"


class _WhiteIsLost(Fixed):
    def __call__(self, batch):
        evaluation = super().__call__(batch)
        sign = [1.0 if player == BLACK else -1.0 for player in batch.players()]
        return replace(evaluation, value=evaluation.value * 0 + sign)


# G3
def test_komi_takes_points_with_a_point():
    replies = texts("komi 6.5\n1 komi 7,5\n2 komi abc\n3 komi nan\n4 komi 1e9\nget_komi\n")
    assert all(reply.startswith("?") for reply in replies[1:5])
    assert replies[5] == "6.5"
    assert texts("komi 7.50\nget_komi\nkomi -7.5\nget_komi\n") == ["", "7.5", "", "-7.5"]


def test_komi_is_whole_or_half():
    assert texts("komi 6.5\nkomi 6.25\nget_komi\n")[1:] == [
        "? syntax error: komi 6.25 must be a whole or half number within 400",
        "6.5",
    ]


# R4
def test_a_ko_that_was_taken_back_is_no_ko():
    script = "boardsize 9\nplay b A2\nplay w A1\nplay b B1\nundo\nplay b b1\n"
    assert last(script) == ""


# R5
def test_suicide_is_illegal_and_changes_nothing():
    engine = make_engine()
    assert last("boardsize 19\nplay b A18\nplay w A19\nplay b B19\n", engine) == ""
    assert last("play w A19\n", engine) == "? illegal move"
    assert len(engine.game.steps) == 3


TRIPLE_KO = (
    "boardsize 9\nset_position "
    + " ".join(f"b {v}" for v in ["C2", "C5", "C8", "D1", "D3", "D4", "D6", "D7", "D9", "E8"])
    + " "
    + " ".join(f"w {v}" for v in ["F2", "F5", "F8", "E1", "E3", "E4", "E6", "E7", "E9", "D2", "D5"])
    + "\n"
    + "".join(f"play {move}\n" for move in ("b E2", "w D8", "b E5", "w D2", "b E8"))
)


# R2
@pytest.mark.parametrize(
    ("rules", "legal"), [("tromp-taylor", False), ("aga", False), ("chinese", True)]
)
def test_triple_ko(rules, legal):
    engine = make_engine(rules=rules)
    assert last(TRIPLE_KO + "play w d5\n", engine) == ("" if legal else "? illegal move")


def test_a_superko_move_is_in_no_analysis():
    engine = make_engine(Fixed(), rules="tromp-taylor")
    converse(TRIPLE_KO, engine)
    state = engine.game.state
    result = engine.player.think(engine.game, WHITE, _visits(300))
    banned = parse_vertex("D5", 9, 9)
    assert banned not in [child.action for child in result.children]
    assert result.prior[banned] == 0
    for child in result.children:
        follow = state.clone()
        for action in child.principal_variation:
            assert action in follow.legal_actions()
            follow.apply_action(action)


def _visits(count):
    from honte.search import Budget

    return Budget(visits=count)


# G15
def test_handicap_laid_move_by_move_is_handicap():
    points = ["d4", "q16", "d16", "q4", "d10", "q10", "k4", "k16"]
    one, other = make_engine(Fixed(), rules="chinese"), make_engine(Fixed(), rules="chinese")
    converse("boardsize 19\n" + "".join(f"play b {p}\n" for p in points), one)
    converse(f"boardsize 19\nset_free_handicap {' '.join(points)}\n", other)
    for engine in (one, other):
        assert engine.game.state.to_play == WHITE
        assert engine.game.state.handicap == 8
    assert one.game.state.key() == other.game.state.key()
    move = converse("genmove w\n", one)[0]
    assert move.success
    assert one.game.moves[-1][0] == WHITE
    assert converse("genmove w\n", other)[0].text == move.text


# G16
def test_moves_in_board_order_are_accepted():
    script = "boardsize 13\nplay b a13\nplay b a12\nplay w c13\nplay w c12\nplay w b1\nplay b a11\n"
    assert texts(script) == [""] * 7


# G18
@pytest.mark.parametrize(
    ("size", "stones", "points"),
    [
        (13, 3, "D4 K10 D10"),
        (19, 2, "D4 Q16"),
        (19, 3, "D4 Q16 D16"),
        (19, 4, "D4 Q16 D16 Q4"),
        (19, 5, "D4 Q16 D16 Q4 K10"),
        (19, 6, "D4 Q16 D16 Q4 D10 Q10"),
        (19, 7, "D4 Q16 D16 Q4 D10 Q10 K10"),
        (19, 8, "D4 Q16 D16 Q4 D10 Q10 K4 K16"),
        (19, 9, "D4 Q16 D16 Q4 D10 Q10 K4 K16 K10"),
        (9, 2, "C3 G7"),
        (9, 9, "C3 G7 C7 G3 C5 G5 E3 E7 E5"),
        (8, 4, "C3 F6 C6 F3"),
        (7, 4, "C3 E5 C5 E3"),
        (8, 5, None),
        (7, 5, None),
        (6, 2, None),
        (19, 1, None),
        (19, 10, None),
    ],
)
def test_fixed_handicap(size, stones, points):
    engine = make_engine()
    reply = last(f"boardsize {size}\nfixed_handicap {stones}\n", engine)
    if points is None:
        assert reply == "? invalid number of stones"
        assert engine.game.is_empty
    else:
        assert reply == points
        assert engine.game.state.to_play == WHITE
        assert last("undo\n", engine) == "? cannot undo"
        assert last("fixed_handicap 2\n", engine) == "? board not empty"


def test_free_handicap():
    assert last("set_free_handicap d4 d4\n") == "? bad vertex list"
    assert last("set_free_handicap d4 pass\n") == "? bad vertex list"
    assert last("set_free_handicap d4\n") == "? bad vertex list"
    assert last("set_free_handicap d4 z9\n") == "? bad vertex list"
    assert last("boardsize 9\nplace_free_handicap 12\n").split() == (
        ["C3", "G7", "C7", "G3", "C5", "G5", "E3", "E7", "E5"]
    )


# G20
def test_a_resignation_cannot_be_played():
    engine = make_engine()
    assert last("play w resign\n", engine).startswith("?")
    assert not engine.game.steps


def test_undo_is_one_move_and_exact():
    engine = make_engine()
    converse("play b a2\nplay w a1\nplay b b1\n", engine)
    before = engine.game.steps[1].state
    assert last("undo\n", engine) == ""
    assert engine.game.state is before
    assert last("gg-undo 2\nundo\n", engine) == "? cannot undo"


@pytest.mark.parametrize(
    "stones", ["b a1 w a1", "b a1 b pass", "b a1 w a2 w b1", "b", "x a1", "b a1 w"]
)
def test_set_position_refuses_what_cannot_stand(stones):
    engine = make_engine()
    converse("play b d4\n", engine)
    before = engine.game.state
    assert last(f"set_position {stones}\n", engine).startswith("?")
    assert engine.game.state is before


def test_set_position_has_no_history():
    engine = make_engine()
    assert texts("set_position b a1 w c3\nset_position\n", engine) == ["", ""]
    assert engine.game.is_empty
    assert last("set_position b a1 w c3\nundo\n", engine) == "? cannot undo"


# G22
def test_komi_changed_in_mid_game_changes_the_search_at_once():
    class ByKomi(Fixed):
        def __call__(self, batch):
            evaluation = super().__call__(batch)
            values = [
                (1 if state.komi < 0 else -1) * (1 if player == BLACK else -1)
                for state, player in zip(batch.states(), batch.players(), strict=True)
            ]
            return replace(evaluation, value=evaluation.value * 0 + values)

    engine = make_engine(ByKomi())
    engine.player.think(engine.game, BLACK, _visits(50))
    converse("komi -20\n", engine)
    result = engine.player.think(engine.game, BLACK, _visits(50))
    assert result.value > 0.9
    assert result.visits == 50


# R11
@pytest.mark.parametrize("name", RULE_NAMES)
def test_every_rule_set_goes_through_a_record(name, tmp_path):
    engine = make_engine()
    path = tmp_path / "game.sgf"
    script = f"kata-set-rules {name}\nplay b c3\nplay w g7\nplay b e5\nprintsgf {path}\n"
    assert texts(script, engine) == [""] * 5
    rules = engine.rules
    other = make_engine()
    assert last(f"boardsize 13\nloadsgf {path}\nprintsgf\n", other).startswith("(;")
    assert other.rules == rules
    assert other.game.moves == engine.game.moves


def test_loadsgf_goes_to_before_a_move(tmp_path):
    path = tmp_path / "game.sgf"
    path.write_text("(;SZ[9]KM[5.5]AB[cc]AW[gg];B[ee];W[ge];B[ce])")
    engine = make_engine()
    converse(f"loadsgf {path} 3\n", engine)
    assert [format_vertex(action, 9, 9) for _, action in engine.game.moves] == ["E5", "G5"]
    assert engine.game.state.komi == 5.5
    converse(f"loadsgf {path}\n", engine)
    assert len(engine.game.moves) == 3
    assert last("loadsgf /nowhere/at/all.sgf\n", engine) == "? cannot load file"
    assert len(engine.game.moves) == 3


def test_rules_over_gtp():
    engine = make_engine()
    rules = json.loads(last("kata-set-rules japanese\nkata-get-rules\n", engine))
    assert rules == {
        "ko": "SIMPLE",
        "scoring": "TERRITORY",
        "tax": "SEKI",
        "suicide": False,
        "hasButton": False,
        "whiteHandicapBonus": "0",
        "friendlyPassOk": True,
    }
    assert last("kata-set-rule ko POSITIONAL\n", engine) == ""
    assert json.loads(last("kata-get-rules\n", engine))["ko"] == "POSITIONAL"
    assert last("kata-set-rule hasButton true\n", engine).startswith("?")
    assert last("kata-set-rules nonsense\n", engine).startswith("?")
    assert last(f"kata-set-rules {json.dumps(rules)}\n", engine) == ""
    assert last("kgs-rules chinese\n", engine) == ""
    assert engine.rules.name == "chinese-ogs"


def test_parameters():
    engine = make_engine()
    assert last("kata-get-param maxVisits\n", engine) == "null"
    assert texts("kata-set-param maxVisits 77\nkata-get-param maxVisits\n", engine) == ["", "77"]
    assert last('kata-set-params {"maxVisits": 5, "nonsense": 1}\n', engine).startswith("?")
    assert last("kata-get-param maxVisits\n", engine) == "77"
    assert last("kata-set-param maxVisits 0\n", engine).startswith("?")
    names = last("kata-list-params\n", engine).split()
    assert set(json.loads(last("kata-get-params\n", engine))) == set(names)
    assert "analysisWideRootNoise" in names


def test_gogui_sequence_is_all_or_nothing():
    engine = make_engine()
    assert last("gogui-play_sequence b a1 w a2 b a1\n", engine) == "? illegal move"
    assert not engine.game.steps
    assert last("gogui-play_sequence b a1 w a2 b pass\n", engine) == ""
    assert len(engine.game.steps) == 3


def test_gogui_setup_adds_stones():
    engine = make_engine()
    assert (
        texts("gogui-setup b a1 w c3\ngogui-setup b e5\ngogui-setup_player w\n", engine) == [""] * 3
    )
    assert engine.game.state.board().astype(bool).sum() == 3
    assert engine.game.state.to_play == WHITE


# R8
DEAD_STONE = (
    "boardsize 5\nkomi 0\nset_position "
    + " ".join(f"b {v}" for v in ["A2", "B2", "C2", "D2", "B1", "D1", "C5"])
    + " "
    + " ".join(f"w {v}" for v in ["E1", "E2", "A3", "B3", "C3", "D3", "E3"])
    + "\n"
)


@pytest.mark.parametrize(
    ("rules", "score", "dead"), [("tromp-taylor", "B+2", ""), ("chinese", "W+9", "C5")]
)
def test_the_score_is_the_same_before_and_after_the_passes(rules, score, dead):
    engine = make_engine(rules=rules)
    converse(DEAD_STONE, engine)
    assert texts("final_score\nfinal_status_list dead\n", engine) == [score, dead]
    assert texts("play b pass\nplay w pass\nfinal_score\n", engine)[-1] == score
    # R9: the record says the same.
    assert f"RE[{score}]" in last("printsgf\n", engine)


# S17
def test_seki():
    engine = make_engine(rules="chinese")
    script = "boardsize 4\nkomi 0\nset_position " + " ".join(
        [f"b {v}" for v in ["A1", "A2", "A3", "A4", "B2", "B3", "B4"]]
        + [f"w {v}" for v in ["C1", "C2", "C3", "D1", "D2", "D3", "D4"]]
    )
    converse(script + "\n", engine)
    alive, seki, dead, score = texts(
        "final_status_list alive\nfinal_status_list seki\nfinal_status_list dead\nfinal_score\n",
        engine,
    )
    assert (alive, dead, score) == ("", "", "0")
    assert len(seki.split()) == 14


# R12
def test_pass_is_answered_by_pass_only_when_it_wins():
    stones = " ".join([f"b C{y}" for y in range(1, 6)] + [f"w D{y}" for y in range(1, 6)])
    settings = PlayerSettings(visits=800, resignation=None)
    for komi, may_pass in ((0.5, True), (6, False), (16, False)):
        engine = make_engine(settings=settings, rules="tromp-taylor")
        converse(f"boardsize 5\nkomi {komi}\nset_position {stones}\n", engine)
        engine.game.set_to_play(WHITE)
        converse("play w pass\n", engine)
        search = Search(engine.game.state, uct())
        search.run(visits=400)
        value_of_pass = next(edge.q for edge in search.root.edges() if edge.action == 25)
        assert value_of_pass == (1.0 if may_pass else -1.0)
        move = last("genmove b\n", engine)
        if may_pass:  # as the board stands after it, be it over or not, Black is ahead
            assert engine.game.state.score() < 0
        else:
            assert move.lower() != "pass"


# S7
def test_nan_from_the_network_is_an_error_for_that_command_alone():
    class Poisoned(Fixed):
        calls = 0

        def __call__(self, batch):
            evaluation = super().__call__(batch)
            self.calls += 1
            if self.calls == 5:
                return replace(evaluation, value=evaluation.value * float("nan"))
            return evaluation

    engine = make_engine(Poisoned(), settings=replace(QUICK, default_visits=60))
    first, second = texts("genmove b\ngenmove b\n", engine)
    assert first.startswith("?")
    assert "Poisoned" in first
    assert not second.startswith("?")
    assert len(engine.game.steps) == 1


def test_reg_genmove_is_deterministic_and_does_not_play():
    engine = make_engine()
    answers = texts("reg_genmove b\nreg_genmove b\nclear_cache\nreg_genmove b\n", engine)
    assert len({answers[0], answers[1], answers[3]}) == 1
    assert not engine.game.steps


def test_kata_search_does_not_play():
    engine = make_engine()
    assert (
        converse("kata-search b\nkata-search_analyze b 1\n", engine)[1]
        .lines[-1]
        .startswith("play ")
    )
    assert not engine.game.steps
    assert last("kata-genmove_analyze w 1\n", engine).splitlines()[-1].startswith("play ")
    assert len(engine.game.steps) == 1


def test_play_goes_on_after_two_passes():
    engine = make_engine()
    assert texts("play b pass\nplay w pass\ngenmove b\nplay b d4\nundo\nundo\n", engine)[2:] == [
        "pass",
        "",
        "",
        "",
    ]


def test_kata_raw_nn_needs_a_network():
    assert last("kata-raw-nn 0\n").startswith("? kata-raw-nn needs a network")
    assert last("kata-raw-nn 8\n").startswith("?")
    assert last("kata-get-models\n") == "[]"


def test_cleanup_takes_dead_stones_off_before_passing():
    engine = make_engine(rules="chinese", settings=replace(QUICK, default_visits=2000))
    converse(DEAD_STONE + "play b pass\nplay w pass\n", engine)
    move = last("kgs-genmove_cleanup w\n", engine)
    assert move.lower() not in ("pass", "resign")


@pytest.mark.parametrize("rules", ["chinese", "japanese"])
def test_after_the_clean_up_nothing_is_dead(rules):
    """KGS' way: both pass, disagree, and play on until both pass again; then all stones live."""
    engine = make_engine(rules=rules, settings=replace(QUICK, default_visits=3000))
    converse(DEAD_STONE + "play b pass\nplay w pass\n", engine)
    assert last("final_status_list dead\n", engine) == "C5"
    agreed = last("final_score\n", engine)
    for _ in range(25):
        move = last("kgs-genmove_cleanup w\n", engine)
        assert move != "resign"
        if move.lower() == "pass":
            break
        converse("play b pass\n", engine)
    else:
        raise AssertionError("the clean-up did not end")
    converse("play b pass\n", engine)
    statuses = texts("final_status_list dead\nfinal_status_list alive\nfinal_score\n", engine)
    assert statuses[0] == ""
    assert engine.game.state.board()[0, 2] != 1  # C5, which was dead, is gone
    if rules == "chinese":
        assert statuses[2] == agreed


def test_pondering_costs_no_time_and_ends_at_once():
    settings = replace(QUICK, default_visits=None, pondering=True, lag=0.1)
    engine = make_engine(settings=settings)
    said = []

    class Output:
        def write(self, text):
            said.append((time.process_time(), text))

        def flush(self):
            pass

    read_end, write_end = os.pipe()
    thread = threading.Thread(
        target=serve, args=(engine, os.fdopen(read_end, "rb", buffering=0), Output())
    )
    thread.start()

    def ask(*commands):
        """The processor time that this process uses until all are answered."""
        before, asked = len(said), time.process_time()
        os.write(write_end, "".join(command + "\n" for command in commands).encode())
        until(lambda: len(said) == before + len(commands))
        assert all(text.startswith("=") for _, text in said)
        return said[-1][0] - asked

    def waits():
        ask("clear_board", "kata-time_settings absolute 20", "genmove b")
        left = engine.clocks[BLACK].read().main
        until(lambda: engine.player.is_pondering)
        time.sleep(1.0)
        assert engine.player.is_pondering
        opponent = ask("name", "play w pass")
        assert engine.clocks[BLACK].read().main == left
        return opponent, ask("time_left b 0.5 0", "genmove b")

    try:
        for _ in range(TRIES):
            opponent, own = waits()
            if opponent < 0.2 and own < 0.5:
                break
        else:
            raise AssertionError(f"a command waited for {opponent} s, a move for {own} s")
    finally:
        os.write(write_end, b"quit\n")
        thread.join(PATIENCE)
        os.close(write_end)
    assert not thread.is_alive()
    assert not engine.player.is_pondering
