"""Plots of ratings, as SVG text."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from honte.errors import HonteError
from honte.lab.ratings import Rating

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Published:
    """Figures of a text, drawn beside the measured ones."""

    label: str
    points: tuple[tuple[float, float], ...]
    """(x, Elo)"""


def plot_by_name(ratings: Sequence[Rating], title: str) -> str:
    """Elo with intervals, a row a player. Raises HonteError without matplotlib."""
    figure, axes = _figure(title, height=1.2 + 0.4 * len(ratings))
    order = list(reversed(ratings))
    for place, rating in enumerate(order):
        axes.errorbar(
            rating.elo,
            place,
            xerr=[[rating.elo - rating.low], [rating.high - rating.elo]],
            fmt="o",
            color="#1f5f8b",
            capsize=4,
        )
    axes.axvline(0, color="black", alpha=0.3, linewidth=1)
    axes.set_yticks(range(len(order)), [rating.name for rating in order])
    axes.set_xlabel("Elo, with 95 % intervals")
    axes.grid(axis="x", alpha=0.3)
    return _svg(figure)


def plot_by_number(
    ratings: Sequence[tuple[float, Rating]],
    title: str,
    label: str,
    *,
    logarithmic: bool = False,
    published: Published | None = None,
) -> str:
    """Elo with intervals over a number. Raises HonteError without matplotlib."""
    figure, axes = _figure(title, height=4.0)
    points = sorted(ratings, key=lambda point: point[0])
    x = [point for point, _ in points]
    axes.errorbar(
        x,
        [rating.elo for _, rating in points],
        yerr=[
            [rating.elo - rating.low for _, rating in points],
            [rating.high - rating.elo for _, rating in points],
        ],
        fmt="o-",
        color="#1f5f8b",
        capsize=4,
        label="measured, with 95 % intervals",
    )
    if published is not None:
        axes.plot(
            *zip(*published.points, strict=True), "s--", color="#b5651d", label=published.label
        )
    if logarithmic:
        axes.set_xscale("log")
        axes.set_xticks(x, [f"{value:g}" for value in x])
        axes.minorticks_off()
    axes.set_xlabel(label)
    axes.set_ylabel("Elo")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    return _svg(figure)


def plot_solved(
    visits: Sequence[int], shares: Sequence[tuple[str, Sequence[float]]], title: str
) -> str:
    """The share of problems solved over visits, a line a player. Raises HonteError without
    matplotlib."""
    figure, axes = _figure(title, height=4.0)
    for (name, share), marker in zip(shares, "os^vDPX*" * len(shares), strict=False):
        axes.plot(visits, [100 * part for part in share], marker=marker, label=name)
    axes.set_xscale("log", base=2)
    axes.set_xticks(visits, [str(number) for number in visits])
    axes.set_ylim(-3, 103)
    axes.set_xlabel("visits")
    axes.set_ylabel("solved, %")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    return _svg(figure)


def plot_curves(
    curves: Sequence[tuple[str, Sequence[float], Sequence[float]]], title: str, label: str
) -> str:
    """Curves of (name, x, y) one below the other, over one x axis. Raises HonteError without
    matplotlib."""
    figure, first = _figure(title, height=0.6 + 1.7 * len(curves))
    first.remove()
    grid = figure.subplots(len(curves), 1, sharex=True, squeeze=False)[:, 0]
    for axes, (name, x, y) in zip(grid, curves, strict=True):
        axes.plot(x, y, "o-" if len(x) < 60 else "-", color="#1f5f8b", markersize=3)
        axes.set_title(name, loc="left", fontsize=9)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.3)
    grid[-1].set_xlabel(label)
    return _svg(figure)


def _figure(title: str, *, height: float) -> tuple[Figure, Axes]:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise HonteError("Plots need matplotlib: pip install 'honte[lab]'.") from None
    figure = Figure(figsize=(7.5, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.08)  # type: ignore[call-arg, union-attr]
    figure.suptitle(title, x=0.015, ha="left", fontsize=11)
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _svg(figure: Figure) -> str:
    import matplotlib

    out = io.StringIO()
    # Equal figures give equal files.
    with matplotlib.rc_context({"svg.hashsalt": "honte", "svg.fonttype": "none"}):
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    # Without the XML head it can stand inside a page.
    return re.sub(r"^.*?(?=<svg)", "", out.getvalue(), flags=re.DOTALL)
