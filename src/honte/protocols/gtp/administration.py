"""Commands about the engine itself."""

from __future__ import annotations

import honte
from honte.protocols.gtp.commands import COMMANDS, Arguments, command
from honte.protocols.gtp.engine import Engine


@command("protocol_version")
def protocol_version(engine: Engine, arguments: Arguments) -> str:
    """The version of GTP."""
    return "2"


@command("name")
def name(engine: Engine, arguments: Arguments) -> str:
    """The engine's name."""
    return "honte"


@command("version")
def version(engine: Engine, arguments: Arguments) -> str:
    """The engine's version."""
    return honte.__version__


@command("known_command")
def known_command(engine: Engine, arguments: Arguments) -> str:
    """Whether a command exists."""
    word = arguments.word("a command") if arguments.left else ""
    return "true" if COMMANDS.get(word) is not None else "false"


@command("list_commands")
def list_commands(engine: Engine, arguments: Arguments) -> str:
    """Every command, one a line."""
    return "\n".join(COMMANDS.names())


@command("quit")
def quit_session(engine: Engine, arguments: Arguments) -> str:
    """End the session."""
    engine.finished = True
    return ""


@command("stop")
def stop(engine: Engine, arguments: Arguments) -> str:
    """Stop pondering."""
    engine.player.stop_pondering()
    return ""


@command("clear_cache")
def clear_cache(engine: Engine, arguments: Arguments) -> str:
    """Forget the tree and the network's answers."""
    engine.player.forget()
    clear = getattr(engine.player.evaluator, "clear_cache", None)
    if callable(clear):
        clear()
    return ""


@command("cputime", "gomill-cpu_time")
def cputime(engine: Engine, arguments: Arguments) -> str:
    """Seconds spent on finding moves so far."""
    return f"{engine.player.thinking_seconds:.3f}"


@command("gogui-interrupt")
def gogui_interrupt(engine: Engine, arguments: Arguments) -> str:
    """That it is known tells GoGui that the comment line ``# interrupt`` ends a search."""
    return ""


@command("gogui-analyze_commands")
def gogui_analyze_commands(engine: Engine, arguments: Arguments) -> str:
    """What GoGui may offer in its menu of analysis commands."""
    return "\n".join(
        [
            "string/Final Score/final_score",
            "plist/Final Status List Alive/final_status_list alive",
            "plist/Final Status List Dead/final_status_list dead",
            "plist/Final Status List Seki/final_status_list seki",
            "string/Raw Network/kata-raw-nn all",
            "string/Rules/kata-get-rules",
            "string/Search Parameters/kata-get-params",
            "move/Reg GenMove/reg_genmove %c",
            "none/Clear Cache/clear_cache",
        ]
    )
