"""Matches between two GTP engines: every game as SGF, every result in a database."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from honte.errors import HonteError
from honte.games.go import Go, GoState, IllegalMove, Rules, format_vertex, parse_vertex
from honte.lab.gtp_client import EngineFailure, GtpClient
from honte.lab.statistics import elo_difference, wilson_interval
from honte.records import GameRecord, Result

SEED = "{seed}"
"""In an engine's command this stands for the number of the game, so that games differ."""


@dataclass(frozen=True, slots=True)
class MatchOptions:
    """Who plays, what, and where it is kept."""

    engines: tuple[str, str]
    """Two command lines; ``{seed}`` in them becomes the number of the game."""
    names: tuple[str, str]
    """What they are called in the results."""
    folder: Path
    games: int = 100
    size: int = 19
    komi: float = 7.5
    rules: Rules = field(default_factory=lambda: Rules.named("chinese"))
    parallel: int = 1
    """Games at once."""
    timeout: float = 600.0
    """Seconds an engine may take for an answer."""

    def __post_init__(self) -> None:
        if self.games < 1 or self.parallel < 1:
            raise HonteError("A match has at least 1 game, and at least 1 at once.")
        if self.names[0] == self.names[1]:
            raise HonteError(f"Both engines are called {self.names[0]}: give them two names.")


@dataclass(frozen=True, slots=True)
class GameResult:
    """One game of a match. Engine 0 plays Black in the even games."""

    number: int
    black: int
    """Which engine played Black: 0 or 1."""
    winner: int | None
    """Which engine won; None: a draw, or no result."""
    result: str
    """As SGF writes it, from Black's and White's side."""
    how: str
    """How the game ended, in words."""
    moves: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a match stands, from the first engine's side."""

    wins: int
    losses: int
    draws: int
    """Draws and games without result."""

    @property
    def games(self) -> int:
        """Games played."""
        return self.wins + self.losses + self.draws

    @property
    def rate(self) -> float:
        """Wins, draws counted half, over games."""
        return (self.wins + 0.5 * self.draws) / max(1, self.games)

    def __str__(self) -> str:
        low, high = wilson_interval(self.wins + 0.5 * self.draws, self.games)
        draws = f" ={self.draws}" if self.draws else ""
        return (
            f"+{self.wins} −{self.losses}{draws}: {self.rate:.1%} "
            f"(95 %: {low:.1%} to {high:.1%}), {elo_difference(self.rate):+.0f} Elo"
        )


def run_match(
    options: MatchOptions, *, on_game: Callable[[GameResult, Standing], None] | None = None
) -> Standing:
    """Play the games that the folder does not hold yet, colours in turn.

    A game that an engine loses by a crash, an illegal move or silence is a loss, and says so. A
    match that was interrupted goes on. Raises HonteError if an engine cannot be started, the
    folder cannot be written, or it holds a match of others.
    """
    results = _Results(options)
    try:
        missing = [number for number in range(options.games) if number not in results.played()]
        with ThreadPoolExecutor(options.parallel) as pool:
            for played in pool.map(lambda number: play_game(options, number), missing):
                results.add(played)
                if on_game is not None:
                    on_game(played, results.standing())
        return results.standing()
    finally:
        results.close()


def play_game(options: MatchOptions, number: int) -> GameResult:
    """Play one game and write its SGF. Raises HonteError if an engine cannot be started."""
    black = number % 2
    commands = [command.replace(SEED, str(number)) for command in options.engines]
    clients: list[GtpClient] = []
    began = time.perf_counter()
    try:
        for command in commands:
            clients.append(GtpClient(command, timeout=options.timeout))
        players = (clients[black], clients[1 - black])
        record = GameRecord(options.size, komi=options.komi, rules=options.rules)
        record.root.set("PB", options.names[black])
        record.root.set("PW", options.names[1 - black])
        state = Go(options.size, komi=options.komi, rules=options.rules).new_initial_state()
        result, how = _play(players, state, record, options)
    finally:
        for client in clients:
            client.close()
    record.result = result
    games = options.folder / "games"
    games.mkdir(parents=True, exist_ok=True)
    record.save(games / f"{number:04}.sgf")
    winner = None
    if result.winner is not None:
        winner = black if result.winner == 0 else 1 - black
    return GameResult(
        number, black, winner, result.text, how, state.move_number, time.perf_counter() - began
    )


