"""Writing game trees: FF[4], UTF-8, one move a node, ``[]`` for a pass."""

from __future__ import annotations

from honte.records import points
from honte.records.scanner import split_moves
from honte.records.tree import Node, Values

_LINE = 78
_STANDARD = {"FF": ["4"], "GM": ["1"], "CA": ["UTF-8"]}


def format_game(root: Node) -> str:
    """The text of one game, without recursion; linear in its size."""
    pieces: list[str] = []
    column = 0
    # What is still to be written: nodes, and None for each parenthesis to close.
    waiting: list[tuple[Node, bool] | None] = [(root, True)]
    while waiting:
        item = waiting.pop()
        if item is None:
            pieces.append(")")
            column += 1
            continue
        node, opens = item
        if opens:
            if column and pieces[-1] != "\n":
                pieces.append("\n")
            pieces.append("(")
            column = 1
            waiting.append(None)
        text = _format_node(node)
        if column + len(text) > _LINE and column > 1:
            pieces.append("\n")
            column = 0
        pieces.append(text)
        last_break = text.rfind("\n")
        column = column + len(text) if last_break < 0 else len(text) - last_break - 1
        children = node.children
        branching = len(children) > 1
        waiting.extend((child, branching) for child in reversed(children))
    return "".join(pieces)


def _format_node(node: Node) -> str:
    if node.is_bare_move and node.parent is not None and (named := node.move_text) is not None:
        return f";{'BW'[named[0]]}[{_format_move(named[1], node)}]"
    values = node.raw_properties()
    if node.parent is None:
        width, height = node.board_size
        size = str(width) if width == height else f"{width}:{height}"
        values = {**values, **_STANDARD, "SZ": [size]}
        values = {name: values[name] for name in dict.fromkeys((*_STANDARD, "SZ", *values))}
    return "".join(_format_properties(part, node) for part in split_moves(values))


def _format_properties(values: Values, node: Node) -> str:
    pieces = [";"]
    for name, raw in values.items():
        if name in ("B", "W"):
            raw = [_format_move(value, node) for value in raw]
        pieces.append(name)
        pieces.extend(f"[{value}]" for value in raw)
    return "".join(pieces)


def _format_move(value: str, node: Node) -> str:
    width, height = node.board_size
    action = points.parse_move(value, width, height)
    # A move off the board is kept as it was found: leaving it out would lose it.
    return value if action is None else points.format_move(action, width, height)
