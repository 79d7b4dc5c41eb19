"""What is written is read back as it was, whatever the tree, and by other readers too."""

import gzip
import lzma
import pickle
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honte.errors import HonteError
from honte.records import (
    Ending,
    GameRecord,
    RecordError,
    Result,
    load,
    load_collection,
    loads,
    loads_collection,
    save_collection,
)

TEXT = st.text(
    st.one_of(
        st.sampled_from("[]\\:;()\n \tBW黑白気석ضя"),
        st.characters(exclude_categories=["Cs"], exclude_characters="\r"),
    ),
    max_size=12,
)
NAMES = st.sampled_from(["C", "N", "LB", "CR", "XX", "KGSDE", "GC", "BL", "V"])


@st.composite
def records(draw):
    width, height = draw(st.sampled_from([(9, 9), (19, 19), (19, 13), (5, 7), (21, 21), (2, 25)]))
    record = GameRecord((width, height))
    nodes = [record.root]
    for _ in range(draw(st.integers(0, 12))):
        parent = nodes[draw(st.integers(0, len(nodes) - 1))]
        move = draw(st.none() | st.tuples(st.integers(0, 1), st.integers(0, width * height)))
        nodes.append(parent.add_variation(move))
    for node in nodes:
        for name, text in draw(st.dictionaries(NAMES, TEXT, max_size=2)).items():
            # An empty label or point list says nothing, and is not written.
            if text.strip() or name not in ("LB", "CR"):
                node.set(name, text)
    return record


def _read(content):
    """The games of what may be a record; none where it is refused."""
    try:
        return loads_collection(content)
    except RecordError:
        return []


@given(records())
def test_reading_what_was_written_gives_the_same_tree(record):
    text = record.dumps()
    again = loads(text)
    assert again == record
    assert again.warnings == ()
    assert again.dumps() == text
    assert loads(text.encode()) == record


@given(records())
def test_the_writer_is_strict(record):
    outside_values = re.sub(r"\[(?:[^\]\\]|\\.)*\]", "[]", record.dumps(), flags=re.DOTALL)
    assert outside_values == outside_values.upper()
    for node in outside_values.split(";"):
        assert len(re.findall(r"(?<![A-Z])[BW]\[", node)) <= 1
    if record.width <= 19 and record.height <= 19:
        assert not re.search(r"(?<![A-Z])[BW]\[tt\]", record.dumps())


@given(st.text(st.sampled_from("(;)[]\\BWCabtSZ \n:19"), max_size=60))
@settings(max_examples=400)
def test_any_text_is_read_or_refused_in_a_sentence(text):
    for game in _read(text):
        written = game.dumps()
        assert loads(written).dumps() == written
        assert game.warnings is not None


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("(;SZ[19];W[]S])", id="a pass and stray text as long as a move"),
        pytest.param("(;SZ[9];W[\\]])", id="an escaped bracket for a move"),
        pytest.param("(;SZ[9]C[\n9\n" + "0\n" * 10 + "])", id="a comment that looks like NGF"),
        pytest.param("a\n9\x0bb\n9\n" + "0\n" * 10, id="a line break of Unicode's in NGF"),
    ],
)
def test_what_fuzzing_found_is_refused_or_reads_back_as_written(text):
    for game in _read(text):
        written = game.dumps()
        assert loads(written).dumps() == written


@given(st.binary(max_size=80))
def test_any_bytes_are_read_or_refused_in_a_sentence(data):
    for content in (data, b"(;GM[1]C[" + data + b"];B[pd])", b"\\HS\n" + data):
        for game in _read(content):
            assert loads(game.dumps()).warnings == ()


@pytest.mark.parametrize("shape", ["line", "variations"])
def test_a_tree_of_ten_thousand_moves_is_no_deeper_than_one_of_ten(shape):
    if shape == "line":
        text = "(;SZ[9]" + ";B[aa];W[bb]" * 5000 + ")"
    else:
        text = "(;SZ[9]" + "(;B[cc])(;W[bb]" * 10_000 + ")" * 10_001
    record = loads(text)
    assert record.root.same_tree(loads(record.dumps()).root)
    assert pickle.loads(pickle.dumps(record)) == record
    assert sum(1 for _ in record.root.walk()) == text.count(";")


def test_reading_takes_time_in_proportion_to_the_length():
    def seconds(nodes):
        text = "(;SZ[19]" + "(;B[pd]C[a (note); \\] here])(;W[dp]" * nodes + ")" * (nodes + 1)
        best = 1e9
        for _ in range(3):
            start = time.process_time()
            loads(text)
            best = min(best, time.process_time() - start)
        return best

    assert seconds(40_000) < 40 * seconds(4_000)


def test_setup_and_moves_are_written_apart():
    record = GameRecord(9)
    record.root.set_points("AB", [0])
    record.root.move = (1, 40)
    assert "AB[aa];W[ee]" in record.dumps()
    read = loads("(;SZ[9];AB[cc]B[ee]C[both])")
    assert ";AB[cc]C[both];B[ee]" in read.dumps()


def test_unknown_properties_and_marks_are_kept():
    text = "(;FF[4]GM[1]CA[UTF-8]SZ[9]KGSDE[x\\:y]LB[aa:1\\:2][bb:\\]];B[ee]TR[aa:cc]V[0.5])\n"
    record = loads(text)
    assert record.dumps() == text
    assert record.root.values("LB") == ("aa:1:2", "bb:]")


def test_editing_a_tree():
    record = loads("(;SZ[9];B[ee](;W[cc])(;W[gg];B[dd]))")
    first = record.root.children[0]
    better = first.children[1]
    better.promote()
    assert [node.move for node in record.mainline() if node.move] == [(0, 40), (1, 60), (0, 30)]
    better.add_variation((0, 41), comment="also", main=True)
    first.children[1].delete()
    assert record.dumps().replace("\n", "").endswith(";B[ee];W[gg](;B[fe]C[also])(;B[dd]))")
    with pytest.raises(RecordError, match="root"):
        record.root.delete()


