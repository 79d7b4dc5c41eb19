"""The text of SGF values: escapes, line breaks, composed values, and what to show of them.

Source: the SGF FF[4] specification, "Text", "SimpleText" and "Compose".
"""

from __future__ import annotations

import re
import unicodedata

_ESCAPE = re.compile(r"\\(\r\n|\n\r|.)", re.DOTALL)
_LINE_BREAK = re.compile(r"\r\n|\n\r|\r")
_TO_ESCAPE = re.compile(r"([\]\\])")
_COLON = re.compile(r"\\.|:", re.DOTALL)
# Letters that draw nothing, though Unicode calls them letters: the Hangul fillers.
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0")


def lines_of(text: str) -> list[str]:
    """The lines of a file of any system; what else Unicode calls a line break is part of one."""
    return _LINE_BREAK.sub("\n", text).split("\n")


def unescape(raw: str) -> str:
    """A value as its author wrote it: escapes resolved, soft breaks gone, line ends as LF."""
    if "\\" in raw:
        raw = _ESCAPE.sub(lambda m: "" if m[1][0] in "\r\n" else m[1], raw)
    if "\r" in raw:
        raw = _LINE_BREAK.sub("\n", raw)
    return raw


def escape(text: str) -> str:
    """The inverse of :func:`unescape`, for text with LF line ends."""
    return _TO_ESCAPE.sub(r"\\\1", text)


def split_composed(raw: str) -> tuple[str, str | None]:
    """Both halves of a composed value ``a:b``, unescaped; the second is None without a colon."""
    for match in _COLON.finditer(raw):
        if match[0] == ":":
            return unescape(raw[: match.start()]), unescape(raw[match.end() :])
    return unescape(raw), None


def join_composed(first: str, second: str) -> str:
    """The raw value ``first:second``, with the colons of the first half escaped."""
    return escape(first).replace(":", "\\:") + ":" + escape(second)


def whole_number(text: str) -> int | None:
    """A count of at most nine decimal digits, blanks around it allowed; None for anything else."""
    digits = text.strip()
    return int(digits) if digits.isdecimal() and len(digits) <= 9 else None


def for_display(text: str) -> str:
    """Text as a person should see it: without invisible marks, on one line, trimmed.

    Directional controls go too, so that a name cannot reorder what stands around it.
    """
    shown = "".join(
        " " if character in "\n\r\t\v" else character
        for character in text
        if character in "\n\r\t\v"
        or not (unicodedata.category(character) in ("Cf", "Cc") or character in _FILLERS)
    )
    return " ".join(shown.split())
