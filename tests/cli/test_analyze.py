"""``honte analyze`` and the command line around it."""

import csv
import io
import json
import re
import shutil
import subprocess
import sys

import pytest

from honte import __version__
from honte.cli.main import main
from honte.records import load, load_collection
from patience import PATIENCE

GAME = (
    "(;SZ[5]KM[0.5]PB[<i>Ann</i>]PW[\u05d3\u05df]C[</script><b>];B[cc];W[bc];B[bb]C[a & b];W[dd])"
)


@pytest.fixture
def game(tmp_path):
    path = tmp_path / "game.sgf"
    path.write_text(GAME, encoding="utf-8")
    return path


def test_tables_name_moves_winrates_and_players(game, capsys):
    assert main(["analyze", str(game), "--visits", "30"]) == 0
    out = capsys.readouterr().out
    assert "Move" in out
    assert re.search(r"1\s+Black\s+C3\s.*%", out)
    assert "Black (<i>Ann</i>): mean loss" in out


def test_every_file_is_written_and_the_record_untouched(game, tmp_path, capsys):
    files = {kind: tmp_path / f"out.{kind}" for kind in ("json", "csv", "html", "sgf")}
    options = [text for kind, path in files.items() for text in (f"--{kind}", str(path))]
    assert main(["analyze", str(game), "--visits", "30", *options]) == 0
    assert game.read_text(encoding="utf-8") == GAME

    [analysed] = json.loads(files["json"].read_text(encoding="utf-8"))
    assert [p["played"] for p in analysed["positions"]] == ["C3", "B3", "B4", "D2", None]
    assert all(0 <= p["blackWinrate"] <= 1 for p in analysed["positions"])

    rows = list(csv.DictReader(io.StringIO(files["csv"].read_text(encoding="utf-8"))))
    assert [row["move"] for row in rows] == ["C3", "B3", "B4", "D2", ""]

    annotated = load(files["sgf"])
    assert annotated.moves() == load(game).moves()
    assert all("visits" in node.comment for node in annotated.mainline())
    assert "a & b" in list(annotated.mainline())[3].comment

    page = files["html"].read_text(encoding="utf-8")
    assert page.count("</script>") == 2
    assert "<i>Ann" not in page
    assert not re.search(r"(src|href)\s*=|https?://(?!www\.w3\.org/)", page)
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])
    assert data["boards"][-1].count("X") == 2
    assert data["game"]["black"] == "<i>Ann</i>"
    assert data["comments"]["0"] == "</script><b>"
    # A letter a point, from a (White's) to s (Black's), for the page's overlay.
    owners = data["ownership"]["4"]
    assert len(owners) == len(data["boards"][4])
    assert set(owners) <= set("abcdefghijklmnopqrs")
    assert len(set(owners)) > 1


def test_the_same_seed_writes_the_same_json(game, tmp_path):
    texts = []
    for threads in ("1", "2"):
        path = tmp_path / f"{threads}.json"
        options = ["--visits", "40", "--seed", "7", "--threads", threads, "--json", str(path)]
        assert main(["analyze", str(game), *options]) == 0
        texts.append(path.read_text(encoding="utf-8"))
    assert texts[0] == texts[1]


def test_folders_collections_and_stdin(game, tmp_path, monkeypatch):
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "two.sgf").write_text("(;SZ[5];B[aa])(;SZ[4];B[bb])")
    out = tmp_path / "all.sgf"
    assert main(["analyze", str(tmp_path), "--visits", "5", "--sgf", str(out)]) == 0
    assert [record.width for record in load_collection(out)] == [5, 5, 4]

    stdin = io.TextIOWrapper(io.BytesIO(b"(;SZ[3];B[bb])"))
    monkeypatch.setattr(sys, "stdin", stdin)
    out = tmp_path / "stdin.json"
    assert main(["analyze", "-", "--visits", "5", "--json", str(out)]) == 0
    assert json.loads(out.read_text())[0]["width"] == 3


