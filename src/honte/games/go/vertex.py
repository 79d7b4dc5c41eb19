"""Points as people write them: ``Q16`` is the seventeenth column, sixteen rows from the bottom."""

from __future__ import annotations

import re

from honte.errors import HonteError

_LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"  # no I


def parse_vertex(text: str, width: int, height: int) -> int:
    """The action of a vertex or of ``pass``, in any case.

    Raises :class:`HonteError` if the text is neither or the point is off the board.
    """
    wanted = text.strip().upper()
    if wanted == "PASS":
        return width * height
    match = re.fullmatch(r"([A-HJ-Z])([0-9]{1,2})", wanted, re.ASCII)
    if match is None:
        raise HonteError(f"{text!r} is no point; write a letter and a number, as Q16, or pass.")
    x, y = _LETTERS.index(match[1]), height - int(match[2])
    if not (x < width and 0 <= y < height):
        raise HonteError(f"{text} is off a board of {width}x{height}.")
    return y * width + x


def format_vertex(action: int, width: int, height: int) -> str:
    """The vertex of an action: ``Q16``, or ``pass``.

    Raises :class:`HonteError` for a number that is no action of this board.
    """
    if action == width * height:
        return "pass"
    if not 0 <= action < width * height:
        raise HonteError(f"{action} is no action of a board of {width}x{height}.")
    return f"{_LETTERS[action % width]}{height - action // width}"
