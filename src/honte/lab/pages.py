"""A study played and written down: a Markdown page, a CSV table, a plot, an HTML page."""

from __future__ import annotations

import json
import time
from pathlib import Path

from honte.files import write_text
from honte.lab import report
from honte.lab.evaluators import Evaluators
from honte.lab.fingerprints import Fingerprint
from honte.lab.machine import machine, today
from honte.lab.plots import plot_by_name, plot_by_number
from honte.lab.report import MatchReport
from honte.lab.specs import AlphaBetaPlayerSpec, SearchPlayerSpec
from honte.lab.store import GameRow, Store
from honte.lab.studies import Study
from honte.networks import shipped_networks
from honte.search import AlphaBeta, AlphaBetaConfig, Search

SPEED_SECONDS = 1.0


class SpeedTest:
    """Measures players' speeds once a store: going on with a study must not change its players."""

    def __init__(self, store: Store, evaluators: Evaluators, size: int) -> None:
        self._store = store
        self._evaluators = evaluators
        self._size = size
        self._known: dict[str, float] = json.loads(store.noted("speeds") or "{}")

    def __call__(self, player: SearchPlayerSpec | AlphaBetaPlayerSpec) -> float:
        """Simulations, or positions, in a second of processor time, from the empty board."""
        if player.name not in self._known:
            self._known[player.name] = self._measure(player)
            self._store.note("speeds", json.dumps(self._known))
        return self._known[player.name]

    def _measure(self, player: SearchPlayerSpec | AlphaBetaPlayerSpec) -> float:
        from honte.games.go import Go

        state = Go(self._size).new_initial_state()
        evaluator = self._evaluators.of(player)

        def searching(seed: int) -> Search | AlphaBeta:
            if isinstance(player, AlphaBetaPlayerSpec):
                return AlphaBeta(state, AlphaBetaConfig(player.depth), evaluator, seed=seed)
            return Search(state, player.search, evaluator, seed=seed)

        searching(0).run(simulations=50)
        simulations, spent, wall = 0, 0.0, time.perf_counter()
        while time.perf_counter() - wall < SPEED_SECONDS:
            search = searching(simulations)
            began = time.process_time()
            simulations += search.run(simulations=100).simulations
            spent += time.process_time() - began
        return simulations / max(spent, 1e-6)


def plot(study: Study, match: MatchReport) -> str:
    """The study's plot as SVG."""
    if not study.axis:
        return plot_by_name(match.ratings, study.title)
    return plot_by_number(
        [(study.axis[rating.name], rating) for rating in match.ratings],
        study.title,
        study.axis_label,
        logarithmic=study.logarithmic,
        published=study.published,
    )


def write_study(
    study: Study, games: list[GameRow], folder: Path, network: str, command: str
) -> MatchReport:
    """Write ``NAME.md``, ``.csv``, ``.svg`` and ``.html`` into a folder; the figures.

    ``network`` says which one played, as :func:`network_line` has it.
    """
    match = report.report(study.title, games, anchor=study.anchor)
    svg = plot(study, match)
    remarks = [
        study.question,
        f"{study.settings} {study.game.title()}. Network: {network}.",
        f"{_count(len(games), study)} on {today()}; {machine()}.",
        f"What the texts say: {study.said}",
    ]
    write_text(folder / f"{study.name}.svg", svg)
    write_text(folder / f"{study.name}.csv", report.csv_table(match))
    write_text(folder / f"{study.name}.html", report.html_page(match, svg, remarks))
    write_text(folder / f"{study.name}.md", _markdown(study, match, remarks, command))
    return match


def network_line(network: str, found: Fingerprint | None) -> str:
    """Which network: its name alone could stand for another file tomorrow."""
    shown = network if network in shipped_networks() else Path(network).name
    return shown if found is None else f"{shown} ({found})"


def _count(games: int, study: Study) -> str:
    total = study.schedule.total
    return f"{games} games" if games == total else f"{games} of the {total} games planned"


def _markdown(study: Study, match: MatchReport, remarks: list[str], command: str) -> str:
    names = [rating.name for rating in match.ratings]
    parts = [
        f"# {study.title}",
        *remarks,
        report.markdown_table(report.HEADINGS, report.rows(match)),
        f"![{study.title}]({study.name}.svg)",
        " ".join(match.notes()),
    ]
    if len(names) > 2:
        parts += [
            "Points of the row's player against the column's:",
            report.markdown_table(("", *names), report.crosstable(match)),
        ]
    parts += ["Made by:", f"```sh\n{command}\n```"]
    return "\n\n".join(parts) + "\n"
