"""Board pictures: what stands on the board stands in the SVG."""

import re
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from honte.errors import HonteError
from honte.games.go import Go, parse_vertex
from honte.records import loads
from honte.records.picture import Bubble, Mark, board_svg, node_svg, star_points


def circles(svg, radius):
    tree = ElementTree.fromstring(svg)
    return [
        (element.get("cx"), element.get("cy"))
        for element in tree.iter("{http://www.w3.org/2000/svg}circle")
        if element.get("r") == radius
    ]


def test_every_stone_is_drawn_at_its_place():
    state = Go(9).new_initial_state()
    for vertex in ("E5", "C7", "J1"):
        state.play(parse_vertex(vertex, 9, 9))
    assert sorted(circles(board_svg(state), ".47")) == [("2", "2"), ("4", "4"), ("8", "8")]
    assert circles(board_svg(state), ".23") == [("8", "8")]


def test_star_points():
    assert len(star_points(19, 19)) == 9
    assert len(star_points(13, 13)) == 9
    assert star_points(9, 9) == [(2, 2), (6, 2), (4, 4), (2, 6), (6, 6)]
    assert star_points(5, 5) == []


def test_marks_and_labels_of_a_node_and_text_that_is_escaped():
    record = loads("(;SZ[9];B[ee]LB[aa:<b>]TR[cc]SQ[gg]MA[ii])")
    _, node = record.mainline()
    svg = node_svg(node, record.state_at())
    ElementTree.fromstring(svg)
    assert "&lt;b&gt;" in svg
    assert "<b>" not in svg


def test_bubbles_heat_and_ownership_are_drawn_and_small():
    state = Go(19).new_initial_state()
    svg = board_svg(
        state,
        bubbles=[Bubble(60, "53", 1.0, "120"), Bubble(72, "48", 0.3)],
        heat=np.linspace(0, 1, 362),
        ownership=np.linspace(-1, 1, 361),
        marks={3: Mark.TRIANGLE},
    )
    ElementTree.fromstring(svg)
    assert len(re.findall(">53<|>48<|>120<", svg)) == 3
    assert len(board_svg(state)) < 6000


def test_arrays_that_do_not_fit_are_refused():
    with pytest.raises(HonteError, match="ownership has 10 numbers"):
        board_svg(np.zeros((9, 9), np.int8), ownership=np.zeros(10))
    with pytest.raises(HonteError, match="rows and columns"):
        board_svg(np.zeros(81, np.int8))


def test_a_record_and_a_picture_draw_themselves(tmp_path):
    record = loads("(;SZ[9];B[ee];W[ee])")
    assert record._repr_svg_() == board_svg(record.state_at(1))
    picture = board_svg(record.state_at(1))
    picture.save(tmp_path / "board.svg")
    assert (tmp_path / "board.svg").read_text(encoding="utf-8") == picture


def test_a_position_draws_itself():
    state = Go(9).new_initial_state(black=[40])
    assert state._repr_svg_() == board_svg(state)


def test_a_png_is_a_picture_of_the_same_size(tmp_path):
    pytest.importorskip("resvg_py", reason="needs resvg (pip install 'honte[picture]')")
    picture = board_svg(Go(9).new_initial_state(black=[40]), size=100)
    picture.save(tmp_path / "board.png")
    data = (tmp_path / "board.png").read_bytes()
    assert data.startswith(b"\x89PNG\r\n")
    assert [int.from_bytes(data[place : place + 4]) for place in (16, 20)] == [200, 200]


def test_without_resvg_a_png_is_refused_in_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(HonteError, match="pip install"):
        board_svg(Go(9).new_initial_state()).save(tmp_path / "board.png")
    assert not (tmp_path / "board.png").exists()
