"""GTP and JSON on a real network of KataGo's."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest

from gtp_driver import QUICK, converse
from honte.evaluation import NetworkEvaluator
from honte.games.go import BLACK, Rules
from honte.networks.backends import Precision
from honte.players.counting import Counter
from honte.players.ownership import ownership_sources
from honte.players.player import SearchPlayer
from honte.presets import katago
from honte.protocols.gtp import Engine
from honte.protocols.json_analysis import AnalysisServer
from honte.protocols.parameters import Parameters
from shared_data import shared_file


@pytest.fixture(scope="module")
def evaluator():
    path = shared_file("networks", "g170-b6c96-s175395328-d26788732.bin.gz")
    return NetworkEvaluator(path, precision=Precision.FLOAT32)


@pytest.fixture
def engine(evaluator):
    return Engine(
        SearchPlayer(katago(), evaluator, QUICK),
        Counter(*ownership_sources(evaluator)),
        Parameters(katago(), QUICK),
        rules=Rules.named("tromp-taylor"),
    )


def read_raw(text):
    """The keys and values of kata-raw-nn, whatever the white space between them."""
    words = text.split()
    names = [index for index, word in enumerate(words) if word[0].isalpha() and word != "NAN"]
    return {
        words[index]: [float(word) for word in words[index + 1 : end]]
        for index, end in zip(names, [*names[1:], len(words)], strict=True)
    }


@pytest.mark.parametrize("index", [0, 3, 10, 25])
def test_kata_raw_nn_is_katagos(engine, index):
    position = json.loads(shared_file("reference", "katago-raw-nn.json").read_text())[index]
    if position["moves"][-2:] and all(move[1] == "pass" for move in position["moves"][-2:]):
        pytest.skip("the game is over")
    script = [
        f"boardsize {position['width']} {position['height']}",
        f"kata-set-rules {json.dumps(position['rules'])}",
        f"komi {position['komi']}",
        "set_position " + " ".join(f"{c} {v}" for c, v in position["setup"]),
        *(f"play {c} {v}" for c, v in position["moves"]),
    ]
    assert all(reply.success for reply in converse("\n".join(script) + "\n", engine))
    wanted = position["outputs"][0]
    colour = position.get("next") or ("b" if engine.game.state.to_play == BLACK else "w")
    reply = converse(f"kata-raw-nn {colour} {wanted['symmetry']}\n", engine)[0]
    assert reply.success, reply.text
    raw = read_raw(reply.text)
    assert raw["whiteWin"][0] == pytest.approx(wanted["whiteWin"], abs=1e-3)
    assert raw["whiteLead"][0] == pytest.approx(wanted["whiteLead"], abs=0.05)
    policy = np.array(
        [np.nan if p is None else p for p in np.array(wanted["policy"], object).ravel()], float
    )
    found = np.array(raw["policy"])
    assert (np.isnan(found) == np.isnan(policy)).all()
    assert np.nanmax(np.abs(found - policy)) < 1e-3
    ownership = np.array(wanted["whiteOwnership"], float).ravel()
    assert np.abs(np.array(raw["whiteOwnership"]) - ownership).max() < 5e-3


def test_eight_symmetries_and_the_model(engine):
    replies = converse(
        "boardsize 9\nkata-raw-nn all\nkata-get-models\nkata-raw-nn w 3 0.5\n", engine
    )
    assert replies[1].text.count("symmetry ") == 8
    (model,) = json.loads(replies[2].text)
    assert model["version"] == 8
    assert replies[3].success


def test_dead_stones_are_seen(engine):
    stones = ["A2", "B2", "C2", "D2", "B1", "D1", "C5"]
    white = ["E1", "E2", "A3", "B3", "C3", "D3", "E3"]
    script = "boardsize 5\nkomi 0\nkata-set-rules chinese\nset_position "
    script += " ".join([f"b {v}" for v in stones] + [f"w {v}" for v in white])
    replies = converse(script + "\nfinal_score\nfinal_status_list dead\ngenmove w\n", engine)
    assert [reply.text for reply in replies[4:6]] == ["W+9", "C5"]


def test_a_reply_has_what_the_network_says(evaluator):
    output = io.StringIO()
    server = AnalysisServer(evaluator, Parameters(katago(), QUICK), output)
    query = {
        "id": "q",
        "moves": [["B", "Q16"]],
        "rules": "japanese",
        "boardXSize": 19,
        "boardYSize": 19,
        "maxVisits": 30,
        "includeOwnership": True,
        "includePolicy": True,
        "includeMovesOwnership": True,
    }
    other = {**query, "id": "r", "boardXSize": 9, "boardYSize": 9, "moves": []}
    server.serve(io.BytesIO((json.dumps(query) + "\n" + json.dumps(other) + "\n").encode()))
    replies = {reply["id"]: reply for reply in map(json.loads, output.getvalue().splitlines())}
    for name in ("rawWinrate", "rawLead", "rawScoreSelfplayStdev", "rawNoResultProb"):
        assert isinstance(replies["q"]["rootInfo"][name], float)
    assert len(replies["q"]["ownership"]) == 361
    assert sum(p for p in replies["q"]["policy"] if p >= 0) == pytest.approx(1, abs=1e-3)
    assert replies["r"]["rootInfo"]["visits"] == 30
    assert replies["q"]["moveInfos"][0]["scoreLead"] != 0


def test_ownership_and_scores_come_from_the_whole_tree(engine):
    """On White's turn in a position where Black has taken the right side, from Black's view."""
    script = "boardsize 9\nplay b G3\nplay w C3\nplay b G7\nplay w C7\nplay b G5\n"
    fields = "ownership true ownershipStdev true movesOwnership true noResultValue true"
    script += f"kata-set-param maxVisits 200\nkata-search_analyze w 1000 {fields} rootInfo true\n"
    lines = converse(script, engine)[-1].lines
    report, end = lines[-2:]
    assert end.startswith("play ")
    blocks = report.split("info ")[1:]
    numbers = {}
    for block in blocks:
        words = block.split()
        move = words[words.index("move") + 1]
        at = words.index("movesOwnership")
        owned = np.array(words[at + 1 : at + 82], float).reshape(9, 9)
        numbers[move] = (owned, {key: float(words[words.index(key) + 1]) for key in SCORES})
    # Whatever White plays, the stones of both stay theirs; from the side to move, White's is +1.
    for owned, scores in numbers.values():
        assert owned[6, 2] > 0.3 > -0.3 > owned[6, 6]
        assert scores["scoreStdev"] > 1
        assert scores["noResultValue"] == 0
    assert len({scores["scoreSelfplay"] for _, scores in numbers.values()}) > 1
    tail = report.split(" ownership ")[1].split(" ownershipStdev ")
    whole, stdev = (np.array(part.split()[:81], float) for part in tail)
    tree = engine.player.tree
    kept, spread = tree.ownership()
    assert whole == pytest.approx(kept, abs=1e-4)
    assert stdev == pytest.approx(spread, abs=1e-4)


SCORES = ("scoreStdev", "scoreSelfplay", "noResultValue")


def test_a_ko_without_superko_may_end_without_result(evaluator):
    """Under simple ko a network gives no result a chance, and the whole tree's mean is told."""
    output = io.StringIO()
    server = AnalysisServer(evaluator, Parameters(katago(), QUICK), output)
    query = {
        "id": "q",
        "moves": [],
        "rules": "japanese",
        "boardXSize": 9,
        "boardYSize": 9,
        "maxVisits": 40,
        "includeNoResultValue": True,
    }
    server.serve(io.BytesIO(json.dumps(query).encode()))
    reply = json.loads(output.getvalue())
    values = [info["noResultValue"] for info in reply["moveInfos"]]
    assert all(0 < value < 0.5 for value in values)