@pytest.mark.parametrize("name", ["game.sgf", "game.sgf.gz", "game.sgf.xz"])
def test_files_are_packed_and_unpacked(tmp_path, name):
    record = loads("(;SZ[9]PB[小王];B[ee])")
    path = tmp_path / name
    record.save(path)
    assert load(path) == record
    data = path.read_bytes()
    unpacked = {"gz": gzip.decompress, "xz": lzma.decompress}.get(name[-2:], bytes)(data)
    assert unpacked == record.dumps().encode()
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


def test_a_collection_is_saved_as_one_file(tmp_path):
    games = loads_collection("(;SZ[9];B[aa])(;SZ[13];B[bb])")
    save_collection(games, tmp_path / "both.sgf")
    assert load_collection(tmp_path / "both.sgf") == games


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path):
    record = loads("(;SZ[9];B[ee])")
    with pytest.raises(HonteError, match="cannot be written"):
        record.save(tmp_path / "missing" / "game.sgf")


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"", "No game"), (b"hello", "No game"), (b"\x1f\x8bbroken", "compressed, and broken")],
)
def test_what_is_no_record_is_refused(tmp_path, content, says):
    path = tmp_path / "file.sgf"
    path.write_bytes(content)
    with pytest.raises(RecordError, match=says) as error:
        load(path)
    assert str(path) in str(error.value)


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(RecordError, match="cannot be read"):
        load(tmp_path / "none.sgf")
    with pytest.raises(RecordError, match="folder"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("B+R", Result(Ending.RESIGNATION, 0)),
        ("W+Resign", Result(Ending.RESIGNATION, 1)),
        ("W+3.5", Result(Ending.SCORE, 1, 3.5)),
        ("B+T", Result(Ending.TIME, 0)),
        ("B+F", Result(Ending.FORFEIT, 0)),
        ("W+", Result(Ending.UNSTATED, 1)),
        ("0", Result(Ending.DRAW)),
        ("Draw", Result(Ending.DRAW)),
        ("Void", Result(Ending.NO_RESULT)),
        ("?", None),
        ("", None),
    ],
)
def test_results(text, result):
    assert Result.parse(text) == result
    if result is not None:
        assert Result.parse(result.text) == result


def test_sgfmill_reads_what_is_written():
    sgf = pytest.importorskip("sgfmill.sgf")
    record = loads("(;SZ[9]PB[小王]KM[6.5]AB[cc][gg];W[tt](;B[ee]C[a \\] b])(;B[dd]))")
    game = sgf.Sgf_game.from_bytes(record.dumps().encode())
    assert game.get_size() == 9
    assert game.get_komi() == 6.5
    assert game.get_player_name("b") == "小王"
    assert [node.get_move() for node in game.get_main_sequence()[1:]] == [
        ("w", None), ("b", (4, 4)),
    ]  # fmt: skip
    assert game.get_last_node().get("C") == "a ] b"
    assert len(game.get_root()[0]) == 2


def test_pysgf_reads_what_is_written():
    pysgf = pytest.importorskip("pysgf")
    record = loads("(;SZ[19:13]PB[Ann];B[sm];W[];B[aa])")
    root = pysgf.GoGame.parse_sgf(record.dumps())
    assert root.board_size == (19, 13)
    node, vertices = root, []
    while node.children:
        node = node.children[0]
        vertices.append(node.move.gtp())
    assert vertices == ["T1", "pass", "A13"]


@pytest.mark.parametrize("number", ["¹", "٣", "9" * 5000, "-", "1e999"])
def test_numbers_that_are_none_stop_no_reader(number):
    assert loads(f"(;GM[1]SZ[9]KM[{number}]HA[{number}];B[ee])").moves() == [(0, 40)]
    for game in _read(f"(;GM[{number}]SZ[{number}];B[ee])"):
        assert game.moves()
    gib = f"\\HS\n\\[GAMEINFOMAIN=GRLT:0,ZIPSU:{number},GONGJE:{number}\\]\n\\HE\n\\GS\n\\GE\n"
    number = number[:100]  # the head of an NGF record is short
    ngf = (
        f"g\n9\nw\nb\nx\n{number}\n0\n{number}\n20240102\n0\nBlack win by {number}\n1\nPMABBEEEE\n"
    )
    for record in (loads(gib), loads(ngf)):
        assert loads(record.dumps()) == record


@pytest.mark.slow
def test_a_record_of_fifty_megabytes_takes_ten_times_as_long_as_one_of_five():
    move = b";B[pd]C[" + b"a comment of some length, " * 8 + b"];W[dp]"

    def seconds(size):
        data = b"(;GM[1]SZ[19]CA[UTF-8]" + move * (size // len(move)) + b")"
        best = 1e9
        for _ in range(3):
            start = time.process_time()
            assert len(loads(data).moves()) == 2 * (size // len(move))
            best = min(best, time.process_time() - start)
        return best

    assert seconds(50_000_000) < 20 * seconds(5_000_000)


@pytest.mark.slow
def test_a_tree_six_thousand_deep_takes_ten_times_as_long_as_one_of_six_hundred():
    def seconds(depth):
        text = "(;SZ[19]" + "(;B[pd](;W[dp])(;W[pp]" * (depth // 2) + ")" * (depth + 1)
        best = 1e9
        for _ in range(5):
            start = time.process_time()
            record = loads(text)
            assert loads(record.dumps()) == record
            best = min(best, time.process_time() - start)
        return best

    assert seconds(6000) < 30 * seconds(600)
