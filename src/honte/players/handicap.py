"""Where handicap stones go."""

from __future__ import annotations


def fixed_handicap_points(width: int, height: int, stones: int | None = None) -> list[int]:
    """The points of GTP's ``fixed_handicap`` in its order, as actions.

    ``stones`` from 2 to 9; None: all the points the board has. At most four on boards with an
    even side or a side of seven, none on smaller ones. (GTP 2, draft 2, section 4.1.1.)
    """
    if min(width, height) < 7:
        return []

    def lines(size: int) -> tuple[int, int, int]:
        edge = 3 if size >= 13 else 2
        return edge, size // 2, size - 1 - edge

    left, middle_x, right = lines(width)
    top, middle_y, bottom = lines(height)

    def point(x: int, y: int) -> int:
        return y * width + x

    corners = [point(left, bottom), point(right, top), point(left, top), point(right, bottom)]
    sides = [point(left, middle_y), point(right, middle_y)]
    ends = [point(middle_x, bottom), point(middle_x, top)]
    centre = [point(middle_x, middle_y)]
    has_middle = width % 2 == height % 2 == 1 and min(width, height) > 7
    most = 9 if has_middle else 4
    if stones is None:
        stones = most
    if stones <= 4:
        return corners[:stones]
    placed = corners + (sides if stones >= 6 else []) + (ends if stones >= 8 else [])
    return placed + (centre if stones % 2 else [])
