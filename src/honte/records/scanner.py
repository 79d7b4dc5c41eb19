"""From the text of a file to the shape of its game trees, without looking into the nodes.

One regular expression runs over each stretch of nodes between two parentheses, so a large
collection is scanned at the speed of the expression engine; the nodes of a stretch are read when
they are first asked for (:func:`honte.records.tree.grow`).
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

from honte.records.findings import Finding

if TYPE_CHECKING:
    from honte.records.tree import Context, Values

# A value runs from "[" to the next "]" without a backslash, or to the end of a file cut short.
_VALUE = r"\[[^\]\\]*+(?:\\.[^\]\\]*+)*(?:\]|\\?\Z)"
# Repeats are bounded because the engine remembers each pass through a group.
_TO_PARENTHESIS = re.compile(rf"[^\[()]*+(?:{_VALUE}[^\[()]*+){{0,5000}}([()])?", re.DOTALL)
_GAME = re.compile(r"\((?=\s*(?:;|[A-Z]{1,2}\s*\[))")
_NODE = re.compile(rf";[^\[;]*+(?:{_VALUE}[^\[;]*+)*", re.DOTALL)
_PROPERTY = re.compile(r"([^\[]*+)\[([^\]\\]*+(?:\\.[^\]\\]*+)*)(?:\]|\\?\Z)", re.DOTALL)
_LOWER_CASE = re.compile(r"[a-z\s]+")
_NOT_A_NAME = re.compile(r"[^A-Z0-9]+")

_LATE_NODES = "Nodes follow a variation; they became another."

# An empty value of these says nothing, and the standard does not allow it.
_NEEDS_VALUES = frozenset(("AB", "AW", "AE", "TB", "TW", "CR", "SQ", "TR", "MA", "SL", "LB", "LN"))
_SETUP = ("AB", "AW", "AE", "PL")
_OF_A_MOVE = ("KO", "MN", "BL", "WL", "OB", "OW", "BM", "DO", "IT", "TE")


NO_BRANCH = -1


class Shape:
    """The branches of all game trees of a text: a branch is a number, its fields stand in arrays.

    A branch is a stretch of nodes in the text and the variations that follow its last node. Flat
    arrays, made in one piece for as many as there can be, keep millions of branches cheap to make
    and out of the garbage collector's way.
    """

    __slots__ = ("count", "end", "first_below", "next_beside", "start")

    def __init__(self, most: int = 0) -> None:
        """Room for ``most`` branches, none of them used."""
        self.count = 0
        self.start = array("q", bytes(8 * most))
        self.end = array("q", bytes(8 * most))
        self.first_below = array("q", (NO_BRANCH,)) * most
        self.next_beside = array("q", (NO_BRANCH,)) * most

    def with_younger(self, branch: int) -> list[int]:
        """A branch and those beside it that come later."""
        branches: list[int] = []
        while branch != NO_BRANCH:
            branches.append(branch)
            branch = self.next_beside[branch]
        return branches


@dataclass(slots=True)
class ScannedGame:
    """One game of a file: its outermost branch, and what was odd about the way it is written."""

    branch: int
    oddities: list[tuple[Finding, str]]


def scan(text: str) -> tuple[Shape, list[ScannedGame], list[tuple[Finding, str]]]:
    """The games of a text in their order, and what was odd around them; linear in its length."""
    # A branch begins at an opening parenthesis, or with nodes after a closing one.
    shape = Shape(text.count("(") + text.count(")"))
    games: list[ScannedGame] = []
    around: list[tuple[Finding, str]] = []
    position = 0
    while True:
        opening = _GAME.search(text, position)
        between = text[position : opening.start() if opening else len(text)]
        if between and not between.isspace():
            kind = Finding.TRAILING_TEXT if games else Finding.LEADING_TEXT
            place = "after" if games else "before"
            around.append((kind, f"The text {_shorten(between)} {place} a game was ignored."))
        if opening is None:
            return shape, games, around
        game, position = _scan_game(text, opening.end(), shape)
        games.append(game)


def _scan_game(text: str, position: int, shape: Shape) -> tuple[ScannedGame, int]:
    """The game whose opening parenthesis ends at ``position``, and where it ends."""
    oddities: list[tuple[Finding, str]] = []
    branch = shape.count
    used = branch + 1
    game = ScannedGame(branch, oddities)
    # The open branches around the present one, each before the youngest branch below it so far.
    around: list[int] = []
    youngest = NO_BRANCH
    # Branches opened without a parenthesis of their own end together with the one around them.
    implied: set[int] = set()
    start = position
    start_of, end_of = shape.start, shape.end
    first_below, next_beside = shape.first_below, shape.next_beside
    start_of[branch] = position
    for match in _TO_PARENTHESIS.finditer(text, position):
        position = match.end()
        parenthesis = match[1]
        if parenthesis is None and position < len(text):
            continue
        end = position if parenthesis is None else position - 1
        if youngest == NO_BRANCH:
            end_of[branch] = end
        elif end > start:
            if _NODE.search(text, start, end):
                oddities.append((Finding.NODES_AFTER_VARIATION, _LATE_NODES))
                around += (branch, used)
                branch = next_beside[youngest] = used
                used += 1
                youngest = NO_BRANCH
                start_of[branch], end_of[branch] = start, end
                implied.add(branch)
            elif not (rest := text[start:end]).isspace():
                oddities.append(
                    (Finding.STRAY_TEXT, f"The text {_shorten(rest)} in the game was ignored.")
                )
        start = position
        if parenthesis == "(":
            below = used
            used += 1
            start_of[below] = end_of[below] = position
            if youngest == NO_BRANCH:
                first_below[branch] = below
            else:
                next_beside[youngest] = below
            around += (branch, below)
            branch, youngest = below, NO_BRANCH
        elif parenthesis == ")":
            while branch in implied:
                youngest, branch = around.pop(), around.pop()
            if not around:
                shape.count = used
                return game, position
            youngest, branch = around.pop(), around.pop()
    shape.count = used
    oddities.append((Finding.UNCLOSED_TREE, "The game lacks its closing parenthesis."))
    return game, len(text)


def end_of_node(text: str, start: int, end: int) -> int:
    """Where the first node of a stretch ends."""
    node = _NODE.search(text, start, end)
    if node is None:
        return end
    # Properties before the first semicolon are a node of their own.
    return node.start() if "[" in text[start : node.start()] else node.end()


def node_texts(context: Context, start: int, end: int, depth: int) -> list[str]:
    """The texts of the nodes of a stretch, each from its semicolon on."""
    text = context.text
    found: list[str] = _NODE.findall(text, start, end)
    first = _NODE.search(text, start, end)
    leading = text[start : first.start() if first else end]
    if "[" in leading:
        context.warn(
            Finding.MISSING_SEMICOLON,
            f"Node {depth} lacks its semicolon; it was read all the same.",
            depth,
        )
        found.insert(0, ";" + leading.lstrip())
    elif leading and not leading.isspace():
        context.warn(
            Finding.STRAY_TEXT, f"The text {_shorten(leading)} in the game was ignored.", depth
        )
    return found


def read_properties(context: Context, text: str, number: int) -> Values:
    """The properties of a node from its text, names made modern and repeated ones joined."""
    values: Values = {}
    name = ""
    end = 1
    for match in _PROPERTY.finditer(text, 1):
        written, value = match[1], match[2]
        end = match.end()
        if written and not written.isspace():
            name = _property_name(context, written, number)
            if name in values:
                context.warn(
                    Finding.REPEATED_PROPERTY,
                    f"Node {number} gives {name} twice; both were kept.",
                    number,
                )
        if not name:
            context.warn(Finding.STRAY_TEXT, f"Node {number} has a value without a name.", number)
            continue
        values.setdefault(name, []).append(value)
    if end > 1 and text[end - 1] != "]":
        context.warn(
            Finding.UNCLOSED_VALUE, f"The last value of node {number} is cut short.", number
        )
    if not (rest := text[end:]).isspace() and rest:
        context.warn(
            Finding.STRAY_TEXT, f"The text {_shorten(rest)} at node {number} was ignored.", number
        )
    for name in _NEEDS_VALUES & values.keys():
        kept = [value for value in values[name] if value and not value.isspace()]
        if len(kept) < len(values[name]):
            context.warn(
                Finding.EMPTY_VALUE, f"Node {number} has an empty {name}; it was ignored.", number
            )
            if kept:
                values[name] = kept
            else:
                del values[name]
    if len(values.get("C", ())) > 1:
        values["C"] = ["\n".join(values["C"])]
    return values


def _property_name(context: Context, written: str, number: int) -> str:
    name = _LOWER_CASE.sub("", written)
    if name == written:
        plain = written
    else:
        plain = written.strip()
        if plain != name:
            context.warn(
                Finding.LONG_NAME, f"The name {_shorten(plain)} was read as {name!r}.", number
            )
    if not (name.isalnum() and name.isascii()):
        kept = _NOT_A_NAME.sub("", name)
        # Lower case alone ("b[pd]") is read as capitals.
        kept = kept or _NOT_A_NAME.sub("", written.upper())
        context.warn(
            Finding.STRAY_TEXT,
            f"Node {number} has {_shorten(plain)} for a name; {kept or 'nothing'} was read.",
            number,
        )
        return kept
    return name


def split_moves(values: Values, context: Context | None = None, number: int = 0) -> list[Values]:
    """A node's properties as nodes with at most one move each, setup before it, in text order.

    The standard wants moves apart from setup and from one another. What says something about a
    move (its time, how good it is) goes with the first of them, all else stays in the first node.
    """
    moves = [(name, value) for name in values if name in ("B", "W") for value in values[name]]
    has_setup = any(name in values for name in _SETUP)
    if len(moves) < 2 and not (moves and has_setup):
        return [values]
    if context is not None:
        if len(moves) > 1:
            context.warn(
                Finding.SEVERAL_MOVES,
                f"Node {number} holds {len(moves)} moves; each became a node.",
                number,
            )
        if has_setup:
            context.warn(
                Finding.MOVE_WITH_SETUP,
                f"Node {number} holds setup and a move; the move became a node of its own.",
                number,
            )
    if not has_setup:
        rest = {name: raw for name, raw in values.items() if name not in ("B", "W")}
        first: Values = {moves[0][0]: [moves[0][1]], **rest}
        return [first, *({name: [value]} for name, value in moves[1:])]
    before = {name: raw for name, raw in values.items() if name not in ("B", "W", *_OF_A_MOVE)}
    about = {name: raw for name, raw in values.items() if name in _OF_A_MOVE}
    nodes = [before, *({name: [value]} for name, value in moves)]
    nodes[1].update(about)
    return nodes


def _shorten(text: str) -> str:
    plain = " ".join(text[:80].split())
    return repr(plain if len(plain) <= 40 else plain[:37] + "...")
