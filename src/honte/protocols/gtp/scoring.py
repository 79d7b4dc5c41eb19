"""Commands about the end of a game."""

from __future__ import annotations

from honte.errors import HonteError
from honte.games.go import format_vertex
from honte.protocols.gtp.commands import Arguments, command
from honte.protocols.gtp.engine import Engine


def format_score(score: float) -> str:
    """A score, white minus black, as GTP and SGF write a result."""
    if score == 0:
        return "0"
    return f"{'W' if score > 0 else 'B'}+{abs(score):g}"


@command("final_score")
def final_score(engine: Engine, arguments: Arguments) -> str:
    """The result of the game as it stands, dead stones counted as the rules want it."""
    arguments.end()
    return format_score(engine.counter.final_score(engine.game.state))


@command("final_status_list")
def final_status_list(engine: Engine, arguments: Arguments) -> str:
    """``alive``, ``seki`` or ``dead``: the strings of that status, one a line."""
    status = arguments.word("alive, seki or dead").lower()
    arguments.end()
    if status not in ("alive", "seki", "dead"):
        raise HonteError("syntax error: final_status_list needs alive, seki or dead")
    state = engine.game.state
    strings = engine.counter.strings_by_status(state)[status]
    return "\n".join(
        " ".join(format_vertex(point, state.width, state.height) for point in string)
        for string in strings
    )
