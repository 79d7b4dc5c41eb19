"""Positions as the cases write them: stones by vertex."""

from __future__ import annotations

from honte.games.go import BLACK, WHITE, Go, GoState, Rules, parse_vertex


def position(
    size: int,
    black: str = "",
    white: str = "",
    to_play: int = BLACK,
    rules: Rules | str = "tromp-taylor",
    komi: float = 0.0,
) -> GoState:
    """A square board with the stones at these vertices."""
    rules = Rules.named(rules) if isinstance(rules, str) else rules
    return Go(size, rules=rules, komi=komi).new_initial_state(
        [parse_vertex(vertex, size, size) for vertex in black.split()],
        [parse_vertex(vertex, size, size) for vertex in white.split()],
        to_play,
    )


def diagram(text: str, **options: object) -> GoState:
    """The position of a square diagram of ``.``, ``X`` (black) and ``O`` (white)."""
    rows = text.split()
    stones = {"X": [], "O": [], ".": []}  # type: dict[str, list[str]]
    for y, row in enumerate(rows):
        for x, stone in enumerate(row):
            stones[stone].append(f"{'ABCDEFGHJKLMNOPQRSTUVWXYZ'[x]}{len(rows) - y}")
    return position(len(rows), " ".join(stones["X"]), " ".join(stones["O"]), **options)


def play(state: GoState, moves: str) -> GoState:
    """Play ``"b D4 w Q16 b pass"``."""
    words = moves.split()
    for colour, vertex in zip(words[::2], words[1::2], strict=True):
        action = parse_vertex(vertex, state.width, state.height)
        state.play(action, BLACK if colour == "b" else WHITE)
    return state


def at(state: GoState, vertex: str) -> int:
    """The action of a vertex."""
    return parse_vertex(vertex, state.width, state.height)
