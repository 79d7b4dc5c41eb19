"""Commands that play: moves, taking back, finding a move, showing the board."""

from __future__ import annotations

from typing import Any

from honte.errors import HonteError
from honte.games.go import BLACK, GoState, format_vertex
from honte.players.player import Choice
from honte.protocols.gtp.commands import Arguments, colour_name, command
from honte.protocols.gtp.engine import Engine


@command("play")
def play(engine: Engine, arguments: Arguments) -> str:
    """``colour vertex``: the same colour may move twice."""
    colour = arguments.colour()
    action = arguments.vertex(engine.game.state)
    arguments.end()
    engine.play(colour, action)
    return ""


@command("undo", "gg-undo")
def undo(engine: Engine, arguments: Arguments) -> str:
    """Take back one move, or as many as given; handicap stays."""
    count = arguments.integer("a number of moves", 1) if arguments.left else 1
    arguments.end()
    if count > len(engine.game.steps):
        raise HonteError("cannot undo")
    for _ in range(count):
        engine.game.undo()
    engine.player.stop_pondering()
    return ""


def choose(engine: Engine, colour: int, **options: Any) -> Choice:
    """Find a move for a colour under its clock."""
    engine.player.reconfigure(config=engine.parameters.play_config())
    return engine.player.choose(engine.game, colour, engine.clocks[colour].read(), **options)


def commit(engine: Engine, colour: int, choice: Choice) -> str:
    """Play the choice, count its time, start pondering. What to answer."""
    engine.clocks[colour].spend(choice.seconds + engine.player.settings.lag)
    if choice.action is None:
        return "resign"
    engine.play(colour, choice.action)
    engine.player.ponder(engine.game)
    return spoken(engine, choice)


def spoken(engine: Engine, choice: Choice) -> str:
    """The choice as GTP says it."""
    if choice.action is None:
        return "resign"
    state = engine.game.state
    return format_vertex(choice.action, state.width, state.height)


def colour_to_move(engine: Engine, arguments: Arguments) -> int:
    """The colour given, or whose turn it is."""
    colour = arguments.optional_colour()
    return colour if colour is not None else engine.game.state.to_play


@command("genmove")
def genmove(engine: Engine, arguments: Arguments) -> str:
    """Find a move for a colour and play it: a vertex, ``pass`` or ``resign``."""
    colour = arguments.colour()
    arguments.end()
    return commit(engine, colour, choose(engine, colour))


@command("kgs-genmove_cleanup")
def genmove_cleanup(engine: Engine, arguments: Arguments) -> str:
    """As ``genmove``, but without a pass while dead stones of the opponent are on the board."""
    colour = arguments.colour()
    arguments.end()
    game = engine.game
    if game.state.passes_in_a_row >= 2:
        game.resume(colour)
    dead = engine.counter.dead_stones(game.state)
    board = game.state.board().ravel()
    opponent_mark = 2 if colour == BLACK else 1
    if not any(board[point] == opponent_mark for point in dead):
        return commit(engine, colour, choose(engine, colour, may_resign=False))
    state = game.state_for(colour)
    pass_action = state.width * state.height
    moves = [action for action in state.legal_actions() if action != pass_action]
    options = {"allowed_actions": moves} if moves else {}
    return commit(engine, colour, choose(engine, colour, may_resign=False, **options))


@command("reg_genmove")
def reg_genmove(engine: Engine, arguments: Arguments) -> str:
    """The move for a colour, always the same in the same position, without playing it."""
    colour = arguments.colour()
    arguments.end()
    action = engine.player.fresh_choice(engine.game, colour)
    state = engine.game.state
    return format_vertex(action, state.width, state.height)


@command("kata-search")
def kata_search(engine: Engine, arguments: Arguments) -> str:
    """As ``genmove``, without playing."""
    colour = colour_to_move(engine, arguments)
    arguments.end()
    return spoken(engine, choose(engine, colour))


@command("kata-search_cancellable")
def kata_search_cancellable(engine: Engine, arguments: Arguments) -> str:
    """As ``kata-search``; any input cancels it."""
    colour = colour_to_move(engine, arguments)
    arguments.end()
    with engine.interruptible() as interruption:
        choice = choose(engine, colour, interruption=interruption)
    return "cancelled" if choice.interrupted else spoken(engine, choice)


@command("showboard")
def showboard(engine: Engine, arguments: Arguments) -> str:
    """The board, whose turn it is, komi and rules, for people."""
    return draw_board(engine.game.state)


def draw_board(state: GoState) -> str:
    """A board of X and O with its coordinates and the facts of the position."""
    board = state.board()
    width, height = state.width, state.height
    columns = [format_vertex(x, width, height).rstrip("0123456789") for x in range(width)]
    wide = max(len(column) for column in columns)
    header = "   " + " ".join(column.rjust(wide) for column in columns)
    lines = [
        f"MoveNum: {state.move_number}  Rules: {state.rules.name or state.rules.to_json()}",
        header,
    ]
    last = state.last_action
    for y in range(height):
        cells = []
        for x in range(width):
            mark = ".XO"[int(board[y, x])]
            cells.append(mark.rjust(wide) + ("*" if last == y * width + x else " "))
        lines.append(f"{height - y:2d} {''.join(cells).rstrip()}")
    lines.append(f"Next player: {colour_name(state.to_play).capitalize()}")
    lines.append(f"Komi: {state.komi:g}  Handicap: {state.handicap}")
    return "\n".join(lines)
