"""Records that have tripped viewers and engines, each with its right reading."""

import pytest

from honte.games.go import format_vertex
from honte.records import (
    Finding,
    GameRecord,
    IllegalRecordMove,
    RecordError,
    loads,
    loads_collection,
)


def moves(record):
    """The main line as ``B E5``, a pass as ``B pass``."""
    return [
        f"{'BW'[player]} {format_vertex(action, record.width, record.height)}"
        for player, action in record.moves()
    ]


def vertices(record, points):
    return {format_vertex(point, record.width, record.height) for point in points}


def kinds(record):
    return {warning.kind for warning in record.warnings}


# Encoding


def test_s01_chinese_without_a_declared_encoding():
    data = "(;GM[1]FF[4]SZ[9]PB[小王]PW[老李]C[黑先];B[ee];W[gc])".encode("gb18030")
    record = loads(data)
    assert (record.black.name, record.white.name) == ("小王", "老李")
    assert record.root.comment == "黑先"
    assert moves(record) == ["B E5", "W G7"]
    assert Finding.ENCODING_GUESSED in kinds(record)


@pytest.mark.parametrize(
    ("encoding", "name", "comment"),
    [
        ("gb18030", "柯洁", "黑先，这里是白棋的好手"),
        ("shift_jis", "本因坊秀策", "耳赤の一手です"),
        ("euc_kr", "이세돌", "흑 불계승 하였습니다"),
        ("big5", "周俊勳", "這是白棋的錯誤，應該先提"),
        ("windows-1251", "Шикшин", "Чёрные начинают и выигрывают"),
    ],
)
def test_an_undeclared_encoding_is_told_by_what_its_text_reads_like(encoding, name, comment):
    record = loads(f"(;GM[1]SZ[19]PB[{name}]C[{comment}];B[pd])".encode(encoding))
    assert record.black.name == name
    assert record.root.comment == comment


@pytest.mark.parametrize(
    ("declared", "encoding"), [("GB2312", "gb18030"), ("Big5", "big5"), ("EUC-KR", "euc_kr")]
)
def test_a_declared_encoding_is_believed(declared, encoding):
    name = "이창호" if encoding == "euc_kr" else "王大中"
    record = loads(f"(;CA[{declared}]PB[{name}];B[pd])".encode(encoding))
    assert record.black.name == name
    assert record.warnings == ()


def test_a_wrong_declaration_gives_way_to_utf8_with_a_warning():
    record = loads("(;CA[klingon]PB[Ann é];B[pd])".encode())
    assert record.black.name == "Ann é"
    assert Finding.ENCODING_UNUSABLE in kinds(record)


def test_latin1_reads_what_nothing_else_does():
    record = loads("(;PB[Günter];B[pd])".encode("latin-1"))
    assert record.black.name == "Günter"


def test_s03_a_byte_order_mark_is_dropped():
    record = loads(b"\xef\xbb\xbf(;GM[1]SZ[9];B[cc];W[gg])")
    assert moves(record) == ["B C7", "W G3"]
    assert record.warnings == ()


def test_s05_text_ignores_a_declared_encoding():
    record = loads("(;CA[GB2312]SZ[9]C[黑先];B[cc])")
    assert record.root.comment == "黑先"
    assert "CA[UTF-8]" in record.dumps()


def test_s06_invisible_marks_are_kept_in_the_file_and_not_shown():
    record = loads("(;SZ[9]PB[Ann\u200b\u3164];B[cc])")
    assert record.black.name == "Ann"
    assert "PB[Ann\u200b\u3164]" in record.dumps()


# Property names and values


def test_s07_old_style_names():
    record = loads("(;GaMe[1]SiZe[9]PlayerBlack[Ann]KoMi[5.5]CoPyright[none];Black[cc];White[gg])")
    assert (record.width, record.black.name, record.komi) == (9, "Ann", 5.5)
    assert moves(record) == ["B C7", "W G3"]
    assert Finding.LONG_NAME in kinds(record)


