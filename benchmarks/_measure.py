"""Runs in turn, medians, spreads and the machine: what every benchmark here prints alike."""

from __future__ import annotations

import datetime
import platform
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from honte.networks.backends.cores import usable_cores

console = Console(width=110)


@dataclass(frozen=True)
class Spread:
    """A median and the lowest and highest of a few runs."""

    median: float
    lowest: float
    highest: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        return cls(statistics.median(values), min(values), max(values))

    def __str__(self) -> str:
        return f"{short(self.median)}  ({short(self.lowest)} to {short(self.highest)})"


def short(number: float) -> str:
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.3g}"


def in_turn(runs: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, list[float]]:
    """Each run once a round, one after the other, so that the machine's moods hit all alike."""
    found: dict[str, list[float]] = {name: [] for name in runs}
    for turn in range(rounds):
        for name, run in runs.items():
            found[name].append(run())
            console.print(f"[dim]round {turn + 1}  {name}: {short(found[name][-1])}[/dim]")
    return found


def kept_by_processor(run: Callable[[], float], kept: list[float]) -> Callable[[], float]:
    """The same run, a speed by the clock, whose speed by processor time is kept aside."""

    def timed() -> float:
        begin, cpu = time.perf_counter(), time.process_time()
        speed = run()
        busy = (time.process_time() - cpu) / (time.perf_counter() - begin)
        kept.append(speed / busy)
        return speed

    return timed


def machine() -> str:
    """The processor, the cores this process may use, and the date."""
    name = platform.processor() or platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                name = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    return f"{name}, {usable_cores()} cores, {datetime.date.today().isoformat()}"


def report(
    title: str,
    unit: str,
    found: Mapping[str, Sequence[float]],
    ratios: Sequence[tuple[str, Sequence[float], float | None]] = (),
) -> bool:
    """Print what was measured and each ratio with its spread; whether every claim holds.

    A ratio is (what it is, one number a round, the least its median has to be, if it is claimed).
    """
    table = Table(title=title, caption=machine(), title_justify="left", caption_justify="left")
    table.add_column("")
    table.add_column(f"{unit}: median (lowest to highest)", justify="right")
    for name, values in found.items():
        table.add_row(name, str(Spread.of(values)))
    console.print(table)
    holds = True
    for name, values, least in ratios:
        spread = Spread.of(values)
        said = ""
        if least is not None:
            met = spread.median >= least
            holds = holds and met
            said = f"; claimed at least {short(least)}: {'met' if met else 'MISSED'}"
        console.print(f"ratio {name}: {spread}{said}", highlight=False)
    return holds


def quotients(numerator: Sequence[float], denominator: Sequence[float]) -> list[float]:
    """Round by round, so that each ratio compares neighbours in time."""
    return [top / bottom for top, bottom in zip(numerator, denominator, strict=True)]
