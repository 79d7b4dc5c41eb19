"""Commands that set up a board: size, komi, rules' handicap, positions."""

from __future__ import annotations

from honte.errors import HonteError
from honte.games.go import BLACK, WHITE, format_vertex, parse_vertex
from honte.players.handicap import fixed_handicap_points
from honte.protocols.gtp.commands import (
    Arguments,
    command,
    parse_colour,
    parse_integer,
)
from honte.protocols.gtp.engine import LARGEST_KOMI, Engine

SMALLEST_SIZE, LARGEST_SIZE = 2, 25


@command("boardsize", "rectangular_boardsize")
def boardsize(engine: Engine, arguments: Arguments) -> str:
    """``N``, ``X Y`` or ``X:Y``: an empty board of this size."""
    words = list(arguments.rest())
    if len(words) == 1:
        words = words[0].split(":")
    sizes = [size for word in words if (size := parse_integer(word)) is not None]
    if len(sizes) != len(words) or len(sizes) not in (1, 2):
        raise HonteError("syntax error: boardsize needs N, X Y or X:Y")
    width, height = sizes[0], sizes[-1]
    if not all(SMALLEST_SIZE <= size <= LARGEST_SIZE for size in (width, height)):
        raise HonteError("unacceptable size")
    engine.new_board(width, height)
    return ""


@command("clear_board")
def clear_board(engine: Engine, arguments: Arguments) -> str:
    """The empty board."""
    engine.player.new_game()
    engine.game.clear()
    return ""


@command("komi")
def komi(engine: Engine, arguments: Arguments) -> str:
    """A whole or half number of points for white, within 400."""
    value = arguments.number("komi")
    arguments.end()
    if abs(value) > LARGEST_KOMI or not (2 * value).is_integer():
        raise HonteError(
            f"syntax error: komi {value:g} must be a whole or half number within {LARGEST_KOMI:g}"
        )
    if value != engine.game.state.komi:
        engine.player.forget()
        engine.game.set_komi(value)
    return ""


@command("get_komi")
def get_komi(engine: Engine, arguments: Arguments) -> str:
    """The komi in force."""
    return f"{engine.game.state.komi:g}"


def _stone_pairs(engine: Engine, arguments: Arguments) -> dict[int, list[int]]:
    stones: dict[int, list[int]] = {BLACK: [], WHITE: []}
    seen: set[int] = set()
    while arguments.left:
        player = arguments.colour()
        action = arguments.vertex(engine.game.state, allow_pass=False)
        if action in seen:
            state = engine.game.state
            vertex = format_vertex(action, state.width, state.height)
            raise HonteError(f"syntax error: {vertex} is given more than once")
        seen.add(action)
        stones[player].append(action)
    return stones


@command("set_position")
def set_position(engine: Engine, arguments: Arguments) -> str:
    """``colour vertex …``: these stones without history; none: the empty board."""
    stones = _stone_pairs(engine, arguments)
    engine.game.set_up(black=stones[BLACK], white=stones[WHITE])
    engine.player.new_game()
    return ""


@command("gogui-setup")
def gogui_setup(engine: Engine, arguments: Arguments) -> str:
    """``colour vertex …``: add these stones to the board, without history."""
    stones = _stone_pairs(engine, arguments)
    board = engine.game.state.board().ravel()
    new = set(stones[BLACK]) | set(stones[WHITE])
    for player, mark in ((BLACK, 1), (WHITE, 2)):
        stones[player] += [int(p) for p in (board == mark).nonzero()[0] if int(p) not in new]
    to_play = engine.game.state.to_play
    engine.game.set_up(black=stones[BLACK], white=stones[WHITE], to_play=to_play)
    engine.player.new_game()
    return ""


@command("gogui-setup_player")
def gogui_setup_player(engine: Engine, arguments: Arguments) -> str:
    """Who moves next."""
    player = arguments.colour()
    arguments.end()
    engine.game.set_to_play(player)
    return ""


def _place_handicap(engine: Engine, points: list[int]) -> str:
    state = engine.game.state
    engine.game.set_up(black=points, to_play=WHITE, handicap=True)
    engine.player.new_game()
    return " ".join(format_vertex(point, state.width, state.height) for point in points)


def _check_empty(engine: Engine) -> None:
    if not engine.game.is_empty or engine.game.steps:
        raise HonteError("board not empty")


@command("fixed_handicap")
def fixed_handicap(engine: Engine, arguments: Arguments) -> str:
    """Two to nine stones on the points GTP names; white moves next."""
    stones = parse_integer(arguments.word("a number of stones"))
    arguments.end()
    state = engine.game.state
    points = fixed_handicap_points(state.width, state.height)
    if stones is None or not 2 <= stones <= len(points):
        raise HonteError("invalid number of stones")
    _check_empty(engine)
    return _place_handicap(engine, fixed_handicap_points(state.width, state.height, stones))


@command("place_free_handicap")
def place_free_handicap(engine: Engine, arguments: Arguments) -> str:
    """Up to that many stones where the engine likes them: GTP's fixed points."""
    stones = parse_integer(arguments.word("a number of stones"))
    arguments.end()
    state = engine.game.state
    points = fixed_handicap_points(state.width, state.height)
    if stones is None or not 2 <= stones < state.width * state.height or not points:
        raise HonteError("invalid number of stones")
    _check_empty(engine)
    stones = min(stones, len(points))
    return _place_handicap(engine, fixed_handicap_points(state.width, state.height, stones))


@command("set_free_handicap")
def set_free_handicap(engine: Engine, arguments: Arguments) -> str:
    """These points, at least two, none twice; white moves next."""
    state = engine.game.state
    _check_empty(engine)
    points: list[int] = []
    for word in arguments.rest():
        try:
            point = parse_vertex(word, state.width, state.height)
        except HonteError as error:
            raise HonteError("bad vertex list") from error
        points.append(point)
    distinct = set(points)
    size = state.width * state.height
    if len(points) < 2 or len(distinct) != len(points) or size in distinct or len(points) >= size:
        raise HonteError("bad vertex list")
    _place_handicap(engine, points)
    return ""


@command("gogui-play_sequence")
def gogui_play_sequence(engine: Engine, arguments: Arguments) -> str:
    """``colour vertex …``: all of these moves, or none."""
    moves: list[tuple[int, int]] = []
    while arguments.left:
        if parse_colour(arguments.peek() or "") is None:
            raise HonteError("syntax error: gogui-play_sequence needs colours and vertices")
        moves.append((arguments.colour(), arguments.vertex(engine.game.state)))
    before = len(engine.game.steps)
    try:
        for player, action in moves:
            engine.play(player, action)
    except HonteError:
        while len(engine.game.steps) > before:
            engine.game.undo()
        raise
    return ""
