"""Commands about time."""

from __future__ import annotations

from honte.errors import HonteError
from honte.players.clock import Absolute, ByoYomi, Canadian, Fischer, NoLimit, TimeSystem
from honte.protocols.gtp.commands import Arguments, command
from honte.protocols.gtp.engine import Engine

MOST_STONES = 1_000_000_000


@command("time_settings")
def time_settings(engine: Engine, arguments: Arguments) -> str:
    """``main period stones``: Canadian; ``m 0 0`` is absolute, ``0 b 0`` no limit."""
    main = arguments.number("main time")
    period = arguments.number("the period")
    stones = arguments.integer("stones", 0, MOST_STONES)
    arguments.end()
    if period > 0 and stones == 0:
        # The specification's way to say that there is no limit.
        system: TimeSystem = NoLimit()
        _ = Canadian(main, period, 1)
    elif stones == 0 or period == 0:
        system = Absolute(main)
        _ = Canadian(main, period, 1)
    else:
        system = Canadian(main, period, stones)
    engine.set_clocks(system)
    return ""


@command("kata-list_time_settings")
def list_time_settings(engine: Engine, arguments: Arguments) -> str:
    """The kinds that ``kata-time_settings`` knows."""
    return "none absolute byoyomi canadian fischer fischer-capped"


@command("kgs-time_settings")
def kgs_time_settings(engine: Engine, arguments: Arguments) -> str:
    """``none``, ``absolute m``, ``byoyomi m p n`` or ``canadian m p n``."""
    engine.set_clocks(_read_system(arguments, with_fischer=False))
    return ""


@command("kata-time_settings")
def kata_time_settings(engine: Engine, arguments: Arguments) -> str:
    """As ``kgs-time_settings``, and ``fischer m i`` and ``fischer-capped m i limit move``."""
    engine.set_clocks(_read_system(arguments, with_fischer=True))
    return ""


def _read_system(arguments: Arguments, *, with_fischer: bool) -> TimeSystem:
    kind = arguments.word("a kind of time").lower()
    system: TimeSystem
    match kind:
        case "none":
            system = NoLimit()
        case "absolute":
            system = Absolute(arguments.number("main time"))
        case "canadian":
            main = arguments.number("main time")
            period = arguments.number("the period")
            system = Canadian(main, period, arguments.integer("stones", 1, MOST_STONES))
        case "byoyomi" | "byo-yomi":
            main = arguments.number("main time")
            period = arguments.number("the period")
            system = ByoYomi(main, period, arguments.integer("periods", 1, MOST_STONES))
        case "fischer" if with_fischer:
            main = arguments.number("main time")
            system = Fischer(main, arguments.number("the increment"))
        case "fischer-capped" if with_fischer:
            main = arguments.number("main time")
            increment = arguments.number("the increment")
            main_limit = arguments.number("the limit of main time")
            move_limit = arguments.number("the limit of a move")
            system = Fischer(
                main,
                increment,
                main_limit if main_limit >= 0 else None,
                move_limit if move_limit >= 0 else None,
            )
        case _:
            raise HonteError(f"syntax error: unknown kind of time '{kind[:40]}'")
    arguments.end()
    return system


@command("time_left")
def time_left(engine: Engine, arguments: Arguments) -> str:
    """``colour seconds moves``: overrides what the clock says."""
    colour = arguments.colour()
    seconds = arguments.number("the time left")
    moves = arguments.integer("the moves left", 0)
    arguments.end()
    engine.clocks[colour].report(seconds, moves)
    return ""
