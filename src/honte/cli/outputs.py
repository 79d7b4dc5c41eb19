"""What ``honte analyze`` prints and writes: tables, JSON, CSV, SGF and the HTML report."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from honte.cli.annotate import annotated
from honte.cli.report import html_report
from honte.cli.reviewed import COLOURS, ReviewedGame
from honte.errors import HonteError
from honte.files import write_text
from honte.players.analysis import Grade, PositionAnalysis

_STANDARD_OUTPUT = Path("-")
_MARKS = {Grade.GOOD: "", Grade.DOUBTFUL: "?!", Grade.MISTAKE: "?", Grade.BLUNDER: "??"}
_STYLES = {Grade.GOOD: "", Grade.DOUBTFUL: "yellow", Grade.MISTAKE: "dark_orange",
           Grade.BLUNDER: "bold red"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Files:
    """Where the analysis goes; None where it is not wanted. ``-`` is standard output."""

    json: Path | None
    csv: Path | None
    html: Path | None
    sgf: Path | None

    @property
    def use_stdout(self) -> bool:
        """Whether one of them goes to standard output."""
        return _STANDARD_OUTPUT in (self.json, self.csv, self.html, self.sgf)

    def check(self, inputs: Sequence[str]) -> None:
        """Refuse, before any work is done, what could not be written or would lose a record."""
        given = {Path(name).resolve() for name in inputs}
        for path in (self.json, self.csv, self.html, self.sgf):
            if path is None or path == _STANDARD_OUTPUT:
                continue
            if path.resolve() in given:
                raise HonteError(f"{path} is the record itself; give the output another name.")
            if path.is_dir():
                raise HonteError(f"{path} is a folder; give the name of a file to write.")
            if not path.resolve().parent.is_dir():
                raise HonteError(
                    f"There is no folder {path.resolve().parent} to write {path.name}."
                )

    def write(self, games: Sequence[ReviewedGame]) -> None:
        """Write everything that was asked for. Of several games each gets its own report."""
        if self.json is not None:
            content = [game.to_json() for game in games]
            _put(self.json, json.dumps(content, ensure_ascii=False, indent=1) + "\n")
        if self.csv is not None:
            _put(self.csv, _csv(games))
        if self.sgf is not None:
            _put(self.sgf, "".join(annotated(game).dumps() for game in games))
        if self.html is not None:
            for number, game in enumerate(games, 1):
                path = self.html
                if len(games) > 1 and path != _STANDARD_OUTPUT:
                    path = path.with_stem(f"{path.stem}-{number}")
                _put(path, html_report(game))


def _put(path: Path, text: str) -> None:
    if path == _STANDARD_OUTPUT:
        sys.stdout.write(text)
        return
    write_text(path, text)
    print(f"Written: {path}", file=sys.stderr)


def _csv(games: Sequence[ReviewedGame]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        ["game", "file", "move_number", "player", "move", "black_winrate", "black_lead",
         "best_move", "winrate_loss", "points_loss", "grade", "visits"]
    )  # fmt: skip
    for number, game in enumerate(games, 1):
        for position in game.analysis.positions:
            best = position.best
            writer.writerow(
                [
                    number,
                    game.path,
                    position.turn + 1 if position.played is not None else "",
                    COLOURS[position.player].lower(),
                    game.vertex(position.played),
                    f"{position.black_winrate:.4f}",
                    _number(position.black_lead, 2),
                    game.vertex(best.action if best else None),
                    _number(position.winrate_loss, 4),
                    _number(position.points_loss, 2),
                    position.grade.value,
                    position.visits,
                ]
            )
    return out.getvalue()


def _number(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def print_tables(games: Sequence[ReviewedGame]) -> None:
    """The moves and the biggest mistakes of each game, to the terminal."""
    console = Console(highlight=False)
    for game in games:
        console.print(Text(game.record.title, style="bold"))
        console.print(
            Text(
                f"{game.record.width} × {game.record.height}, {game.rules} rules, komi "
                f"{game.states[0].komi:g}; {game.engine}, {game.visits} visits a position, "
                f"{game.seconds:.1f} s."
            )
        )
        _print_moves(console, game)
        _print_mistakes(console, game)


def _print_moves(console: Console, game: ReviewedGame) -> None:
    scored = any(p.black_lead is not None for p in game.analysis.positions)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("Move", "", "Played", "Black", "White"):
        table.add_column(name, justify="right" if name in ("Move", "Black", "White") else "left")
    if scored:
        table.add_column("Lead", justify="right")
    table.add_column("Best")
    table.add_column("Loss", justify="right")
    for position in game.analysis.positions:
        best = position.best
        row = [
            str(position.turn + 1) if position.played is not None else "end",
            COLOURS[position.player],
            game.vertex(position.played) + " " + _MARKS[position.grade],
            f"{position.black_winrate:.1%}",
            f"{1 - position.black_winrate:.1%}",
        ]
        if scored:
            row.append(_lead(position.black_lead))
        row += [game.vertex(best.action if best else None), _loss(position)]
        table.add_row(*row, style=_STYLES[position.grade])
    console.print(table)


def _print_mistakes(console: Console, game: ReviewedGame) -> None:
    for player, name in enumerate(COLOURS):
        who = str((game.record.black, game.record.white)[player])
        heading = f"{name} ({who})" if who else name
        mean = game.analysis.mean_loss(player)
        if mean is None:
            continue
        winrate, points = mean
        line = f"{heading}: mean loss {winrate:.1%} a move"
        if points is not None:
            line += f", {points:.2f} points"
        agreement = game.analysis.agreement(player)
        if agreement is not None:
            line += f"; the search's own choice in {agreement:.0%} of the moves"
        console.print(Text(line + ".", style="bold"))
        mistakes = game.analysis.worst(player)
        if not mistakes:
            console.print("  No move that cost anything.")
        for position in mistakes:
            best = position.best
            console.print(
                Text(
                    f"  move {position.turn + 1:>3}: {game.vertex(position.played):<4} "
                    f"{position.grade.value:<8} {_loss(position)}; better was "
                    f"{' '.join(game.vertices(best.line[:6])) if best else 'nothing'}",
                    style=_STYLES[position.grade],
                )
            )
    if game.stopped:
        console.print(Text(game.stopped, style="yellow"))


def _lead(black_lead: float | None) -> str:
    if black_lead is None:
        return ""
    return f"{'B' if black_lead >= 0 else 'W'}+{abs(black_lead):.1f}"


def _loss(position: PositionAnalysis) -> str:
    if position.winrate_loss is None:
        return ""
    parts = [f"{position.winrate_loss:.1%}"]
    if position.points_loss is not None:
        parts.append(f"{position.points_loss:.1f} pts")
    return " ".join(parts)
