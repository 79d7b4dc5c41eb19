"""The tree of a record: nodes with properties, made from the text when they are first looked at.

Nothing here recurses, so a line may be as long as memory allows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from honte.records import points
from honte.records.findings import Finding, RecordError, RecordWarning
from honte.records.scanner import (
    NO_BRANCH,
    Shape,
    end_of_node,
    node_texts,
    read_properties,
    split_moves,
)
from honte.records.text import escape, unescape

Values = dict[str, list[str]]
"""A node's properties: name → values as they stand in the file (escaped)."""

OF_EVERY_RECORD = ("FF", "GM", "CA", "SZ")
"""What the writer puts first into every root."""

_WARNINGS_OF_A_KIND = 100
_MOVE_STARTS = frozenset((";B[", ";W["))


class Context:
    """What the nodes of one record share: the text they come from, the board, the warnings."""

    __slots__ = ("_counts", "height", "shape", "text", "warnings", "width")

    def __init__(
        self, text: str = "", shape: Shape | None = None, width: int = 19, height: int = 19
    ) -> None:
        self.text = text
        self.shape = shape or Shape()
        self.width = width
        self.height = height
        self.warnings: list[RecordWarning] = []
        self._counts: dict[Finding, int] = {}

    def warn(self, kind: Finding, message: str, node: int | None = None) -> None:
        """Note a warning; past a hundred of a kind they are no longer news."""
        seen = self._counts.get(kind, 0)
        self._counts[kind] = seen + 1
        if seen < _WARNINGS_OF_A_KIND:
            self.warnings.append(RecordWarning(kind, message, node))


