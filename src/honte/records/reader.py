"""Reading records: which format a file is in, and its games."""

from __future__ import annotations

import re
from pathlib import Path

from honte.records import files, gib, ngf
from honte.records.encoding import decode
from honte.records.findings import Finding, RecordError, RecordWarning
from honte.records.record import GameRecord
from honte.records.scanner import scan
from honte.records.tree import Context

# A root that says so at once need not be read to know that its game is Go.
_PLAINLY_GO = re.compile(r"\s*;\s*(?:(?:FF|CA|AP)\[[^\]\\]*\]\s*)*GM\[1\]")


def load(path: str | Path) -> GameRecord:
    """The first game of a file: SGF, GIB or NGF, plain or packed with gzip or xz.

    Where there are more games, or anything odd, ``record.warnings`` says so.
    Raises :class:`RecordError` where there is no Go game to read.
    """
    return _first(load_collection(path))


def load_collection(path: str | Path) -> list[GameRecord]:
    """All games of a file, in their order; at least one.

    Raises :class:`RecordError` where there is no Go game to read.
    """
    path = Path(path)
    try:
        return loads_collection(files.read_bytes(path))
    except RecordError as error:
        if str(path) in str(error):
            raise
        raise RecordError(f"{path}: {error}") from error


def loads(content: str | bytes) -> GameRecord:
    """The first game of a text; as :func:`load`. For text a declared encoding is ignored."""
    return _first(loads_collection(content))


def loads_collection(content: str | bytes) -> list[GameRecord]:
    """All games of a text, in their order; as :func:`load_collection`."""
    warnings: list[RecordWarning] = []
    encoding = "utf-8"
    if isinstance(content, bytes):
        text, encoding, warnings = decode(files.unpack(content))
    else:
        text = content.removeprefix("\ufeff")
    if gib.looks_like(text):
        games = [gib.read(text)]
    elif ngf.looks_like(text):
        games = [ngf.read(text)]
    else:
        games = _read_sgf(text)
    for game in games:
        game.encoding = encoding
        game._context.warnings[:0] = warnings
    return games


def _first(games: list[GameRecord]) -> GameRecord:
    if len(games) > 1:
        games[0]._context.warn(
            Finding.MORE_GAMES, f"The file holds {len(games)} games; this is the first."
        )
    return games[0]


def _read_sgf(text: str) -> list[GameRecord]:
    shape, scanned, around = scan(text)
    if not scanned:
        raise RecordError("No game record was found: an SGF game starts with '(;'.")
    games: list[GameRecord] = []
    refusal: RecordError | None = None
    for game in scanned:
        context = Context(text, shape)
        for kind, message in game.oddities:
            context.warn(kind, message)
        record = GameRecord.of_branch(context, game.branch)
        if not _PLAINLY_GO.match(text, shape.start[game.branch]):
            try:
                _ = record.root
            except RecordError as error:
                refusal = refusal or error
                around.append((Finding.NOT_GO, f"A game of the file was left out: {error}"))
                continue
        games.append(record)
    if refusal is not None and not games:
        raise refusal
    for kind, message in around:
        games[0]._context.warn(kind, message)
    return games