def test_s09_blanks_around_names_and_values():
    record = loads("(;SZ[ 9 ]KM[ 6.5 ] ; B[ ee ] ; W [cc])")
    assert (record.width, record.komi) == (9, 6.5)
    assert moves(record) == ["B E5", "W C7"]


def test_s10_escapes_and_soft_breaks():
    record = loads("(;SZ[9]C[a \\] b \\\\ c \\: d\\\ne];B[ee])")
    assert record.root.comment == "a ] b \\ c : de"
    assert moves(record) == ["B E5"]


def test_s11_an_escaped_bracket_or_an_escaped_backslash():
    bracket = loads("(;C[\\];B[aa];W[bb])")
    assert bracket.root.comment == "];B[aa"
    assert moves(bracket) == ["W B18"]
    assert len(list(bracket.mainline())) == 2
    backslash = loads("(;C[\\\\];B[aa];W[bb])")
    assert backslash.root.comment == "\\"
    assert moves(backslash) == ["B A19", "W B18"]
    assert len(list(backslash.mainline())) == 3


def test_s13_lists_given_twice_are_one_list():
    record = loads("(;SZ[9]AB[bb]AB[cc]AW[gg]AW[hh];B[ee])")
    setup = record.root.setup
    assert vertices(record, setup.black) == {"B8", "C7"}
    assert vertices(record, setup.white) == {"G3", "H2"}


def test_s15_an_empty_list_of_stones():
    record = loads("(;SZ[9]AB[]HA[0]KM[6.5];B[ee])")
    assert record.root.setup is None
    assert record.handicap == 0
    assert moves(record) == ["B E5"]
    assert "AB" not in record.dumps()


def test_s16_a_handicap_and_a_komi_that_are_no_numbers():
    record = loads("(;SZ[9]HA[对子]KM[];B[ee])")
    assert record.handicap == 0
    assert record.komi is None
    assert record.game().new_initial_state().komi == record.game().rules.default_komi
    assert moves(record) == ["B E5"]
    assert [warning.kind for warning in record.warnings].count(Finding.BAD_VALUE) == 2


def test_s18_another_game():
    with pytest.raises(RecordError, match=r"not a Go record \(GM\[2\]\)"):
        loads("(;GM[2]SZ[8];B[d3];W[c5])")


# Root data


def test_s19_nothing_at_the_root():
    record = loads("(;B[pd];W[dp])")
    assert (record.width, record.height) == (19, 19)
    assert record.komi is None
    assert moves(record) == ["B Q16", "W D4"]


def test_s20_a_rectangle():
    record = loads("(;GM[1]SZ[19:13];B[sm];W[aa])")
    assert (record.width, record.height) == (19, 13)
    assert moves(record) == ["B T1", "W A13"]


@pytest.mark.parametrize(
    ("written", "komi"),
    [("375", 7.5), ("325", 6.5), ("350", 7), ("275", 5.5), ("0", 0),
     ("750", 7.5), ("650", 6.5), ("700", 7), ("550", 5.5), ("7.5", 7.5)],
)  # fmt: skip
@pytest.mark.parametrize("program", ["AP[GNU Go:3.8]AP[foxwq]", "AP[SGFC:2.0]"])
def test_s22_komi_in_hundredths(written, komi, program):
    record = loads(f"(;GM[1]FF[4]SZ[19]KM[{written}]HA[0]RU[Chinese]{program};B[pd])")
    assert record.komi == komi
    assert (Finding.KOMI_RESCALED in kinds(record)) == (float(written) != komi)


def test_s23_half_a_point_in_hundredths():
    record = loads("(;GM[1]SZ[19]KM[50]HA[2]RU[Japanese]AP[foxwq]AB[pd][dp];W[dd])")
    assert record.komi == 0.5
    assert record.handicap == 2


def test_s24_a_quarter_is_half_the_count():
    record = loads("(;SZ[19]KM[3.75]RU[Chinese]US[GoGoD95];B[pd])")
    assert record.komi == 7.5


