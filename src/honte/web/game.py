"""A game with its variations, as one person sees it: a record, and a place in it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from honte.errors import HonteError
from honte.games.go import BLACK, WHITE, Go, GoState, Rules, format_vertex
from honte.players.handicap import fixed_handicap_points
from honte.records import GameRecord, IllegalRecordMove, Node, Result, loads
from honte.records.points import format_point
from honte.web.events import GameNode, Judgement
from honte.web.requests import NewGame

MOST_NODES = 5_000
LARGEST_BOARD = 25


class GameTree:
    """The tree of a record with a number for each node, and the node that is shown.

    Nodes keep their numbers for as long as they are in the tree; the root is 0.
    """

    def __init__(self, record: GameRecord) -> None:
        self.record = record
        self.judgements: dict[int, Judgement] = {}
        self.warnings: list[str] = []
        self._nodes: dict[int, Node] = {}
        self._numbers: dict[Node, int] = {}
        for node in record.root.walk():
            if len(self._nodes) >= MOST_NODES:
                raise HonteError(
                    f"The record has more than {MOST_NODES} nodes: cut it into smaller ones."
                )
            self._number(node)
        self.current = 0
        self.state = self._state_at(record.root)

    @classmethod
    def new(cls, wish: NewGame) -> GameTree:
        """A game as asked for, its moves played. Raises HonteError for what cannot be."""
        rules = Rules.parse(wish.rules)
        black, white = list(wish.black_stones), list(wish.white_stones)
        if wish.handicap:
            black += _handicap(wish)
        komi = wish.komi
        if komi is None:
            komi = 0.5 if wish.handicap else rules.default_komi
        first = WHITE if wish.handicap else BLACK
        to_play: int = first if wish.to_play is None else wish.to_play
        Go(wish.width, wish.height, rules, komi).new_initial_state(black, white, to_play)
        record = GameRecord((wish.width, wish.height), komi=komi, rules=rules)
        root = record.root
        for name, stones in (("AB", black), ("AW", white)):
            if stones:
                root.set_raw(name, *(format_point(point, wish.width) for point in stones))
        if wish.handicap:
            record.handicap = wish.handicap
        if to_play != BLACK or white or black:
            root.set("PL", "BW"[to_play])
        game = cls(record)
        for action in wish.moves:
            game.play(action)
        return game

    @classmethod
    def of_text(cls, text: str) -> GameTree:
        """A game from a record's text, shown at the end of what can be played of it.

        Raises HonteError for what is no record, or a board that honte does not play.
        """
        game = cls(loads(text))
        game.warnings = [str(warning) for warning in game.record.warnings][:20]
        game._drop_what_cannot_be_played()
        return game

    def _number(self, node: Node) -> int:
        number = max(self._nodes, default=-1) + 1
        self._nodes[number] = node
        self._numbers[node] = number
        return number

    def _drop_what_cannot_be_played(self) -> None:
        """Take illegal moves out with all that follows, and say so."""
        for node in list(self._main_and_variations()):
            if node not in self._numbers:
                continue
            try:
                self._state_at(node)
            except IllegalRecordMove as error:
                if len(self.warnings) < 20:
                    self.warnings.append(f"{error} What follows was left out.")
                bad = node.line()[1:]
                for step in bad:
                    try:
                        self._state_at(step)
                    except IllegalRecordMove:
                        self._remove(step)
                        break

    def _main_and_variations(self) -> Iterator[Node]:
        """The ends of all lines: every move lies on the way to one."""
        return (node for node in self.record.root.walk() if not node.children)

    def _state_at(self, node: Node) -> GoState:
        *_, state = self.record.states(node)
        return state

    @property
    def node(self) -> Node:
        """The node that is shown."""
        return self._nodes[self.current]

    def number_of(self, node: Node) -> int:
        """The number of a node of this tree."""
        return self._numbers[node]

    def has(self, number: int) -> bool:
        """Whether a node of this number is in the tree."""
        return number in self._nodes

    def way(self) -> list[int]:
        """Which child leads on at each node from the root to the one shown."""
        line = self.node.line()
        return [node.children.index(below) for node, below in itertools.pairwise(line)]

    def follow(self, way: list[int]) -> None:
        """Show the node at the end of such a way, or as far as it goes."""
        node = self.record.root
        for place in way:
            children = node.children
            if not 0 <= place < len(children):
                break
            node = children[place]
        self.go_to(self._numbers[node])

    def go_to(self, number: int) -> None:
        """Show another node. Raises HonteError if there is none of this number."""
        node = self._nodes.get(number)
        if node is None:
            raise HonteError("That position is no longer in the game: load the page anew.")
        self.state = self._state_at(node)
        self.current = number

    def play(self, action: int) -> bool:
        """Play at the position shown, into a variation where there are moves already.

        Gives whether a node was added. Raises IllegalMove.
        """
        state = self.state.clone()
        player = state.to_play
        state.play(action)
        for child in self.node.children:
            if child.move == (player, action):
                self.current, self.state = self._numbers[child], state
                return False
        if len(self._nodes) >= MOST_NODES:
            raise HonteError(
                f"The game has {MOST_NODES} positions: start another or delete variations."
            )
        child = self.node.add_variation((player, action))
        self.current, self.state = self._number(child), state
        return True

    def delete(self, number: int) -> None:
        """Take a node and all below it out; its parent is shown if it was on the line shown."""
        node = self._nodes.get(number)
        if node is None or node.parent is None:
            raise HonteError("That position is not in the game, or is its beginning.")
        parent = node.parent
        shown_goes = node in self.node.line()
        self._remove(node)
        if shown_goes:
            self.go_to(self._numbers[parent])

    def _remove(self, node: Node) -> None:
        for below in list(node.walk()):
            number = self._numbers.pop(below)
            del self._nodes[number]
            self.judgements.pop(number, None)
        node.delete()

    def line(self) -> list[int]:
        """The numbers from the root through the node shown to the end of its first line."""
        nodes = self.node.line()
        nodes += list(self.node.mainline())[1:]
        return [self._numbers[node] for node in nodes]

    def states_along(self, numbers: list[int]) -> dict[int, GoState]:
        """The position at each node of a line from the root."""
        found: dict[int, GoState] = {}
        positions = self.record.states(self._nodes[numbers[-1]])
        state = next(positions)
        for number in numbers:
            if self._nodes[number].move is not None:
                state = next(positions)
            found[number] = state
        return found

    def describe(self) -> list[GameNode]:
        """Every node, parents before children, children in their order."""
        rows = []
        for node in self.record.root.walk():
            number = self._numbers[node]
            move = node.move
            rows.append(
                GameNode(
                    id=number,
                    parent=None if node.parent is None else self._numbers[node.parent],
                    player=None if move is None else move[0],
                    action=None if move is None else move[1],
                    comment=node.comment[:2_000],
                    judgement=self.judgements.get(number),
                )
            )
        return rows

    def initial_state(self) -> GoState:
        """The position before the first move."""
        return next(iter(self.record.states(self.record.root)))

    def set_result(self, text: str) -> None:
        """Write the result into the record."""
        self.record.result = Result.parse(text)

    def move_name(self, number: int) -> str:
        """The move into a node as people write it; empty at the root."""
        move = self._nodes[number].move
        return "" if move is None else format_vertex(move[1], self.state.width, self.state.height)


def _handicap(wish: NewGame) -> list[int]:
    if wish.handicap == 1:
        raise HonteError("One handicap stone is Black's first move: choose 0, or 2 and more.")
    points = fixed_handicap_points(wish.width, wish.height)
    if wish.handicap > len(points):
        raise HonteError(
            f"A board of {wish.width}×{wish.height} has {len(points)} handicap points, "
            f"so {wish.handicap} stones cannot be placed."
        )
    return fixed_handicap_points(wish.width, wish.height, wish.handicap)
