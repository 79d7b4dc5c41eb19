"""One SQLite file a match: players, openings, and every game, each written in one transaction.

The process can be killed at any moment: a game is in the file whole or not at all, and no game is
there twice, because its players, its opening and its sides identify it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from honte.errors import HonteError
from honte.lab.board_games import GameSpec
from honte.lab.fingerprints import Fingerprint, fingerprint, networks_of
from honte.lab.openings import Opening
from honte.lab.specs import MatchSpec, PlayerSpec

APPLICATION = 0x686F6E74  # "hont"
VERSION = 1

_SCHEMA = """
CREATE TABLE study (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE players (name TEXT PRIMARY KEY, spec TEXT NOT NULL);
CREATE TABLE openings (
  number INTEGER PRIMARY KEY, actions TEXT NOT NULL, value REAL NOT NULL);
CREATE TABLE games (
  id INTEGER PRIMARY KEY,
  first TEXT NOT NULL REFERENCES players (name),
  second TEXT NOT NULL REFERENCES players (name),
  opening INTEGER NOT NULL REFERENCES openings (number),
  actions TEXT NOT NULL,
  ending TEXT NOT NULL,
  result REAL NOT NULL,
  margin REAL,
  note TEXT NOT NULL,
  agreed TEXT,
  seconds_first REAL NOT NULL,
  seconds_second REAL NOT NULL,
  finished TEXT NOT NULL,
  UNIQUE (first, second, opening));
"""


class Ending(Enum):
    """How a game of a match ended."""

    RULES = "rules"
    """By the rules of the game; a game of Go was counted."""
    AGREED = "agreed"
    """Both players' searches said the same; see :class:`honte.lab.specs.AgreedEnd`."""
    RESIGNED = "resigned"
    """An engine resigned."""
    LENGTH = "length"
    """The longest length was reached: Go counts the board as it stands, other games are drawn."""
    FORFEIT = "forfeit"
    """A player failed: no answer in time, the end of its process, an illegal move or nonsense. It
    loses."""
    NO_RESULT = "no result"
    """Void by the rules; counts as a draw."""


@dataclass(frozen=True, slots=True)
class Fixture:
    """A game to be played: ``first`` makes the first move of the game, the opening included."""

    first: str
    second: str
    opening: int


@dataclass(frozen=True, slots=True)
class GameRow:
    """A finished game."""

    fixture: Fixture
    actions: tuple[int, ...]
    """All moves, the opening's included."""
    ending: Ending
    result: float
    """For ``first``: 1 won, 0.5 drawn, 0 lost."""
    margin: float | None
    """Points by which ``first`` is ahead, where the board was counted."""
    note: str = ""
    """What went wrong, with the last lines of the engine's log."""
    agreed: tuple[float, int] | None = None
    """(result for ``first`` on which both would have agreed, after how many moves), in a game that
    was played on to check the agreement."""
    seconds: tuple[float, float] = (0.0, 0.0)
    """Thinking time of first and second."""
    number: int | None = None
    """Its row."""
    finished: str = ""
    """When, in UTC."""


class Store:
    """The file of a match. Raises HonteError where it cannot be opened, is no such file, or holds
    another match."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        try:
            self._connection = sqlite3.connect(path, timeout=30.0, isolation_level=None)
            self._set_up()
        except sqlite3.Error as error:
            raise HonteError(f"{path} cannot be used as the store of a match: {error}.") from None

    def _set_up(self) -> None:
        connection = self._connection
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if tables and application != APPLICATION:
            raise HonteError(f"{self.path} is a database of something else; name another file.")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        with self._transaction():
            # Somebody else may have made the tables since the look above.
            if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                for statement in _SCHEMA.split(";"):
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {APPLICATION}")
                connection.execute(f"PRAGMA user_version = {VERSION}")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version != VERSION:
            raise HonteError(
                f"{self.path} is a store of version {version}; this honte reads {VERSION}."
            )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def begin(self, game: GameSpec, match: MatchSpec, players: Sequence[PlayerSpec]) -> None:
        """Say what is played, or hold it against what was said before. New players may join.

        A network is held to what is in its file, so that a table does not mix two of one name.
        Raises HonteError that names the difference.
        """
        names = [player.name for player in players]
        for name in names:
            if names.count(name) > 1:
                raise HonteError(f"Two players are called {name!r}: give each a name of its own.")
        with self._transaction():
            self._hold("study", "game", game)
            self._hold("study", "match", match)
            for network in networks_of(match, players):
                found = fingerprint(network)
                if found is not None:
                    self._hold("study", _of_network(network), found)
            for player in players:
                self._hold("players", player.name, player)

    def _hold(self, table: str, name: str, value: BaseModel) -> None:
        column = "value" if table == "study" else "spec"
        row = self._connection.execute(
            f"SELECT {column} FROM {table} WHERE name = ?", (name,)
        ).fetchone()
        if row is None:
            text = value.model_dump_json()
            self._connection.execute(f"INSERT INTO {table} VALUES (?, ?)", (name, text))
            return
        held = _as_now(type(value), row[0])
        new = value.model_dump(mode="json")
        if held != new:
            what = f"another {name}" if table == "study" else f"another player {name!r}"
            raise HonteError(
                f"{self.path} holds {what}: {_difference(held, new)}. "
                "Go on with what it holds, or name another file."
            )

    def game(self) -> GameSpec:
        """What is played. Raises HonteError where nothing has begun."""
        return GameSpec(**json.loads(self._study("game")))

    def match(self) -> MatchSpec:
        """How it is played."""
        return MatchSpec(**json.loads(self._study("match")))

    def _study(self, name: str) -> str:
        row = self._connection.execute("SELECT value FROM study WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise HonteError(f"{self.path} holds no match yet.")
        return str(row[0])

    def network(self, name: str) -> Fingerprint | None:
        """What was in a network's file when the match began; None where nobody played by it."""
        noted = self.noted(_of_network(name))
        return None if noted is None else Fingerprint(**json.loads(noted))

    def note(self, name: str, value: str) -> None:
        """Keep a remark beside the games: the machine, the command."""
        with self._transaction():
            self._connection.execute("INSERT OR REPLACE INTO study VALUES (?, ?)", (name, value))

    def noted(self, name: str) -> str | None:
        """A remark kept by :meth:`note`."""
        row = self._connection.execute("SELECT value FROM study WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def player_names(self) -> list[str]:
        """In the order in which they joined."""
        return [
            row[0] for row in self._connection.execute("SELECT name FROM players ORDER BY rowid")
        ]

    def player(self, name: str) -> dict[str, Any]:
        """A player's specification as JSON. Raises HonteError for a name that is not there."""
        row = self._connection.execute(
            "SELECT spec FROM players WHERE name = ?", (name,)
        ).fetchone()
        if row is None:
            raise HonteError(f"{self.path} has no player {name!r}.")
        spec: dict[str, Any] = json.loads(row[0])
        return spec

    def openings(self) -> dict[int, Opening]:
        """Those made so far, by number."""
        return {
            number: Opening(number, tuple(json.loads(actions)), value)
            for number, actions, value in self._connection.execute("SELECT * FROM openings")
        }

    def add_openings(self, openings: Sequence[Opening]) -> None:
        """Keep openings; a number that is there stays as it is."""
        with self._transaction():
            self._connection.executemany(
                "INSERT OR IGNORE INTO openings VALUES (?, ?, ?)",
                [(o.number, json.dumps(o.actions), o.value) for o in openings],
            )

    def add(self, game: GameRow) -> GameRow | None:
        """Keep a finished game; with its row's number and date, or None if this fixture was there
        already, which then stays."""
        fixture = game.fixture
        finished = datetime.now(UTC).isoformat(timespec="seconds")
        with self._transaction():
            cursor = self._connection.execute(
                "INSERT OR IGNORE INTO games (first, second, opening, actions, ending, result, "
                "margin, note, agreed, seconds_first, seconds_second, finished) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    fixture.first,
                    fixture.second,
                    fixture.opening,
                    json.dumps(game.actions),
                    game.ending.value,
                    game.result,
                    game.margin,
                    game.note,
                    None if game.agreed is None else json.dumps(game.agreed),
                    *game.seconds,
                    finished,
                ),
            )
        if cursor.rowcount != 1:
            return None
        return replace(game, number=cursor.lastrowid, finished=finished)

    def games(self) -> list[GameRow]:
        """All finished games, the oldest first."""
        return [_game(row) for row in self._connection.execute(f"{_SELECT_GAMES} ORDER BY id")]

    def one_game(self, number: int) -> GameRow:
        """A game by its row. Raises HonteError for a number that is not there."""
        row = self._connection.execute(f"{_SELECT_GAMES} WHERE id = ?", (number,)).fetchone()
        if row is None:
            raise HonteError(f"{self.path} has no game {number}.")
        return _game(row)

    def played(self) -> set[Fixture]:
        """The fixtures that are done."""
        return {
            Fixture(*row)
            for row in self._connection.execute("SELECT first, second, opening FROM games")
        }


_SELECT_GAMES = (
    "SELECT id, first, second, opening, actions, ending, result, margin, note, agreed, "
    "seconds_first, seconds_second, finished FROM games"
)


def _game(row: Sequence[Any]) -> GameRow:
    agreed = None if row[9] is None else json.loads(row[9])
    return GameRow(
        fixture=Fixture(row[1], row[2], row[3]),
        actions=tuple(json.loads(row[4])),
        ending=Ending(row[5]),
        result=row[6],
        margin=row[7],
        note=row[8],
        agreed=None if agreed is None else (float(agreed[0]), int(agreed[1])),
        seconds=(row[10], row[11]),
        number=row[0],
        finished=row[12],
    )


def _of_network(name: str) -> str:
    return f"network {name}"


def _as_now(kind: type[BaseModel], text: str) -> Any:
    """What an earlier honte wrote, with the fields that have come since at their defaults."""
    written = json.loads(text)
    try:
        return kind(**written).model_dump(mode="json")
    except HonteError:
        return written


def _difference(old: Any, new: Any, place: str = "") -> str:
    """The first place where two JSON values differ, in words."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in sorted({*old, *new}):
            if old.get(key) != new.get(key):
                below = f"{place}.{key}" if place else str(key)
                return _difference(old.get(key), new.get(key), below)
    return f"{place or 'it'} was {old!r} and is now {new!r}"
