"""Pictures of Go positions as SVG and PNG: for notebooks, pages and files.

>>> from honte.games.go import Go
>>> board_svg(Go(9).new_initial_state(black=[40])).startswith("<svg")
True
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from html import escape
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from honte._core import GoState
from honte.errors import HonteError
from honte.files import write_bytes

_COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
_EDGE = 1.1


class Picture(str):
    """An SVG document: text that a notebook draws and that can be saved."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)

    def png(self, scale: float = 2.0) -> bytes:
        """The picture as a PNG, ``scale`` pixels to each of its own. Letters are drawn in a font of
        the system's. Raises HonteError without the extra ``picture``."""
        try:
            from resvg_py import svg_to_bytes
        except ImportError:
            raise HonteError("A PNG needs resvg: pip install 'honte[picture]'.") from None
        return bytes(svg_to_bytes(svg_string=str(self), zoom=scale))

    def save(self, path: str | Path) -> None:
        """Write the picture to a file, which appears whole or not at all: a PNG where its name
        ends in ``.png``, else SVG (packed where it ends in ``.gz`` or ``.xz``)."""
        path = Path(path)
        write_bytes(path, self.png() if path.suffix.lower() == ".png" else self.encode())


class Mark(Enum):
    """A mark on a point, by the SGF property that sets it."""

    CIRCLE = "CR"
    SQUARE = "SQ"
    TRIANGLE = "TR"
    CROSS = "MA"


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of a picture, as CSS writes them."""

    wood: str = "#e3b877"
    lines: str = "#6f4f22"
    accent: str = "#c8452d"


WOOD = Theme()
DARK = Theme(wood="#8d6a3a", lines="#2d1f0b", accent="#ff8a5c")
PAPER = Theme(wood="#ffffff", lines="#444444", accent="#c8452d")


@dataclass(frozen=True, slots=True)
class Bubble:
    """A candidate move: a coloured disc with one or two lines of text."""

    action: int
    text: str
    quality: float = 1.0
    """1 for the best move (green) down to 0 (red)."""
    detail: str = ""


def board_svg(
    board: GoState | NDArray[np.int8],
    *,
    last_action: int | None = None,
    labels: Mapping[int, str] | None = None,
    marks: Mapping[int, Mark] | None = None,
    bubbles: Sequence[Bubble] = (),
    heat: NDArray[np.floating] | None = None,
    ownership: NDArray[np.floating] | None = None,
    coordinates: bool = True,
    theme: Theme = WOOD,
    size: int = 480,
) -> Picture:
    """A position as an SVG document.

    ``board`` is a state, or an array [H, W] with 0 empty, 1 black, 2 white, row 0 on top; points
    are actions, ``y * width + x``. ``heat`` [H, W] or [H·W (+ 1)] shades points by a share of
    the largest, such as a policy. ``ownership`` in [−1, 1], +1 where **Black** will own the
    point, draws a small square on each. ``size`` is the width in pixels. Raises HonteError for
    arrays that do not fit the board.
    """
    if isinstance(board, GoState):
        if last_action is None:
            last_action = board.last_action
        stones = np.asarray(board.board())
    else:
        stones = np.asarray(board)
    if stones.ndim != 2:
        raise HonteError(f"A board to draw has rows and columns; this array is {stones.shape}.")
    height, width = stones.shape
    edge = _EDGE if coordinates else 0.6
    across, down = width - 1 + 2 * edge, height - 1 + 2 * edge
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" '
        f'height="{round(size * down / across)}" viewBox="{-edge} {-edge} {across:g} {down:g}" '
        'font-family="system-ui,sans-serif" text-anchor="middle">',
        '<defs><radialGradient id="b" cx=".35" cy=".3" r=".75"><stop stop-color="#5d5d5d"/>'
        '<stop offset="1" stop-color="#0d0d0d"/></radialGradient><radialGradient id="w" cx=".35" '
        'cy=".3" r=".85"><stop stop-color="#fff"/><stop offset="1" stop-color="#d3d0ca"/>'
        "</radialGradient></defs>",
        f'<rect x="{-edge}" y="{-edge}" width="{across:g}" height="{down:g}" rx=".3" '
        f'fill="{theme.wood}"/>',
        _grid(width, height, theme),
    ]
    if coordinates:
        parts.append(_coordinates(width, height, theme))
    if heat is not None:
        parts.append(_heat(_fitted(heat, width, height, "heat"), width, theme))
    parts.append(_stones(stones))
    if ownership is not None:
        parts.append(_ownership(_fitted(ownership, width, height, "ownership"), width))
    parts.extend(_bubble(bubble, width) for bubble in reversed(bubbles))
    marked = dict(marks or {})
    if last_action is not None and 0 <= last_action < width * height:
        marked.setdefault(last_action, Mark.CIRCLE)
    for point, mark in marked.items():
        if labels is None or point not in labels:
            parts.append(_mark(mark, point, stones, theme))
    for point, text in (labels or {}).items():
        parts.append(_label(text, point, stones, theme))
    parts.append("</svg>")
    return Picture("".join(parts))


def _fitted(
    values: NDArray[np.floating], width: int, height: int, name: str
) -> NDArray[np.float64]:
    flat = np.asarray(values, np.float64).reshape(-1)
    if len(flat) not in (width * height, width * height + 1):
        raise HonteError(
            f"The {name} has {len(flat)} numbers; a {width} × {height} board takes "
            f"{width * height}."
        )
    return np.nan_to_num(flat[: width * height])


def _grid(width: int, height: int, theme: Theme) -> str:
    lines = "".join(f"M{x} 0V{height - 1}" for x in range(width))
    lines += "".join(f"M0 {y}H{width - 1}" for y in range(height))
    stars = "".join(f'<circle cx="{x}" cy="{y}" r=".09"/>' for x, y in star_points(width, height))
    return (
        f'<path d="{lines}" stroke="{theme.lines}" stroke-width=".035" fill="none" '
        f'stroke-linecap="square"/><g fill="{theme.lines}">{stars}</g>'
    )


def star_points(width: int, height: int) -> list[tuple[int, int]]:
    """(x, y) of the dots of a board, as boards of this size are printed."""
    columns, rows = _star_lines(width), _star_lines(height)
    middle = (width - 1) / 2, (height - 1) / 2
    points = [(x, y) for y in rows for x in columns]
    if width > 12 and height > 12:
        return points
    return [p for p in points if p == middle or (p[0] != middle[0] and p[1] != middle[1])]


def _star_lines(size: int) -> list[int]:
    if size < 7:
        return []
    near = 3 if size > 12 else 2
    return [near, *([size // 2] if size % 2 and size > 7 else []), size - 1 - near]


def _coordinates(width: int, height: int, theme: Theme) -> str:
    texts = [
        f'<text x="{x}" y="{y:g}">{_COLUMNS[x]}</text>'
        for x in range(width)
        for y in (-0.65, height - 0.1)
    ]
    texts += [
        f'<text x="{x:g}" y="{y + 0.13:g}">{height - y}</text>'
        for y in range(height)
        for x in (-0.78, width - 0.22)
    ]
    return f'<g font-size=".36" fill="{theme.lines}">{"".join(texts)}</g>'


def _stones(stones: NDArray[np.int8]) -> str:
    drawn = {1: "", 2: ""}
    for y, x in np.argwhere(stones):
        drawn[int(stones[y, x])] += f'<circle cx="{x}" cy="{y}" r=".47"/>'
    return (
        f'<g fill="url(#b)">{drawn[1]}</g>'
        f'<g fill="url(#w)" stroke="#0002" stroke-width=".02">{drawn[2]}</g>'
    )


def _heat(values: NDArray[np.float64], width: int, theme: Theme) -> str:
    largest = values.max(initial=0.0)
    if largest <= 0:
        return ""
    squares = [
        f'<rect x="{point % width - 0.5:g}" y="{point // width - 0.5:g}" width="1" height="1" '
        f'opacity="{0.75 * (value / largest) ** 0.5:.2f}"/>'
        for point, value in enumerate(values)
        if value > 0.005 * largest
    ]
    return f'<g fill="{theme.accent}">{"".join(squares)}</g>'


def _ownership(values: NDArray[np.float64], width: int) -> str:
    drawn = ["", ""]
    for point, value in enumerate(values):
        half = 0.2 * min(1.0, abs(value)) ** 0.5
        if half >= 0.05:
            drawn[int(value < 0)] += (
                f'<rect x="{point % width - half:.2f}" y="{point // width - half:.2f}" '
                f'width="{2 * half:.2f}" height="{2 * half:.2f}"/>'
            )
    return (
        f'<g fill="#111" stroke="#fff8" stroke-width=".03">{drawn[0]}</g>'
        f'<g fill="#fff" stroke="#0008" stroke-width=".03">{drawn[1]}</g>'
    )


def _bubble(bubble: Bubble, width: int) -> str:
    y, x = divmod(bubble.action, width)
    quality = min(1.0, max(0.0, bubble.quality))
    detail = (
        f'<text x="{x}" y="{y + 0.3:g}" font-size=".2">{escape(bubble.detail)}</text>'
        if bubble.detail
        else ""
    )
    return (
        f'<g fill="#fff"><circle cx="{x}" cy="{y}" r=".47" '
        f'fill="hsl({round(150 * quality)} 70% 42%)" fill-opacity=".9"/>'
        f'<text x="{x}" y="{y + (0.03 if detail else 0.12):g}" font-size=".33" '
        f'font-weight="600">{escape(bubble.text)}</text>{detail}</g>'
    )


def _ink(point: int, stones: NDArray[np.int8], theme: Theme) -> str:
    stone = int(stones[divmod(point, stones.shape[1])])
    return {1: "#fff", 2: "#111"}.get(stone, theme.lines)


def _mark(mark: Mark, point: int, stones: NDArray[np.int8], theme: Theme) -> str:
    y, x = divmod(point, stones.shape[1])
    shapes = {
        Mark.CIRCLE: f'<circle cx="{x}" cy="{y}" r=".23"',
        Mark.SQUARE: f'<rect x="{x - 0.2:g}" y="{y - 0.2:g}" width=".4" height=".4"',
        Mark.TRIANGLE: f'<path d="M{x} {y - 0.27:g}l.24 .41h-.48z"',
        Mark.CROSS: f'<path d="M{x - 0.19:g} {y - 0.19:g}l.38 .38m0 -.38l-.38 .38"',
    }
    ink = _ink(point, stones, theme)
    return f'{shapes[mark]} fill="none" stroke="{ink}" stroke-width=".07"/>'


def _label(text: str, point: int, stones: NDArray[np.int8], theme: Theme) -> str:
    y, x = divmod(point, stones.shape[1])
    ground = f'<circle cx="{x}" cy="{y}" r=".35" fill="{theme.wood}"/>' if not stones[y, x] else ""
    font = 0.5 if len(text) < 2 else 0.36 if len(text) < 4 else 0.26
    return (
        f'{ground}<text x="{x}" y="{y + 0.36 * font:g}" font-size="{font}" font-weight="600" '
        f'fill="{_ink(point, stones, theme)}">{escape(text)}</text>'
    )
