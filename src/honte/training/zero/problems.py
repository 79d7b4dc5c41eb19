"""Positions whose best moves are known: how a run measures itself against the truth."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from honte.errors import HonteError
from honte.evaluation import Evaluator
from honte.search import Budget, Search, SearchConfig, SearchResult, run_stream
from honte.training.zero.game import ZeroGame


@dataclass(frozen=True, slots=True)
class KnownPosition:
    """A position, and the actions that keep its value."""

    state: Any
    right: frozenset[int]


def read_known_positions(path: Path, game: ZeroGame) -> list[KnownPosition]:
    """The rows of a CSV file with the columns ``moves`` and ``right``, both of actions.

    Further columns are left alone. Raises HonteError that names the file and the line at fault.
    """
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise HonteError(f"Cannot read the positions in {path}: {error}.") from None
    if not rows or not {"moves", "right"} <= set(rows[0]):
        raise HonteError(f"{path} holds no positions: it needs the columns moves and right.")
    found = []
    for line, row in enumerate(rows, 2):
        try:
            found.append(_position(row, game))
        except (ValueError, AttributeError) as error:
            raise HonteError(f"Line {line} of {path} is no position: {error}.") from None
    return found


def _position(row: dict[str, str], game: ZeroGame) -> KnownPosition:
    state = game.new_state()
    for action in map(int, row["moves"].split()):
        if state.is_terminal() or action not in state.legal_actions():
            raise ValueError(f"the move {action} is not legal")
        state.apply_action(action)
    right = frozenset(map(int, row["right"].split()))
    if state.is_terminal() or not right or not right <= set(state.legal_actions()):
        raise ValueError(f"the right moves {row['right']!r} are not legal")
    return KnownPosition(state, right)


def share_right(
    positions: Sequence[KnownPosition],
    config: SearchConfig,
    evaluator: Evaluator,
    visits: int,
    seed: int = 0,
) -> tuple[float, float]:
    """In which share of the positions the raw policy's first move, and the search's after so many
    visits, is right."""
    right = [0, 0]
    place_of: dict[int, KnownPosition] = {}

    def count(search: Search, result: SearchResult) -> None:
        position = place_of[id(search)]
        right[0] += int(result.prior.argmax()) in position.right
        right[1] += result.action in position.right

    entries = []
    for number, position in enumerate(positions):
        search = Search(position.state, config, evaluator, seed=seed + number)
        place_of[id(search)] = position
        entries.append((search, Budget(visits=visits)))
    run_stream(entries, count)
    return right[0] / len(positions), right[1] / len(positions)
