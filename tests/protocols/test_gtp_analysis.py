"""Live analysis, as Sabaki, Lizzie and LizGoban read it."""

from __future__ import annotations

import json
import math
import re

import pytest

from gtp_driver import Fixed, converse, make_engine
from honte.games.go import BLACK, WHITE
from honte.players import counting
from honte.protocols.analysis_format import View, format_number
from honte.protocols.parameters import Parameters

VERTEX = re.compile(r"[A-HJ-Z]\d{1,2}|pass")


@pytest.fixture(autouse=True)
def unhurried(monkeypatch):
    """Reports that wait for all of their ownership, so that two of them can be compared."""
    monkeypatch.setattr(counting, "QUICK_SECONDS", math.inf)


def analysis_lines(command, engine=None, setup=""):
    """Report lines of one command that ends by itself (search without playing)."""
    engine = engine or make_engine(Fixed())
    if setup:
        converse(setup, engine)
    reply = converse(command + "\n", engine)[0]
    assert reply.success, reply
    return [line for line in reply.lines if line.startswith("info")]


def blocks(line):
    return ["info" + block for block in line.split("info")[1:] if block.strip()]


# G13
@pytest.mark.parametrize(
    "command",
    [
        "kata-genmove_analyze rootInfo true",
        "kata-analyze 10",
        "kata-analyze b 10",
        "kata-analyze interval 10",
        "kata-analyze b interval 10 ownership true",
        "lz-analyze 10 w",
        "lz-analyze",
        "analyze W 50",
        "genmove_analyze B 50",
        "kata-analyze 1 pvVisits true",
        "lz-analyze b 10 avoid b d4,pass 3 minmoves 2 maxmoves 5",
        "lz-analyze b 10 allow b d4 1",
    ],
)
def test_every_argument_is_optional(command):
    assert converse(command + "\n")[0].success


@pytest.mark.parametrize(
    "command",
    [
        "kata-analyze b 10 nonsense true",
        "lz-analyze b 10 ownership true",
        "kata-analyze b 10 ownership",
        "kata-analyze b 10 ownership maybe",
        "kata-analyze b 10 minmoves -1",
        "kata-analyze b -10",
        "kata-analyze b nan",
        "lz-analyze b 10 avoid b",
        "lz-analyze b 10 avoid b z99 1",
        "lz-analyze b 10 avoid b d4 0",
        "lz-analyze b 10 allow b d4 1 avoid b c3 1",
        "lz-analyze b 10 allow b d4 1 allow b c3 1",
    ],
)
def test_unknown_or_contradicting_keys_are_errors(command):
    assert not converse(command + "\n")[0].success


def test_restrictions_that_leave_nothing_are_an_error():
    engine = make_engine()
    reply = converse("play b d4\nlz-analyze w 10 allow w d4 1\nname\n", engine)
    assert [r.success for r in reply] == [True, False, True]


def test_the_katago_block():
    (line,) = analysis_lines(
        "kata-search_analyze b 1000 rootInfo true ownership true ownershipStdev true "
        "movesOwnership true movesOwnershipStdev true pvVisits true pvEdgeVisits true "
        "noResultValue true"
    )[-1:]
    head, _, ownership = line.partition(" rootInfo ")
    keys = "move visits edgeVisits utility winrate scoreMean scoreStdev scoreLead scoreSelfplay"
    keys += " noResultValue prior lcb utilityLcb weight order pv pvVisits pvEdgeVisits"
    keys += " movesOwnership movesOwnershipStdev"
    for block in blocks(head):
        words = block.split()
        assert [word for word in words if word in keys.split()] == keys.split()
        for key in ["utility", "winrate", "scoreMean", "prior", "lcb", "weight"]:
            assert "." in words[words.index(key) + 1]
        for number in (w for w in words if w[-1].isdigit() and not VERTEX.fullmatch(w)):
            float(number)
    assert len(ownership.split(" ownership ")[1].split(" ownershipStdev ")[0].split()) == 81
    assert len(ownership.split(" ownershipStdev ")[1].split()) == 81


def test_the_leela_zero_block_has_integers():
    (line,) = analysis_lines("kata-search_analyze b 1000")[-1:]
    engine = make_engine(Fixed())
    reply = converse("lz-genmove_analyze b 1000\n", engine)[0]
    line = next(text for text in reply.lines if text.startswith("info"))
    for order, block in enumerate(blocks(line)):
        match = re.fullmatch(
            r"info move (\S+) visits (\d+) winrate (\d+) prior (\d+) lcb (\d+) order (\d+) "
            r"pv( \S+)+ ?",
            block,
        )
        assert match, block
        assert int(match.group(6)) == order
        assert all(0 <= int(match.group(i)) <= 10000 for i in (3, 4, 5))


