"""The HTML report of a reviewed game: one file that opens from disk in any browser.

The page is a template of this package with the analysis as JSON inside; it loads nothing.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import Any

from honte import __version__
from honte.cli.reviewed import ReviewedGame
from honte.games.go import GoState
from honte.records.text import for_display

_STONES = ".XO"
_OWNERS = "abcdefghijklmnopqrs"


def html_report(game: ReviewedGame) -> str:
    """The report as HTML text. Names and comments of the record are escaped."""
    template = files("honte.cli").joinpath("report.html").read_text(encoding="utf-8")
    data = json.dumps(_data(game), ensure_ascii=False, separators=(",", ":"))
    # Inside a script element only "<" could end the data early.
    data = data.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    title = escape(game.record.title)
    head, _, rest = template.partition("<!--title-->")
    body, _, tail = rest.partition("/*data*/")
    return head + title + body + data + tail


def _data(game: ReviewedGame) -> dict[str, Any]:
    record = game.record
    comments = _comments(game)
    return {
        "game": {
            **{key: value for key, value in game.to_json().items() if key != "rules"},
            "rules": game.rules,
            "event": for_display(record.root.get("EV") or ""),
            "resultText": str(record.result) if record.result else "",
            "version": __version__,
        },
        "boards": [_stones(state) for state in game.states],
        "moves": [
            [player, action] for state in game.states[1:] for player, action in state.moves()[-1:]
        ],
        "comments": comments,
        "ownership": {
            position.turn: _owners(position.ownership)
            for position in game.analysis.positions
            if position.ownership is not None
        },
    }


def _stones(state: GoState) -> str:
    """Rows from the top: ``.`` empty, ``X`` black, ``O`` white."""
    return "".join(_STONES[int(stone)] for stone in state.board().reshape(-1))


def _owners(ownership: Sequence[float]) -> str:
    """A letter a point, from ``a``, all White's, over ``j``, nobody's, to ``s``, all Black's."""
    return "".join(_OWNERS[round(9 * value) + 9] for value in ownership)


def _comments(game: ReviewedGame) -> dict[int, str]:
    """The record's own comments by turn."""
    comments: dict[int, str] = {}
    turn = 0
    for node in game.record.mainline():
        if node.move_text is not None:
            turn += 1
        if turn >= len(game.states):
            break
        if node.comment:
            comments[turn] = (
                f"{comments[turn]}\n{node.comment}" if turn in comments else node.comment
            )
    return comments
