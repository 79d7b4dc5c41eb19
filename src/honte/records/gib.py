"""GIB, the records of Tygem: header lines ``\\[KEY=value\\]``, then one line a move.

The format has no specification; the facts are those on which its readers agree.
"""

from __future__ import annotations

import re

from honte.records.findings import Finding
from honte.records.record import GameRecord
from honte.records.result import Ending, Result
from honte.records.servers import handicap_stones, split_rank
from honte.records.text import lines_of, whole_number

_SIZE = 19
_HEADER = re.compile(r"\\\[(\w+)=(.*?)\\\]", re.DOTALL)
_FIELD = re.compile(r"(?:^|,)([A-Z]+):?([^,]*)")
_WON = {
    "0": (Ending.SCORE, 0),
    "1": (Ending.SCORE, 1),
    "3": (Ending.RESIGNATION, 0),
    "4": (Ending.RESIGNATION, 1),
    "7": (Ending.TIME, 0),
    "8": (Ending.TIME, 1),
}


def looks_like(text: str) -> bool:
    """Whether a text is a GIB record."""
    return text.lstrip("\ufeff \t\r\n").startswith("\\HS")


def read(text: str) -> GameRecord:
    """The game of a GIB record; what cannot be read is left out with a warning."""
    header = dict(_HEADER.findall(text))
    record = GameRecord(_SIZE)
    for colour, key in (("B", "GAMEBLACKNAME"), ("W", "GAMEWHITENAME")):
        name, rank = split_rank(header.get(key, ""))
        if name:
            record.root.set(f"P{colour}", name)
        if rank:
            record.root.set(f"{colour}R", rank)
    main = dict(_FIELD.findall(header.get("GAMEINFOMAIN", "")))
    tag = dict(re.findall(r"(?:^|,)([A-Z])([^,]*)", header.get("GAMETAG", "")))
    komi = main.get("GONGJE") or tag.get("G", "")
    if (tenths := whole_number(komi)) is not None and tenths <= 4000:
        record.komi = tenths / 10
    ending = _WON.get(main.get("GRLT") or tag.get("W", ""))
    if ending is not None:
        how, winner = ending
        margin = main.get("ZIPSU") or tag.get("Z", "")
        points = (whole_number(margin) or 0) / 10 if how is Ending.SCORE else None
        record.result = Result(how if points or how is not Ending.SCORE else Ending.UNSTATED,
                               winner, points or None)  # fmt: skip
    date = re.match(r"(\d{4}):(\d{1,2}):(\d{1,2})", tag.get("C", ""))
    if date:
        record.root.set("DT", f"{date[1]}-{int(date[2]):02}-{int(date[3]):02}")
    _read_moves(record, text)
    return record


def _read_moves(record: GameRecord, text: str) -> None:
    node = record.root
    player = 0
    for number, line in enumerate(lines_of(text), 1):
        words = line.split()
        if not words or words[0] not in ("INI", "STO", "SKI"):
            continue
        try:
            if words[0] == "INI":
                handicap = int(words[3])
                if 2 <= handicap <= 9:
                    record.handicap = handicap
                    stones = handicap_stones(handicap, _SIZE)
                    record.root.set_points("AB", stones)
                    player = 1
                continue
            if words[0] == "STO":
                player = {"1": 0, "2": 1}[words[3]]
                x, y = int(words[4]), int(words[5])
                if not (0 <= x < _SIZE and 0 <= y < _SIZE):
                    raise ValueError
                action = y * _SIZE + x
            else:
                action = _SIZE * _SIZE
        except (ValueError, IndexError, KeyError):
            record._context.warn(
                Finding.BAD_VALUE, f"Line {number} of the GIB record, {line[:40]!r}, was ignored."
            )
            continue
        node = node.add_variation((player, action))
        player = 1 - player
