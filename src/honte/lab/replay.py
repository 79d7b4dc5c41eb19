"""A game of a store again, move by move: from its row alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from honte.errors import HonteError
from honte.lab.board_games import GameSpec
from honte.lab.store import Ending, GameRow, Store
from honte.records import Ending as RecordEnding
from honte.records import GameRecord, Result


def positions(game: GameSpec, row: GameRow) -> Iterator[Any]:
    """Every position of the game, the initial one first, each a state of its own.

    Raises HonteError if a move of the row is illegal, or the game ends otherwise than it says.
    """
    state = game.new_initial_state()
    yield state.clone()
    for ply, action in enumerate(row.actions, 1):
        if state.is_terminal() or action not in state.legal_actions():
            raise HonteError(
                f"Move {ply} of game {row.number}, {game.format_action(action)}, is not legal: "
                "the store is damaged."
            )
        state.apply_action(action)
        yield state.clone()
    over = state.is_terminal()
    # Go's result may rest on what the players said of dead stones; its moves do not tell that.
    wrong = over and not game.is_go and (state.returns()[0] + 1) / 2 != row.result
    if wrong or over != (row.ending in (Ending.RULES, Ending.NO_RESULT)):
        raise HonteError(
            f"Game {row.number} ends otherwise than its row says: the store is damaged."
        )


def record_of(store: Store, row: GameRow) -> GameRecord:
    """A game of Go as a record for SGF. Raises HonteError for another game."""
    game = store.game()
    if not game.is_go:
        raise HonteError(f"SGF holds games of Go, and {store.path} holds {game.name.value}.")
    go = game.go()
    record = GameRecord((go.width, go.height), komi=go.komi, rules=go.rules)
    root = record.root
    root.set("PB", row.fixture.first)
    root.set("PW", row.fixture.second)
    if row.finished:
        root.set("DT", row.finished[:10])
    root.comment = (
        f"Game {row.number} of {store.path.name}, opening {row.fixture.opening} of "
        f"{len(store.openings()[row.fixture.opening].actions)} moves. Ended by {row.ending.value}."
        + (f"\n{row.note}" if row.note else "")
    )
    record.result = _result(row)
    node = root
    for ply, action in enumerate(row.actions):
        node = node.add_variation((ply % 2, action))
    return record


def _result(row: GameRow) -> Result:
    if row.ending is Ending.NO_RESULT:
        return Result(RecordEnding.NO_RESULT)
    if row.result == 0.5:
        return Result(RecordEnding.DRAW)
    winner = 0 if row.result == 1 else 1
    if row.margin is not None:
        return Result(RecordEnding.SCORE, winner, abs(row.margin))
    if row.ending is Ending.FORFEIT:
        return Result(RecordEnding.FORFEIT, winner)
    return Result(RecordEnding.RESIGNATION, winner)
