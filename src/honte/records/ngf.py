"""NGF, the records of wBaduk and Yugen no Ma: twelve lines of header, then one line a move.

The format has no specification; the facts are those on which its readers agree.
"""

from __future__ import annotations

import math
import re

from honte.records.findings import Finding, RecordError
from honte.records.record import GameRecord
from honte.records.result import Ending, Result
from honte.records.root import LARGEST_KOMI
from honte.records.servers import handicap_stones, split_rank
from honte.records.text import lines_of, whole_number

_HEADER_LINES = 12
_HEADER_LENGTH = 4096
_LARGEST = 25
_MOVE = re.compile(r"PM..([BW])([A-Z])([A-Z])", re.DOTALL)
_SGF_START = re.compile(r"\ufeff?\s*\(\s*;")
_SIZE_LINE = re.compile(r"\s*\d{1,2}\s*")


def looks_like(text: str) -> bool:
    """Whether a text is an NGF record: twelve lines of which the second is a board size. What
    begins as an SGF game is one, whatever its comments hold."""
    if _SGF_START.match(text):
        return False
    lines = lines_of(text[:_HEADER_LENGTH])
    return len(lines) >= _HEADER_LINES and _SIZE_LINE.fullmatch(lines[1]) is not None


def read(text: str) -> GameRecord:
    """The game of an NGF record; what cannot be read is left out with a warning."""
    lines = lines_of(text.lstrip("\ufeff"))
    header = [*lines[:_HEADER_LINES], *[""] * _HEADER_LINES][:_HEADER_LINES]
    size = int(header[1])
    if not 2 <= size <= _LARGEST:
        raise RecordError(f"The NGF record is of a board of {size} lines; give one of 2 to 25.")
    record = GameRecord(size)
    root = record.root
    if header[0].strip():
        root.set("GN", header[0].strip())
    for colour, line in (("W", header[2]), ("B", header[3])):
        name, rank = split_rank(line)
        if name:
            root.set(f"P{colour}", name)
        if rank:
            root.set(f"{colour}R", rank)
    handicap = whole_number(header[5]) or 0
    if 2 <= handicap <= 9:
        record.handicap = handicap
        root.set_points("AB", handicap_stones(handicap, size))
    record.komi = _komi(record, header[7], handicap)
    date = re.match(r"\s*(\d{4})(\d\d)(\d\d)", header[8])
    if date:
        root.set("DT", "-".join(date.groups()))
    record.result = _result(header[10])
    node = root
    for number, line in enumerate(lines[_HEADER_LINES:], _HEADER_LINES + 1):
        if not line.startswith("PM"):
            continue
        move = _MOVE.match(line)
        # The letters count from a line outside the board: A is a pass, B the first line.
        x, y = (ord(move[2]) - ord("B"), ord(move[3]) - ord("B")) if move else (size, size)
        if move is None or not (max(x, y) < size and (min(x, y) >= 0 or x == y)):
            record._context.warn(
                Finding.BAD_VALUE, f"Line {number} of the NGF record, {line[:40]!r}, was ignored."
            )
            continue
        action = size * size if x < 0 else y * size + x
        node = node.add_variation(("BW".index(move[1]), action))
    return record


def _komi(record: GameRecord, text: str, handicap: int) -> float | None:
    try:
        komi = float(text)
    except ValueError:
        record._context.warn(Finding.BAD_VALUE, f"The komi {text[:20]!r} is no number.", 0)
        return None
    if not abs(komi) <= LARGEST_KOMI:
        return None
    # The servers give the whole points alone.
    return komi + 0.5 if komi.is_integer() and handicap < 2 else komi


def _result(text: str) -> Result | None:
    lower = text.lower()
    if "black" in lower[:6]:
        winner = 0
    elif "white" in lower[:6]:
        winner = 1
    else:
        return None
    if "resign" in lower:
        return Result(Ending.RESIGNATION, winner)
    points = re.search(r"by (\d+(?:\.\d+)?)", lower)
    margin = float(points[1]) if points else 0.0
    if 0.0 < margin < math.inf:
        return Result(Ending.SCORE, winner, margin)
    return Result(Ending.UNSTATED, winner)