def _play(
    players: tuple[GtpClient, GtpClient],
    state: GoState,
    record: GameRecord,
    options: MatchOptions,
) -> tuple[Result, str]:
    colours = ("black", "white")
    for client in players:
        try:
            client.ask(f"boardsize {options.size}")
            client.ask("clear_board")
            client.ask(f"komi {options.komi:g}")
        except EngineFailure as error:
            return _lost(players.index(client), str(error))
    node = record.root
    limit = 3 * options.size * options.size
    while not state.is_terminal() and state.move_number < limit:
        player = state.to_play
        try:
            vertex = players[player].ask(f"genmove {colours[player]}").lower()
        except EngineFailure as error:
            return _lost(player, str(error))
        if vertex == "resign":
            result = Result.parse("WB"[player] + "+R")
            assert result is not None
            return result, "resignation"
        try:
            action = parse_vertex(vertex, state.width, state.height)
            state.play(action)
        except IllegalMove as error:
            return _lost(player, f"illegal move: {error}")
        except HonteError:
            return _lost(player, f"it answered genmove with {vertex!r}")
        node = node.add_variation((player, action))
        try:
            shown = format_vertex(action, state.width, state.height)
            players[1 - player].ask(f"play {colours[player]} {shown}")
        except EngineFailure as error:
            return _lost(1 - player, str(error))
    if not state.is_terminal():
        return Result.of_score(0.0), f"no end after {limit} moves"
    return _count(players, state)


def _lost(player: int, reason: str) -> tuple[Result, str]:
    result = Result.parse("WB"[player] + "+F")
    assert result is not None
    return result, reason


def _count(players: tuple[GtpClient, GtpClient], state: GoState) -> tuple[Result, str]:
    """The score with the stones dead that the engines call dead."""
    scores = []
    for client in players:
        try:
            listed = client.ask("final_status_list dead").split()
            dead = [parse_vertex(vertex.lower(), state.width, state.height) for vertex in listed]
            scores.append(state.score_with_dead(dead))
        except HonteError:
            continue
    if not scores:
        return Result.of_score(state.score()), "counted as it stands"
    if all(score == scores[0] for score in scores):
        return Result.of_score(scores[0]), "counted"
    if all((score > 0) == (scores[0] > 0) for score in scores):
        return Result.of_score(min(scores, key=abs)), "counted; the engines differ on the margin"
    return Result.of_score(0.0), "the engines differ on the winner"


class _Results:
    """The database of a match."""

    def __init__(self, options: MatchOptions) -> None:
        path = options.folder / "match.sqlite"
        try:
            options.folder.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path)
            self._database.execute(
                "CREATE TABLE IF NOT EXISTS match "
                "(first TEXT, second TEXT, size INTEGER, komi REAL, rules TEXT)"
            )
            self._database.execute(
                "CREATE TABLE IF NOT EXISTS games (number INTEGER PRIMARY KEY, black INTEGER, "
                "winner INTEGER, result TEXT, how TEXT, moves INTEGER, seconds REAL)"
            )
            asked = (
                *options.names, options.size, options.komi, str(options.rules.to_json()),
            )  # fmt: skip
            held = self._database.execute("SELECT * FROM match").fetchone()
            if held is None:
                self._database.execute("INSERT INTO match VALUES (?, ?, ?, ?, ?)", asked)
                self._database.commit()
            elif held != asked:
                raise HonteError(
                    f"{options.folder} holds a match of {held[0]} against {held[1]} on "
                    f"{held[2]}×{held[2]} with komi {held[3]:g}: give another folder."
                )
        except (sqlite3.Error, OSError) as error:
            raise HonteError(f"{path} cannot be used: {error}.") from None

    def played(self) -> set[int]:
        """The numbers of the games that are there."""
        return {number for (number,) in self._database.execute("SELECT number FROM games")}

    def add(self, game: GameResult) -> None:
        """Keep a game."""
        self._database.execute(
            "INSERT INTO games VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                game.number, game.black, game.winner, game.result, game.how, game.moves,
                game.seconds,
            ),
        )  # fmt: skip
        self._database.commit()

    def standing(self) -> Standing:
        """The count so far."""
        winners = [winner for (winner,) in self._database.execute("SELECT winner FROM games")]
        return Standing(winners.count(0), winners.count(1), winners.count(None))

    def close(self) -> None:
        """Close the database."""
        self._database.close()
