"""KataGo's own answers on positions of many sizes and rules say which points are legal."""

from __future__ import annotations

import json

from honte.games.go import BLACK, WHITE, Go, GoState, Rules, parse_vertex
from shared_data import shared_file

COLOURS = {"b": BLACK, "w": WHITE}


def replay(entry: dict) -> GoState:  # type: ignore[type-arg]
    """The position of a reference, whose moves KataGo accepted whatever its rules say."""
    width, height = entry["width"], entry["height"]
    stones: dict[str, list[int]] = {"b": [], "w": []}
    for colour, vertex in entry["setup"]:
        stones[colour.lower()].append(parse_vertex(vertex, width, height))
    game = Go(width, height, Rules.from_json(entry["rules"]), entry["komi"])
    state = game.new_initial_state(stones["b"], stones["w"])
    for colour, vertex in entry["moves"]:
        action = parse_vertex(vertex, width, height)
        state.play(action, COLOURS[colour.lower()], tolerant=True)
    return state


def test_the_same_points_are_legal() -> None:
    entries = json.loads(shared_file("reference", "katago-raw-nn.json").read_text())
    assert len(entries) > 50
    for entry in entries:
        state = replay(entry)
        policy = entry["outputs"][0]["policy"]
        points = state.width * state.height
        legal = [point for point in range(points) if policy[point] is not None]
        if not state.is_terminal():
            assert [action for action in state.legal_actions() if action < points] == legal, entry[
                "name"
            ]