class Node:
    """One node of a game tree: usually a move, with what is said and marked about it.

    ``node["C"]`` is the first value of a property as text, ``node.get("C")`` the same or None,
    ``node.values("LB")`` all of them; :attr:`move`, :attr:`setup` and :attr:`comment` are the
    usual ones, typed. Nodes are compared by identity; :meth:`same_tree` compares content.
    """

    __slots__ = ("_children", "_context", "_later", "_parent", "_values")

    def __init__(
        self, parent: Node | None, context: Context, values: Values | str | None = None
    ) -> None:
        self._parent = parent
        self._context = context
        self._children: list[Node] = []
        # The text of a node that is a move and nothing else (";B[pd]") is kept as it is.
        self._values: Values | str = {} if values is None else values
        self._later: tuple[int, int] | None = None

    # Properties

    def _properties(self) -> Values:
        values = self._values
        if isinstance(values, str):
            values = {values[1]: [values[3:5]]}
            self._values = values
        return values

    @property
    def properties(self) -> Mapping[str, tuple[str, ...]]:
        """All properties in the record's order, as text; a copy that cannot be changed."""
        return MappingProxyType(
            {name: tuple(map(unescape, raw)) for name, raw in self._properties().items()}
        )

    def raw_properties(self) -> Values:
        """All properties as they stand in the file; a copy."""
        return {name: list(raw) for name, raw in self._properties().items()}

    def __contains__(self, name: object) -> bool:
        return name in self._properties()

    def __getitem__(self, name: str) -> str:
        """The first value of a property as text. Raises ``KeyError``."""
        return unescape(self._properties()[name][0])

    def get(self, name: str, default: str | None = None) -> str | None:
        """The first value of a property as text, or the default."""
        raw = self._properties().get(name)
        return unescape(raw[0]) if raw else default

    def values(self, name: str) -> tuple[str, ...]:
        """All values of a property as text; empty where it is absent."""
        return tuple(map(unescape, self._properties().get(name, ())))

    def raw_values(self, name: str) -> tuple[str, ...]:
        """All values of a property as they stand in the file, escapes and all."""
        return tuple(self._properties().get(name, ()))

    def set(self, name: str, *values: str) -> None:
        """Give a property these values (text; escaped when written). No value removes it."""
        self.set_raw(name, *map(escape, values))

    def set_raw(self, name: str, *values: str) -> None:
        """Give a property values that are already escaped, as composed values are."""
        if not (name.isascii() and name.isupper() and name.isalnum()):
            raise RecordError(f"{name!r} is no SGF property name: use capital letters, as in 'KM'.")
        if values:
            self._properties()[name] = list(values)
        else:
            self._properties().pop(name, None)

    def set_points(self, name: str, actions: Sequence[int]) -> None:
        """Give a property a list of points, as AB, AW, CR and the like take."""
        self.set_raw(name, *(points.format_point(a, self._context.width) for a in actions))

    # What a node says

    @property
    def move(self) -> tuple[int, int] | None:
        """(player, action), player 0 being Black; None without a move on this board.

        Actions count ``y * width + x`` from the top left; ``width * height`` is a pass.
        """
        named = self.move_text
        if named is None:
            return None
        player, text = named
        action = points.parse_move(text, self._context.width, self._context.height)
        return None if action is None else (player, action)

    @move.setter
    def move(self, move: tuple[int, int] | None) -> None:
        values = self._properties()
        values.pop("B", None)
        values.pop("W", None)
        if move is not None:
            player, action = move
            text = points.format_move(action, self._context.width, self._context.height)
            values["BW"[player]] = [text]

    @property
    def move_text(self) -> tuple[int, str] | None:
        """(player, the value as it stands in the record), for moves off the board too."""
        values = self._values
        if isinstance(values, str):
            return (0 if values[1] == "B" else 1), values[3:5]
        for player, name in enumerate("BW"):
            if name in values:
                return player, values[name][0]
        return None

    @property
    def is_bare_move(self) -> bool:
        """Whether the node was read as a move and nothing else, and never looked into."""
        return isinstance(self._values, str)

    @property
    def setup(self) -> points.Setup | None:
        """The stones this node puts down or takes away, and who is to move; None without any."""
        values = self._values
        if isinstance(values, str):
            return None
        return points.read_setup(values, self._context.width, self._context.height)

    @property
    def comment(self) -> str:
        """The comment (C), empty where there is none."""
        return self.get("C") or ""

    @comment.setter
    def comment(self, text: str) -> None:
        self.set("C", *([text] if text else []))

    # The tree

    @property
    def parent(self) -> Node | None:
        """The node before this one; None at the root."""
        return self._parent

    def _grown(self) -> list[Node]:
        if self._later is not None:
            branch, depth = self._later
            self._later = None
            self._children.extend(grow(self._context, self, branch, depth))
        return self._children

    @property
    def board_size(self) -> tuple[int, int]:
        """(width, height) of the record's board."""
        return self._context.width, self._context.height

    @property
    def children(self) -> Sequence[Node]:
        """What may follow; the first is the main line."""
        return tuple(self._grown())

    @property
    def root(self) -> Node:
        """The first node of the record."""
        node = self
        while node._parent is not None:
            node = node._parent
        return node

    @property
    def depth(self) -> int:
        """Nodes between the root and this one, the root being 0."""
        return sum(1 for _ in self.line()) - 1

    def line(self) -> list[Node]:
        """The nodes from the root to this one, both included."""
        nodes = [self]
        while (before := nodes[-1]._parent) is not None:
            nodes.append(before)
        return nodes[::-1]

    def mainline(self) -> Iterator[Node]:
        """This node and the first child of each that follows."""
        node = self
        while True:
            yield node
            children = node._grown()
            if not children:
                return
            node = children[0]

    def walk(self) -> Iterator[Node]:
        """This node and all below it, in the order of the file."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node._grown()))

    def add_variation(
        self, move: tuple[int, int] | None = None, *, comment: str = "", main: bool = False
    ) -> Node:
        """Add a child, last of all or, with ``main``, first; and return it."""
        child = Node(self, self._context)
        child.move = move
        child.comment = comment
        self._grown().insert(0 if main else len(self._children), child)
        return child

    def insert_after(self, move: tuple[int, int] | None = None) -> Node:
        """Put a new node between this one and all that follows it, and return it."""
        child = Node(self, self._context)
        child.move = move
        child._children = self._grown()
        for below in child._children:
            below._parent = child
        self._children = [child]
        return child

    def promote(self, *, to_main: bool = False) -> None:
        """Move this node before its elder sibling, or before all. Does nothing at the root."""
        if self._parent is None:
            return
        siblings = self._parent._children
        place = siblings.index(self)
        siblings.insert(0 if to_main else max(place - 1, 0), siblings.pop(place))

    def delete(self) -> None:
        """Take this node and all below it out of the record. Raises at the root."""
        if self._parent is None:
            raise RecordError("The root of a record cannot be deleted; delete its children.")
        self._parent._children.remove(self)
        self._parent = None

    def same_tree(self, other: Node) -> bool:
        """Whether both say the same, node for node: properties, their values, and variations.

        What every record is written with (FF, GM, CA, SZ) does not count at a root.
        """
        waiting = [(self, other)]
        while waiting:
            ours, theirs = waiting.pop()
            if _content(ours) != _content(theirs):
                return False
            our_children, their_children = ours._grown(), theirs._grown()
            if len(our_children) != len(their_children):
                return False
            waiting.extend(zip(our_children, their_children, strict=True))
        return True

    def __repr__(self) -> str:
        shown = " ".join(
            name + "".join(f"[{value[:40]}]" for value in raw[:4])
            for name, raw in self._properties().items()
        )
        return f"<Node {shown}>" if shown else "<Node>"


def _content(node: Node) -> tuple[tuple[int, int] | None, dict[str, tuple[str, ...]]]:
    """A node's move, however a pass was written, and its other properties."""
    move = node.move
    left_out = set(OF_EVERY_RECORD if node.parent is None else ())
    if move is not None:
        left_out.add("BW"[move[0]])
    return move, {k: values for k, values in node.properties.items() if k not in left_out}