@pytest.mark.parametrize("komi", [0.0, 6.5, -7.5, 10.0, 100.0, 202.5, 375.0, 3.75, -3.75, 6.7])
def test_a_komi_that_looks_like_another_unit_comes_back(komi):
    again = loads(GameRecord(19, komi=komi).dumps())
    assert (again.komi, again.warnings) == (komi, ())


@pytest.mark.parametrize("written", ["3722226", "99999999999999999999", "-60000"])
def test_a_komi_beyond_every_board_leaves_it_to_the_rules(written):
    record = loads(f"(;SZ[9]KM[{written}];B[ee])")
    assert record.komi is None
    with pytest.raises(RecordError, match="at most 400"):
        record.komi = 401


def test_s26_setup_without_a_handicap():
    record = loads("(;SZ[9]AB[cc][gg];W[ee])")
    assert record.handicap == 0
    start = record.state_at(0)
    assert start.to_play == 1
    assert (start.board() == 1).sum() == 2


def test_s27_a_handicap_that_disagrees_with_the_stones():
    record = loads("(;SZ[19]HA[7]AB[dp][pd][dd][pp][jj][dj][pj][da][fa]PL[W];W[qf])")
    assert record.handicap == 7
    assert len(record.root.setup.black) == 9
    assert (record.state_at(0).board() == 1).sum() == 9
    assert Finding.HANDICAP_MISMATCH in kinds(record)


def test_s28_a_handicap_of_one_is_blacks_first_move():
    record = loads("(;SZ[19]HA[1]AB[pd];W[dp])")
    assert moves(record) == ["B Q16", "W D4"]
    assert record.handicap == 0
    assert record.state_at().move_number == 2
    assert Finding.HANDICAP_ONE in kinds(record)


# Moves


def test_s30_tt_is_a_pass_up_to_nineteen_lines():
    assert moves(loads("(;SZ[19];B[pd];W[tt];B[dd])")) == ["B Q16", "W pass", "B D16"]
    assert moves(loads("(;SZ[21];B[tt];W[dd])")) == ["B U2", "W D18"]


def test_s31_empty_values_are_passes():
    assert moves(loads("(;SZ[13];B[];W[gg];B[])")) == ["B pass", "W G7", "B pass"]


def test_s34_a_move_off_the_board_is_refused_and_the_moves_before_kept():
    record = loads("(;SZ[9];B[ee];W[kk];B[cc])")
    assert moves(record) == ["B E5"]
    [warning] = record.warnings
    assert (warning.kind, warning.node) == (Finding.OFF_BOARD, 2)
    states = record.states()
    assert [next(states).move_number, next(states).move_number] == [0, 1]
    with pytest.raises(IllegalRecordMove, match=r"Move 2 .*kk") as error:
        next(states)
    assert error.value.move_number == 2
    assert "W[kk]" in record.dumps()


def test_s36_illegal_moves_stop_an_analysis_and_not_a_viewer():
    stone = loads("(;SZ[9];B[ee];W[ee];B[dd])")
    assert moves(stone) == ["B E5", "W E5", "B D6"]
    with pytest.raises(IllegalRecordMove, match="Move 2") as error:
        stone.state_at()
    assert (error.value.move_number, error.value.player, error.value.move) == (2, 1, "E5")
    assert stone.state_at(1).board()[4, 4] == 1
    ko = loads("(;SZ[5];B[bc];W[cc];B[ad];W[dd];B[be];W[ce];B[cd];W[bd];B[cd])")
    with pytest.raises(IllegalRecordMove, match="Move 9"):
        ko.state_at()
    assert ko.state_at(8).move_number == 8


def test_s37_the_same_colour_twice():
    record = loads("(;SZ[9];B[cc];B[gg];W[ee];W[ec])")
    state = record.state_at()
    assert moves(record) == ["B C7", "B G3", "W E5", "W E7"]
    assert [player for player, _ in state.moves()] == [0, 0, 1, 1]
    assert state.to_play == 0
    assert (state.board() == 1).sum() == 2


def test_s38_both_colours_in_one_node():
    record = loads("(;SZ[9];B[cc]W[gg];B[ee])")
    assert moves(record) == ["B C7", "W G3", "B E5"]
    assert Finding.SEVERAL_MOVES in kinds(record)


