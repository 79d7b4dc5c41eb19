"""What a match says: ratings, who beat whom, how games ended; in the terminal, CSV and HTML."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from honte.lab.ratings import Rating, rate
from honte.lab.store import Ending, GameRow

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True, slots=True)
class Record:
    """Games won, drawn and lost."""

    won: int = 0
    drawn: int = 0
    lost: int = 0

    @property
    def games(self) -> int:
        """All of them."""
        return self.won + self.drawn + self.lost

    @property
    def points(self) -> float:
        """A draw is half a win."""
        return self.won + self.drawn / 2

    def __str__(self) -> str:
        return f"{self.won}–{self.drawn}–{self.lost}"


@dataclass(frozen=True)
class MatchReport:
    """A match in figures."""

    title: str
    ratings: tuple[Rating, ...]
    """The strongest first."""
    records: dict[tuple[str, str], Record]
    """For the first of two players against the second."""
    seconds: dict[str, float]
    """Mean thinking time a game, by player; where games think together, the share of it that the
    player's simulations are of all."""
    endings: Counter[Ending]
    forfeits: Counter[str]
    """Games lost by failing, by player."""
    checked: int
    """Games that would have ended by agreement and were played on."""
    wrong: int
    """Those of them whose result was not what both had agreed on."""
    anchor: str | None = None
    difference: tuple[float, float, float, float] | None = None
    """Between the first and the second of two players: Elo, the interval's ends, and the chance
    that the first is the stronger."""

    def record(self, name: str) -> Record:
        """A player's games against everybody."""
        mine = [record for (one, _), record in self.records.items() if one == name]
        return Record(
            sum(r.won for r in mine), sum(r.drawn for r in mine), sum(r.lost for r in mine)
        )

    def notes(self) -> list[str]:
        """What else should be known, in sentences."""
        total = sum(self.endings.values())
        ended = ", ".join(f"{n} by {ending.value}" for ending, n in self.endings.most_common())
        notes = [f"{total} games: {ended}."]
        if self.difference is not None:
            elo, low, high, chance = self.difference
            notes.insert(
                0,
                f"{self.ratings[0].name} against {self.ratings[1].name}: {_signed(elo)} Elo, "
                f"interval {_signed(low)} … {_signed(high)}; stronger with a probability of "
                f"{chance:.1%}.",
            )
        if self.checked:
            notes.append(
                f"Of {self.checked} games that both players had given the same side and that were "
                f"played on, {self.wrong} ended otherwise."
            )
        for name, number in self.forfeits.most_common():
            notes.append(f"{name} failed in {number} games, which it lost.")
        return notes


def report(
    title: str,
    games: Sequence[GameRow],
    *,
    anchor: str | None = None,
    confidence: float = 0.95,
) -> MatchReport:
    """The figures of these games. Raises HonteError where they cannot be rated."""
    rated = rate(games)
    ratings = rated.table(anchor=anchor, confidence=confidence)
    names = [rating.name for rating in ratings]
    difference = None
    if len(names) == 2:
        one, other = names
        difference = (
            *rated.difference(one, other, confidence=confidence),
            rated.likelihood_of_superiority(one, other),
        )
    seconds = {
        name: [
            game.seconds[0 if game.fixture.first == name else 1]
            for game in games
            if name in (game.fixture.first, game.fixture.second)
        ]
        for name in names
    }
    agreed = [game for game in games if game.agreed is not None]
    return MatchReport(
        title=title,
        ratings=tuple(ratings),
        records=_records(games),
        seconds={name: sum(spent) / len(spent) for name, spent in seconds.items()},
        endings=Counter(game.ending for game in games),
        forfeits=Counter(_loser(game) for game in games if game.ending is Ending.FORFEIT),
        checked=len(agreed),
        wrong=sum(game.agreed is not None and game.agreed[0] != game.result for game in agreed),
        anchor=anchor,
        difference=difference,
    )


def _loser(game: GameRow) -> str:
    return game.fixture.second if game.result == 1 else game.fixture.first


def _records(games: Sequence[GameRow]) -> dict[tuple[str, str], Record]:
    counts: dict[tuple[str, str], list[int]] = {}
    for game in games:
        first, second = game.fixture.first, game.fixture.second
        outcome = {1.0: 0, 0.5: 1, 0.0: 2}[game.result]
        counts.setdefault((first, second), [0, 0, 0])[outcome] += 1
        counts.setdefault((second, first), [0, 0, 0])[2 - outcome] += 1
    return {pair: Record(*numbers) for pair, numbers in counts.items()}


