"""Game records over GTP."""

from __future__ import annotations

from pathlib import Path

from honte import records
from honte.errors import HonteError
from honte.games.go import GoState, Rules
from honte.players.game import Game
from honte.protocols.gtp.commands import Arguments, command, parse_integer
from honte.protocols.gtp.engine import Engine


@command("loadsgf")
def loadsgf(engine: Engine, arguments: Arguments) -> str:
    """``file [n]``: the position before move n of the main line, else at its end.

    Board size, komi and rules become those of the record, where it states them.
    """
    words = list(arguments.rest())
    number: int | None = None
    if len(words) > 1 and (number := parse_integer(words[-1])) is not None:
        words = words[:-1]
    if not words:
        raise HonteError("syntax error: loadsgf needs a file")
    if number is not None and number < 0:
        raise HonteError("cannot load file")
    try:
        record = records.load(Path(" ".join(words)))
        game = _game_of(record, number, engine.rules, engine.game.state.komi)
    except (HonteError, OSError) as error:
        engine.logger.info("%s", error)
        raise HonteError("cannot load file") from error
    engine.take_up(game)
    return ""


def _game_of(record: records.GameRecord, number: int | None, rules: Rules, komi: float) -> Game:
    """The game of a record up to before move ``number`` (1 is the first)."""
    rules = record.rules or rules
    komi = record.komi if record.komi is not None else komi
    wanted = None if number is None else max(number, 1)
    last: GoState | None = None
    for count, state in enumerate(record.states(rules=rules, komi=komi), start=1):
        last = state
        if count == wanted:
            break
    if last is None:
        raise HonteError("The record holds no position.")
    return Game.of_state(last)


@command("printsgf")
def printsgf(engine: Engine, arguments: Arguments) -> str:
    """``[file]``: the game as SGF, into a file or, without one or with ``-``, as the answer."""
    name = arguments.tail
    record = _record_of(engine)
    if name and name != "-":
        try:
            record.save(Path(name))
        except OSError as error:
            raise HonteError(f"cannot write {name}: {error.strerror}") from error
        return ""
    return record.dumps()


def _record_of(engine: Engine) -> records.GameRecord:
    game = engine.game
    initial, state = game.initial_state, game.state
    record = records.GameRecord((state.width, state.height), komi=state.komi, rules=state.rules)
    board = initial.board().ravel()
    black = [int(point) for point in (board == 1).nonzero()[0]]
    white = [int(point) for point in (board == 2).nonzero()[0]]
    node = record.root
    if black:
        node.set_points("AB", black)
    if white:
        node.set_points("AW", white)
    if (black or white) and not game.steps:
        node.set("PL", "BW"[initial.to_play])
    if state.handicap > 1:
        record.handicap = state.handicap
    for step in game.steps:
        node = node.add_variation((step.player, step.action))
    if state.is_terminal():
        # The same count as final_score, so that record and controller agree.
        record.result = records.Result.of_score(engine.counter.final_score(state))
    return record
