"""Positions with known answers: Go from SGF, small games from TOML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from honte import records
from honte.errors import HonteError
from honte.games.go import format_vertex
from honte.lab.board_games import GameSpec
from honte.records import GameRecord, Node
from honte.toml_files import read_toml

_RIGHT = "RIGHT"


@dataclass(frozen=True)
class Problem:
    """A position in which some moves are right and all others wrong."""

    name: str
    state: Any
    """The position, its player to move."""
    answers: frozenset[int]
    """The right actions."""
    shown: str
    """The answers for people."""


def read_problems(paths: Sequence[Path]) -> list[Problem]:
    """The problems of SGF and TOML files, and of all such files in folders.

    Raises HonteError that names the file and the problem at fault.
    """
    problems = [problem for path in paths for file in _files(path) for problem in _read(file)]
    if not problems:
        raise HonteError(f"There is no problem in {', '.join(map(str, paths))}.")
    return problems


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    return sorted(file for file in path.rglob("*") if file.suffix in (".sgf", ".toml"))


def _read(path: Path) -> Iterator[Problem]:
    if path.suffix == ".toml":
        yield from _read_toml(path)
        return
    games = list(records.load_collection(path))
    for number, record in enumerate(games, 1):
        place = str(path) if len(games) == 1 else f"game {number} of {path}"
        name = record.root.get("GN") or (path.stem if len(games) == 1 else f"{path.stem} {number}")
        yield problem_of_record(record, name, place)


def problem_of_record(record: GameRecord, name: str, place: str) -> Problem:
    """A Go problem: its position is the root's, its right moves are the root's children.

    Where any variation says which are right, only those are: a move with TE (a good move), or one
    below which a comment says RIGHT, as collections on the web do. Raises HonteError where no
    move is.
    """
    state = record.state_at(0)
    moves = {node: node.move for node in record.root.children if node.move is not None}
    marked = [node for node in moves if _is_right(node)]
    right = [moves[node] for node in marked or moves]
    for player, action in right:
        if player != state.to_play:
            state = state.with_to_play(player)
        if action not in state.legal_actions():
            raise HonteError(f"In {place} the answer is not legal.")
    if not right:
        raise HonteError(f"{place} holds no answer: add the right moves as variations.")
    actions = frozenset(action for _, action in right)
    shown = " or ".join(format_vertex(a, state.width, state.height) for a in sorted(actions))
    return Problem(name, state, actions, shown)


def _is_right(node: Node) -> bool:
    return "TE" in node or any(_RIGHT in below.comment for below in node.walk())


def _read_toml(path: Path) -> Iterator[Problem]:
    """``[[problem]]`` tables with name, game (a table), moves and answers, as people write them:
    vertices of Go, columns of Connect Four counted from 1, otherwise cells counted from 0."""
    data = read_toml(path)
    for number, table in enumerate(data.get("problem", []), 1):
        try:
            yield _problem_of_table(table, number)
        except HonteError as error:
            raise HonteError(f"In problem {number} of {path}: {error}") from None


def _problem_of_table(table: dict[str, Any], number: int) -> Problem:
    unknown = set(table) - {"name", "game", "moves", "answers"}
    if unknown:
        raise HonteError(f"{', '.join(sorted(unknown))} means nothing here.")
    game = GameSpec(**table.get("game", {}))
    state = game.new_initial_state()
    for text in str(table.get("moves", "")).split():
        action = game.parse_action(text)
        if state.is_terminal() or action not in state.legal_actions():
            raise HonteError(f"the move {text} is not legal.")
        state.apply_action(action)
    answers = str(table.get("answers", "")).split()
    actions = frozenset(game.parse_action(text) for text in answers)
    if not actions or not actions <= set(state.legal_actions()):
        raise HonteError(f"the answers {' '.join(answers)!r} are no legal moves.")
    return Problem(
        str(table.get("name", f"problem {number}")), state, actions, " or ".join(answers)
    )
