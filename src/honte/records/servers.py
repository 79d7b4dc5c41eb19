"""What the records of the Asian servers share: handicap stones and names with a rank."""

from __future__ import annotations

import re

_RANK = re.compile(r"(.*?)\s*\(?\s*(\d{1,2}\s*[dkpDKP급단段级級])\s*\)?\s*", re.DOTALL)


def handicap_stones(count: int, size: int) -> list[int]:
    """The points of Tygem's handicap stones on a square board, 2 to 9 of them.

    The third is at the top left and the fourth at the bottom right.
    """
    near = 3 if size >= 13 else min(2, size - 1)
    far, middle = size - 1 - near, size // 2
    stones = [(far, near), (near, far), (near, near), (far, far)]
    sides = [(near, middle), (far, middle), (middle, near), (middle, far)]
    if count >= 5:
        stones += sides[: count // 2 * 2 - 4]
        if count % 2:
            stones.append((middle, middle))
    return [y * size + x for x, y in stones[:count]]


def split_rank(text: str) -> tuple[str, str]:
    """Name and rank of ``Ann (5K)`` or ``ann 5K``; the rank is empty where there is none."""
    text = text.strip()
    match = _RANK.fullmatch(text)
    if match is None or not match[1]:
        return text, ""
    return match[1].strip(), match[2].replace(" ", "")