# G5
def test_pass_is_lower_case_and_pv_is_the_last_key():
    full = " ".join(
        f"b {c}{y}" for c in "ABCD" for y in range(1, 6) if f"{c}{y}" not in ("A1", "C5")
    )
    engine = make_engine(Fixed(), size=(5, 5))
    converse(f"boardsize 5\nset_position {full}\n", engine)
    for command in ("lz-genmove_analyze b 1000 minmoves 3", "kata-search_analyze b 1000"):
        reply = converse(command + "\n", engine)[0]
        line = next(text for text in reply.lines if text.startswith("info"))
        assert "move pass" in line
        assert not re.search("nan|inf(?!o)|PASS|Pass", line)
        for block in blocks(line):
            assert all(VERTEX.fullmatch(word) for word in block.split(" pv ")[1].split())


def test_minmoves_fills_up_and_maxmoves_cuts():
    engine = make_engine(Fixed())
    many = analysis_lines("kata-search_analyze b 1000 minmoves 60", engine)[-1]
    assert len(blocks(many)) >= 60
    few = analysis_lines("kata-search_analyze b 1000 maxmoves 2", engine)[-1]
    assert len(blocks(few)) == 2


# S9
def test_allow_reports_that_move_alone_and_its_visits():
    line = analysis_lines("kata-search_analyze b 1000 allow b d4 1")[-1]
    (block,) = blocks(line)
    assert block.split()[2] == "D4"
    assert int(block.split()[4]) == 29


# G14
@pytest.mark.parametrize("colour", [BLACK, WHITE])
def test_the_view_flips_everything_together(colour):
    name = "bw"[colour]
    seen = {}
    for view in View:
        engine = make_engine(Fixed(0.4))
        engine.configure(Parameters(engine.parameters.search, engine.parameters.settings, view))
        line = analysis_lines(
            f"kata-search_analyze {name} 1000 rootInfo true ownership true", engine
        )
        words = line[-1].split()
        root = words[words.index("rootInfo") :]
        first = words[: words.index("rootInfo")]
        seen[view] = [
            float(part[part.index(key) + 1])
            for part in (root, first)
            for key in ("winrate", "utility", "scoreLead")
        ] + [float(first[first.index("lcb") + 1]), float(root[root.index("ownership") + 1])]
    own, other = (View.BLACK, View.WHITE) if colour == BLACK else (View.WHITE, View.BLACK)
    assert seen[View.SIDE_TO_MOVE] == seen[own]
    signs = [1, 0, 0, 1, 0, 0, 1, 0]
    assert seen[own] == pytest.approx(
        [sign - value for sign, value in zip(signs, seen[other], strict=True)], abs=1e-5
    )


def test_the_view_can_be_set_while_running():
    engine = make_engine(Fixed(0.4))
    converse("kata-set-param reportAnalysisWinratesAs WHITE\n", engine)
    assert engine.parameters.view is View.WHITE
    assert (
        json.loads(converse("kata-get-params\n", engine)[0].text)["reportAnalysisWinratesAs"]
        == "WHITE"
    )


@pytest.mark.parametrize(
    ("value", "text"), [(1.0, "1.0"), (0.5, "0.5"), (1e-9, "0.0"), (-1e-9, "0.0"), (12.25, "12.25")]
)
def test_numbers_always_have_a_point(value, text):
    assert format_number(value) == text


def test_restrictions_reach_as_deep_as_they_say():
    """Everyone wants the centre of 5×5: Black may not have it at once, White not in reply."""
    engine = make_engine(Fixed(best=12), size=(5, 5))
    script = "kata-set-param maxVisits 100\nkata-search_analyze b 1000 {}\n"

    def variation(keys):
        first = converse(script.format(keys), engine)[1].lines[-2].split("info ")[1]
        return first.split(" pv ")[1].split()

    assert variation("")[0] == "C3"
    assert variation("allow b B5 1")[:2] == ["B5", "C3"]
    assert variation("allow b B5 1 allow w D5 2")[:3] == ["B5", "D5", "C3"]
    avoided = variation("avoid b C3 3 avoid w C3 2")
    assert "C3" not in avoided[:3]