def read_root(context: Context, branch: int) -> Node:
    """The first node of a game; what follows is read when it is asked for."""
    shape = context.shape
    start, whole = shape.start[branch], shape.end[branch]
    end = end_of_node(context.text, start, whole)
    below = shape.first_below[branch]
    shape.end[branch], shape.first_below[branch] = end, NO_BRANCH
    first = grow(context, None, branch, 0)
    shape.start[branch], shape.end[branch], shape.first_below[branch] = end, whole, below
    if not first:
        raise RecordError("A game of the file has no nodes.")
    *_, last = first[0].mainline()
    last._later = (branch, 1)
    return first[0]


def grow(context: Context, parent: Node | None, branch: int, depth: int) -> list[Node]:
    """The first nodes of a branch and of those beside it, each with its branch below it.

    ``depth`` is the number, along the line, of the first node of each branch.
    """
    heads: list[Node] = []
    shape = context.shape
    waiting = shape.with_younger(branch)[::-1]
    new = Node
    while waiting:
        branch = waiting.pop()
        below = shape.first_below[branch]
        last = parent
        siblings = heads
        number = depth
        for text in node_texts(context, shape.start[branch], shape.end[branch], depth):
            plain = len(text) == 6 and text[:3] in _MOVE_STARTS and text[5] == "]"
            if plain and text[3:5].isalpha():
                node = new(last, context, text)
                siblings.append(node)
                siblings = node._children
                last = node
            else:
                properties = read_properties(context, text, number)
                for values in split_moves(properties, context, number):
                    node = new(last, context, values)
                    siblings.append(node)
                    siblings = node._children
                    last = node
            number += 1
        if number == depth:
            waiting.extend(reversed(shape.with_younger(below)))
        elif below != NO_BRANCH and last is not None:
            last._later = (below, number)
    return heads