def test_an_illegal_move_ends_the_analysis_and_is_named(tmp_path, capsys):
    path = tmp_path / "bad.sgf"
    path.write_text("(;SZ[5];B[cc];W[cc];B[aa])")
    out = tmp_path / "bad.json"
    assert main(["analyze", str(path), "--visits", "5", "--json", str(out)]) == 0
    assert "Move 2 of the record, white C3, is illegal" in capsys.readouterr().err
    assert len(json.loads(out.read_text())[0]["positions"]) == 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["analyze", "missing.sgf"], "missing.sgf cannot be read"),
        (["analyze", "{folder}/empty"], "holds no game records"),
        (["analyze", "{folder}/text.sgf"], "No game record was found"),
        (["analyze", "{folder}/chess.sgf"], "not a Go record"),
        (["analyze", "{game}", "--rules", "chess"], "no rules named"),
        (["analyze", "{game}", "--komi", "nan"], "Komi is a number"),
        (["analyze", "{game}", "--komi", "1e999"], "Komi is a number"),
        (["analyze", "{game}", "--visits", "0"], "--visits"),
        (["analyze", "{game}", "--visits", "-3"], "--visits"),
        (["analyze", "{game}", "--turns", "3-1"], "--turns"),
        (["analyze", "{game}", "--turns", "x"], "--turns"),
        (["analyze", "{game}", "--turns", "9"], "turns 0 to 4"),
        (["analyze", "{game}", "--network", "{folder}/none.bin.gz"], "none.bin.gz"),
        (["analyze", "{game}", "--sgf", "{game}"], "the record itself"),
        (["analyze", "{game}", "--html", "{folder}/no/where.html"], "no folder"),
        (["analyze", "{game}", "--colour"], "--colour"),
        (["analyze"], "games"),
        (["analyse"], "analyse"),
    ],
)
def test_bad_input_is_one_sentence_and_status_2(game, tmp_path, capsys, arguments, says):
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.sgf").write_text("not a record")
    (tmp_path / "chess.sgf").write_text("(;GM[2];B[d3])")
    before = {path: path.read_bytes() for path in tmp_path.glob("*.sgf")}
    places = {"folder": str(tmp_path), "game": str(game)}
    assert main([argument.format(**places) for argument in arguments]) == 2
    captured = capsys.readouterr()
    assert says in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""
    assert {path: path.read_bytes() for path in tmp_path.glob("*.sgf")} == before


def test_version_and_help(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.strip() == f"honte {__version__}"
    assert main(["--help"]) == 0
    assert "analyze" in capsys.readouterr().out


def test_help_does_not_wait_for_the_engine():
    # What a command needs is imported when it runs.
    import subprocess

    code = (
        "import sys; from honte.cli.main import main; main(['--help']); "
        "heavy = {'numpy', 'onnx', 'openvino', 'torch', 'honte.search'} & set(sys.modules); "
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def annotated(game, tmp_path):
    path = tmp_path / "annotated.sgf"
    assert main(["analyze", str(game), "--visits", "30", "--sgf", str(path)]) == 0
    return path


def test_sgfmill_reads_an_annotated_record(annotated):
    sgf = pytest.importorskip("sgfmill.sgf", reason="needs sgfmill (pip install sgfmill)")
    read = sgf.Sgf_game.from_bytes(annotated.read_bytes())
    sequence = read.get_main_sequence()
    assert [node.get_move() for node in sequence[1:]] == [
        ("b", (2, 2)), ("w", (2, 1)), ("b", (3, 1)), ("w", (1, 3)),
    ]  # fmt: skip
    assert all("visits" in node.get("C") for node in sequence)


def test_pysgf_the_reader_of_katrain_reads_an_annotated_record(annotated):
    pysgf = pytest.importorskip("pysgf", reason="needs pysgf (pip install pysgf)")
    node = pysgf.GoGame.parse_sgf(annotated.read_text(encoding="utf-8"))
    moves = []
    while node.children:
        node = node.children[0]
        moves.append(node.move.gtp())
        assert "visits" in node.get_property("C")
    assert moves == ["C3", "B3", "B4", "D2"]


def test_sabakis_reader_reads_an_annotated_record(annotated):
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node")
    probe = subprocess.run([node, "-e", "require.resolve('@sabaki/sgf')"], capture_output=True)
    if probe.returncode != 0:
        pytest.skip("needs @sabaki/sgf (npm install @sabaki/sgf, with NODE_PATH to it)")
    script = """
      let [node] = require('@sabaki/sgf').parseFile(process.argv[1]);
      const line = [];
      while (node) { line.push(node.data); node = node.children[0]; }
      console.log(JSON.stringify(line));
    """
    run = subprocess.run(
        [node, "-e", script, str(annotated)], capture_output=True, text=True, timeout=PATIENCE
    )
    assert run.returncode == 0, run.stderr
    line = json.loads(run.stdout)
    assert [(data.get("B") or data["W"])[0] for data in line[1:]] == ["cc", "bc", "bb", "dd"]
    assert all("visits" in data["C"][0] for data in line)