HEADINGS = ("Player", "Elo", "Interval", "Games", "Score", "W–D–L", "s/game")


def rows(match: MatchReport) -> list[tuple[str, ...]]:
    """The ratings as text, one row a player, under :data:`HEADINGS`."""
    found: list[tuple[str, ...]] = []
    for rating in match.ratings:
        record = match.record(rating.name)
        interval = (
            "fixed"
            if rating.name == match.anchor
            else _signed(rating.low) + " … " + _signed(rating.high)
        )
        found.append(
            (
                rating.name,
                _signed(rating.elo),
                interval,
                str(rating.games),
                f"{rating.score / rating.games:.1%}",
                str(record),
                f"{match.seconds[rating.name]:.2f}",
            )
        )
    return found


def _signed(elo: float) -> str:
    """A rating with its sign; nothing is −0."""
    return f"{round(elo):+d}".replace("-", "−") if round(elo) else "0"


def terminal_tables(match: MatchReport) -> list[Table]:
    """The ratings, and the crosstable where more than two played."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    ratings = Table(title=Text(match.title), box=box.SIMPLE_HEAD, title_justify="left")
    for heading in HEADINGS:
        ratings.add_column(heading, justify="left" if heading == "Player" else "right")
    for row in rows(match):
        ratings.add_row(*map(Text, row))
    if len(match.ratings) < 3:
        return [ratings]
    cross = Table(title="Points of the row's player", box=box.SIMPLE_HEAD, title_justify="left")
    cross.add_column("")
    for rating in match.ratings:
        cross.add_column(Text(rating.name), justify="right")
    for name, *cells in crosstable(match):
        cross.add_row(Text(name), *cells)
    return [ratings, cross]


def crosstable(match: MatchReport) -> list[tuple[str, ...]]:
    """One row a player: its name and its points against each, in the order of the ratings."""
    names = [rating.name for rating in match.ratings]
    found: list[tuple[str, ...]] = []
    for name in names:
        cells = [name]
        for other in names:
            record = match.records.get((name, other))
            cells.append("" if record is None else f"{record.points:g}/{record.games}")
        found.append(tuple(cells))
    return found


def csv_table(match: MatchReport) -> str:
    """The ratings as CSV, in full precision."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        ["player", "elo", "low", "high", "games", "score", "won", "drawn", "lost", "seconds"]
    )
    for rating in match.ratings:
        record = match.record(rating.name)
        writer.writerow(
            [
                rating.name,
                f"{rating.elo:.2f}",
                f"{rating.low:.2f}",
                f"{rating.high:.2f}",
                rating.games,
                f"{rating.score / rating.games:.4f}",
                record.won,
                record.drawn,
                record.lost,
                f"{match.seconds[rating.name]:.3f}",
            ]
        )
    return out.getvalue()


def markdown_table(headings: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """A table as Markdown; the first column to the left, the others to the right."""
    lines = [
        "| " + " | ".join(headings) + " |",
        "|---|" + "---:|" * (len(headings) - 1),
    ]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in body]
    return "\n".join(lines)


_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
       color: #222; background: #fff; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { padding: .3rem .7rem; text-align: right; border-bottom: 1px solid #ddd; }
th:first-child, td:first-child { text-align: left; }
svg { max-width: 100%; height: auto; }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818; }
  th, td { border-color: #444; } svg { background: #fff; } }
"""


def html_page(match: MatchReport, plot: str | None = None, remarks: Sequence[str] = ()) -> str:
    """One page that loads nothing; ``plot`` is an SVG."""
    names = [rating.name for rating in match.ratings]
    parts = [
        "<!doctype html><html lang='en'><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width, initial-scale=1'>",
        f"<title>{escape(match.title)}</title><style>{_STYLE}</style>",
        f"<h1>{escape(match.title)}</h1>",
        *(f"<p>{escape(remark)}</p>" for remark in remarks),
        _html_table(HEADINGS, rows(match)),
        plot or "",
    ]
    if len(names) > 2:
        parts += [
            "<h2>Points of the row's player</h2>",
            _html_table(("", *names), crosstable(match)),
        ]
    parts += [f"<p>{escape(note)}</p>" for note in match.notes()]
    return "\n".join(parts) + "\n</html>\n"


def _html_table(headings: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    lines = ["<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in body]
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