# File and tree shape


def test_s41_variations_come_back_as_they_were():
    text = "(;SZ[9];B[ee](;W[cc];B[gg])(;W[gc];B[cg](;W[gg])(;W[cc])))"
    record = loads(text)
    assert moves(record) == ["B E5", "W C7", "B G3"]
    first, second = next(iter(record.root.children)).children
    assert len(second.children[0].children) == 2
    assert first.move != second.move
    assert loads(record.dumps()) == record
    assert record.dumps().replace("\n", "") == text.replace("(;SZ", "(;FF[4]GM[1]CA[UTF-8]SZ")


def test_s42_a_collection():
    text = "(;SZ[9];B[aa])\n(;SZ[13];B[bb];W[cc])"
    first, second = loads_collection(text)
    assert (first.width, moves(first)) == (9, ["B A9"])
    assert (second.width, moves(second)) == (13, ["B B12", "W C11"])
    assert Finding.MORE_GAMES in kinds(loads(text))


def test_s43_a_mail_around_a_game():
    text = "Subject: a game\n\n(;SZ[9];B[ee];W[cc]) -- sent from (my) phone]\n;W[km]))"
    [record] = loads_collection(text)
    assert moves(record) == ["B E5", "W C7"]
    assert kinds(record) == {Finding.LEADING_TEXT, Finding.TRAILING_TEXT}


def test_s45_empty_nodes_survive():
    record = loads("(;SZ[9];;B[ee];;W[cc];)")
    assert moves(record) == ["B E5", "W C7"]
    assert len(list(record.mainline())) == 6
    assert len(list(loads(record.dumps()).mainline())) == 6


# Other formats

NGF = """Rating game
9
white1 1D
black1 1K
www.example.com
0
0
6
20240102 [10:00]
0
White win on time!
3
PMABBEEEE
PMACWCCCC
PMADBAAAA"""


def test_n1_ngf():
    record = loads(NGF)
    assert (record.width, record.height, record.komi) == (9, 9, 6.5)
    assert record.date == "2024-01-02"
    assert moves(record) == ["B D6", "W B8", "B pass"]
    assert record.result.text == "W+"
    assert (str(record.white), str(record.black)) == ("white1 1D", "black1 1K")


def gib(main="GONGJE:65,LT:0", tag="", setup="2"):
    return "\n".join(
        [
            "\\HS",
            "\\[GAMEBLACKNAME=Ann (5K)\\]",
            "\\[GAMEWHITENAME=Bob (4K)\\]",
            f"\\[GAMEINFOMAIN=GBKIND:3,GTIME:1,GRLT:4,ZIPSU:0,{main}\\]",
            *([f"\\[GAMETAG={tag}\\]"] if tag else []),
            "\\HE", "\\GS", "2 1 0", "0 0 &4", f"INI 0 1 {setup} &4",
            "STO 0 2 2 2 2", "STO 0 3 1 15 2", "\\GE",
        ]
    )  # fmt: skip


def test_g1_gib():
    record = loads(gib())
    assert (record.black.name, record.black.rank) == ("Ann", "5K")
    assert (record.white.name, record.white.rank) == ("Bob", "4K")
    assert record.handicap == 2
    assert vertices(record, record.root.setup.black) == {"D4", "Q16"}
    assert record.result.text == "W+R"
    assert record.komi == 6.5
    assert moves(record) == ["W C17", "B Q17"]


@pytest.mark.parametrize(
    ("main", "tag"),
    [("LT:0,GONGJE:65", ""), ("GONGJE:65", ""), ("LT:0", "S1,R3,G65,W4,Z0,C2014:06:19:17:40")],
)
def test_g1_komi_wherever_it_stands(main, tag):
    record = loads(gib(main, tag))
    assert record.komi == 6.5
    assert record.date == ("2014-06-19" if tag else "")


def test_g1_the_third_handicap_stone_of_tygem_is_at_the_top_left():
    record = loads(gib(setup="3"))
    assert vertices(record, record.root.setup.black) == {"D4", "Q16", "D16"}
