"""SGF points, moves and setup stones on a board of a given size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_NUMBER = {letter: number for number, letter in enumerate(_LETTERS)}
_LARGEST_WITH_TT = 19


def parse_point(text: str, width: int, height: int) -> int | None:
    """``y * width + x`` of a point such as ``pd``; None where that is no point of the board."""
    text = text.strip()
    if len(text) != 2:
        return None
    x, y = _NUMBER.get(text[0], width), _NUMBER.get(text[1], height)
    return y * width + x if x < width and y < height else None


def format_point(point: int, width: int) -> str:
    """The SGF name of a point: column and row letters from the top left."""
    y, x = divmod(point, width)
    return _LETTERS[x] + _LETTERS[y]


def parse_move(text: str, width: int, height: int) -> int | None:
    """The action of a move; ``tt`` and an empty value are a pass, the former up to 19 × 19.

    None where the move is on no point of the board.
    """
    text = text.strip()
    if not text or (text == "tt" and width <= _LARGEST_WITH_TT and height <= _LARGEST_WITH_TT):
        return width * height
    return parse_point(text, width, height)


def format_move(action: int, width: int, height: int) -> str:
    """The SGF value of an action: a point, or nothing for a pass."""
    return "" if action == width * height else format_point(action, width)


def parse_points(raw: Sequence[str], width: int, height: int) -> tuple[list[int], list[str]]:
    """The points of a list such as ``[aa][bb:dd]`` (rectangles from corner to corner).

    Gives the points in the record's order, each once, and the values that are none.
    """
    points: dict[int, None] = {}
    strange: list[str] = []
    for value in raw:
        first, colon, second = value.partition(":")
        start = parse_point(first, width, height)
        end = parse_point(second, width, height) if colon else start
        if start is None or end is None:
            strange.append(value)
            continue
        top, bottom = sorted((start // width, end // width))
        left, right = sorted((start % width, end % width))
        for y in range(top, bottom + 1):
            for x in range(left, right + 1):
                points[y * width + x] = None
    return list(points), strange


@dataclass(frozen=True, slots=True)
class Setup:
    """Stones put down and taken away in one node, as points, and the player to move then."""

    black: tuple[int, ...] = ()
    white: tuple[int, ...] = ()
    empty: tuple[int, ...] = ()
    to_play: int | None = None
    """0 for Black, 1 for White, None where the record does not say."""


def read_setup(values: Mapping[str, Sequence[str]], width: int, height: int) -> Setup | None:
    """AB, AW, AE and PL of a node; None where it has none of them."""
    if not values.keys() & {"AB", "AW", "AE", "PL"}:
        return None
    black, white, empty = (
        tuple(parse_points(values.get(name, ()), width, height)[0]) for name in ("AB", "AW", "AE")
    )
    return Setup(black, white, empty, read_player(values.get("PL", [""])[0]))


def read_player(text: str) -> int | None:
    """0 or 1 from ``B``, ``W``, ``black``, ``2`` and the like; None where it is neither."""
    letter = text.strip()[:1].lower()
    return {"b": 0, "1": 0, "w": 1, "2": 1}.get(letter) if letter else None
