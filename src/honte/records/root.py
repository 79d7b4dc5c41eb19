"""Making sense of a record's root: game, board size, komi and handicap in one unit each.

What a server or an old program wrote is replaced in the tree by what it means, with a warning, so
that everything above reads plain numbers and the writer writes them.
"""

from __future__ import annotations

import math
import re

from honte.records import points
from honte.records.findings import Finding, RecordError
from honte.records.text import whole_number
from honte.records.tree import Context, Node

LARGEST_SIZE = 52
"""What the letters of SGF reach."""

_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?")
_SIZE = re.compile(r"(\d{1,3})(?:\s*[:x×]\s*(\d{1,3}))?")
# Programs and servers that give komi in hundredths: of points, or under area rules of "zi",
# which are two points each.
_HUNDREDTHS = ("foxwq", "sgfc")
_LARGEST_KOMI_IN_POINTS = 100.0
LARGEST_KOMI = 400.0
"""No game is played with more, in points."""
_LITERAL = re.compile(r"[+-]?\d+\.\d*0(?!\d)")
_ZI = (200.0, 450.0)


def tidy_root(root: Node, context: Context) -> None:
    """Bring GM, SZ, KM and HA of a root into the standard's form, and set the board's size.

    Raises :class:`RecordError` where the record is of another game than Go.
    """
    _check_game(root)
    _tidy_size(root, context)
    _tidy_komi(root, context)
    _tidy_handicap(root, context)


def _check_game(root: Node) -> None:
    game = (root.get("GM") or "").strip()
    if game.isdecimal() and whole_number(game) != 1:
        raise RecordError(f"This is not a Go record (GM[{game}]): honte reads Go, GM[1].")


def _tidy_size(root: Node, context: Context) -> None:
    written = root.get("SZ")
    width = height = 19
    if written is not None:
        match = _SIZE.fullmatch(written.strip())
        sides = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if all(1 <= side <= LARGEST_SIZE for side in sides):
            width, height = sides
        else:
            context.warn(
                Finding.BAD_SIZE,
                f"The board size SZ[{written[:20]}] cannot be read; 19 × 19 was taken.",
                0,
            )
        root.set_raw("SZ", str(width) if width == height else f"{width}:{height}")
    context.width, context.height = width, height


def _tidy_komi(root: Node, context: Context) -> None:
    written = root.get("KM")
    if written is None:
        return
    komi = read_number(written)
    if komi is None:
        context.warn(
            Finding.BAD_VALUE,
            f"The komi KM[{written[:20]}] is no number; the komi of the rules holds.",
            0,
        )
        root.set("KM")
        return
    meant = komi
    if not _is_literal(written, komi):
        programs = " ".join(root.values("AP")).lower()
        meant = komi_in_points(komi, in_hundredths=any(name in programs for name in _HUNDREDTHS))
    if abs(meant) > LARGEST_KOMI:
        context.warn(
            Finding.BAD_VALUE,
            f"The komi KM[{written.strip()[:20]}] is beyond {LARGEST_KOMI:g} points; the komi of "
            "the rules holds.",
            0,
        )
        root.set("KM")
        return
    if meant != komi:
        context.warn(
            Finding.KOMI_RESCALED, f"The komi KM[{written.strip()}] was read as {meant:g}.", 0
        )
    root.set("KM", format_komi(meant))


def read_number(text: str) -> float | None:
    """The finite number a value starts with, a comma for a point allowed; None without one."""
    match = _NUMBER.match(text.strip())
    if match is None:
        return None
    number = float(match[0].replace(",", "."))
    return number if math.isfinite(number) else None


def komi_in_points(komi: float, *, in_hundredths: bool) -> float:
    """Komi in points from what servers write.

    Fox and its relatives write 375 or 750 for 7.5 (hundredths of zi, or of points); a quarter,
    as in 3.75, is a count of one side's stones alone, half of the komi.
    """
    size = abs(komi)
    if size >= _LARGEST_KOMI_IN_POINTS or (in_hundredths and size >= 10 and komi.is_integer()):
        return komi / 50 if _ZI[0] <= size < _ZI[1] else komi / 100
    if (komi * 2).is_integer() or not (komi * 4).is_integer():
        return komi
    return komi * 2


def format_komi(komi: float) -> str:
    """The value of KM for a komi in points, such that no reader rescales it: where another unit
    could be meant, a zero at the end of the fraction says that it is not."""
    komi = round(float(komi), 6) + 0.0  # adding zero turns −0 into 0
    text = f"{komi:.6f}".rstrip("0").rstrip(".")
    if komi_in_points(komi, in_hundredths=True) == komi:
        return text
    return text + ("0" if "." in text else ".0")


def _is_literal(text: str, komi: float) -> bool:
    """Whether a komi stands for itself: servers that count in other units write no zeros at the
    end of a fraction, those that write them (``6.50``) count in points."""
    return abs(komi) <= LARGEST_KOMI and _LITERAL.match(text.strip()) is not None


def _tidy_handicap(root: Node, context: Context) -> None:
    written = root.get("HA")
    if written is not None:
        number = read_number(written)
        if number is None or number < 0 or not number.is_integer():
            context.warn(
                Finding.BAD_VALUE, f"The handicap HA[{written[:20]}] is no count; it is ignored.", 0
            )
            root.set("HA")
        else:
            root.set("HA", str(int(number)))
    stated = int(root.get("HA") or 0)
    stones = points.parse_points(root.raw_values("AB"), context.width, context.height)[0]
    if stated == 1:
        _read_handicap_one(root, context, stones)
    elif stated and stones and stated != len(stones):
        context.warn(
            Finding.HANDICAP_MISMATCH,
            f"The record states a handicap of {stated} and puts {len(stones)} black stones; "
            "both were kept.",
            0,
        )


def _read_handicap_one(root: Node, context: Context, stones: list[int]) -> None:
    """A handicap of one is no handicap: its stone is Black's first move."""
    root.set("HA", "0")
    children = root.children
    white_next = bool(children) and (children[0].move_text or (0,))[0] == 1
    if len(stones) == 1 and not root.raw_values("AW") and (white_next or not children):
        root.set("AB")
        root.set("PL")
        root.insert_after((0, stones[0]))
        context.warn(
            Finding.HANDICAP_ONE,
            "The record gives a handicap of one stone; the stone was read as Black's first move.",
            0,
        )
