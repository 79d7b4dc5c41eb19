"""``honte runs``: training runs and their curves."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

BARS = "▁▂▃▄▅▆▇█"
WIDTH = 48


def runs(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(help="Folders of runs, or folders that hold some; else runs/, or this one."),
    ] = None,
    curves: Annotated[bool, typer.Option(help="Draw what was measured.")] = True,
    plot: Annotated[Path | None, typer.Option(help="An SVG of one run's curves, to write.")] = None,
    only: Annotated[
        list[str] | None, typer.Option(help="What to plot, as the table names it; may be repeated.")
    ] = None,
) -> None:
    """List training runs and draw their curves."""
    from rich.console import Console
    from rich.table import Table

    from honte.errors import HonteError
    from honte.training.runs import RunFolder

    folders = folders or [Path("runs") if Path("runs").is_dir() else Path()]
    found = [run for folder in folders for run in _runs_in(folder)]
    if not found:
        places = ", ".join(str(folder.resolve()) for folder in folders)
        raise HonteError(f"There is no training run in {places}.")
    if plot is not None:
        _plot(found, plot, only)
    console = Console()
    for path in found:
        run = RunFolder(path)
        config = run.config()
        lines = list(run.metrics())
        goal = config.get("steps", config.get("iterations", "?"))
        last = lines[-1]["step"] if lines else 0
        console.print(f"[bold]{path}[/]: {config.get('kind', 'run')}, {last} of {goal}")
        if not curves or not lines:
            continue
        table = Table("measured", "first", "last", "least", "most", "curve")
        names = dict.fromkeys(
            name for line in lines for name in line if name not in ("step", "time")
        )
        for name in names:
            values = [float(line[name]) for line in lines if name in line]
            table.add_row(
                name,
                *(f"{value:.4g}" for value in (values[0], values[-1], min(values), max(values))),
                sparkline(values),
            )
        console.print(table)


def _runs_in(folder: Path) -> list[Path]:
    if (folder / "config.json").exists():
        return [folder]
    return sorted(path.parent for path in folder.glob("*/config.json"))


def _plot(found: list[Path], file: Path, names: list[str] | None) -> None:
    from honte.errors import HonteError
    from honte.files import write_text
    from honte.lab.plots import plot_curves
    from honte.training.runs import RunFolder

    if len(found) > 1:
        raise HonteError(f"A plot is of one run, and there are {len(found)}: name one.")
    lines = list(RunFolder(found[0]).metrics())
    measured = dict.fromkeys(name for line in lines for name in line)
    chosen = names or [name for name in measured if name not in ("step", "time")]
    for one in chosen:
        if one not in measured:
            raise HonteError(f"{found[0]} never measured {one!r}: it has {', '.join(measured)}.")
    if not chosen:
        raise HonteError(f"{found[0]} has measured nothing yet.")
    curves = []
    for name in chosen:
        points = [(line["step"], line[name]) for line in lines if name in line]
        curves.append((name, [step for step, _ in points], [value for _, value in points]))
    write_text(file, plot_curves(curves, found[0].name, "step"))


def sparkline(values: list[float]) -> str:
    """A curve in one line of text, as wide as the values or :data:`WIDTH`; each column is the
    mean of its values."""
    columns = min(WIDTH, len(values))
    means = []
    for column in range(columns):
        first = column * len(values) // columns
        part = values[first : (column + 1) * len(values) // columns]
        means.append(sum(part) / len(part))
    low, high = min(means), max(means)
    if high == low:
        return BARS[0] * columns
    top = len(BARS) - 1
    return "".join(BARS[round((value - low) / (high - low) * top)] for value in means)
