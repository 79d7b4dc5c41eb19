"""A game record: the tree, and what its root says about the game."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from honte.errors import HonteError
from honte.files import write_text
from honte.games.go import Go, GoState, IllegalMove, Rules, format_vertex
from honte.games.go.picture import board_svg
from honte.records import writer
from honte.records.findings import Finding, IllegalRecordMove, RecordError, RecordWarning
from honte.records.points import Setup, parse_points
from honte.records.result import Result
from honte.records.root import LARGEST_KOMI, LARGEST_SIZE, format_komi, tidy_root
from honte.records.rules_text import format_rules, parse_rules
from honte.records.scanner import NO_BRANCH
from honte.records.text import for_display
from honte.records.tree import Context, Node, read_root


@dataclass(frozen=True, slots=True)
class PlayerName:
    """A player as the record names them; both empty where it does not."""

    name: str
    """Ready to show: no invisible marks, one line."""
    rank: str

    def __str__(self) -> str:
        return f"{self.name} {self.rank}".strip()


class GameRecord:
    """One game: ``record.root`` is its tree, the properties say what the root says.

    Make one with :func:`honte.records.load`, :func:`honte.records.loads`, or empty with a size.
    Every property that can be set writes into the root.
    """

    def __init__(
        self,
        size: int | tuple[int, int] = 19,
        *,
        komi: float | None = None,
        rules: Rules | None = None,
    ) -> None:
        width, height = (size, size) if isinstance(size, int) else size
        if not (1 <= width <= LARGEST_SIZE and 1 <= height <= LARGEST_SIZE):
            raise RecordError(f"A record holds boards of 1 to 52 lines, not {width} × {height}.")
        self._context = Context(width=width, height=height)
        self._root: Node | None = Node(None, self._context)
        self._branch = NO_BRANCH
        self._audited = True
        self.encoding = "utf-8"
        """What the bytes of the record were read in."""
        if komi is not None:
            self.komi = komi
        if rules is not None:
            self.rules = rules

    @classmethod
    def of_branch(cls, context: Context, branch: int) -> GameRecord:
        """The record of a scanned game, whose root is read when it is first asked for."""
        record = cls.__new__(cls)
        record._context = context
        record._root = None
        record._branch = branch
        record._audited = False
        record.encoding = "utf-8"
        return record

    @property
    def root(self) -> Node:
        """The first node of the tree, which also says what the game is."""
        if self._root is None:
            root = read_root(self._context, self._branch)
            tidy_root(root, self._context)
            self._root = root
        return self._root

    # What was odd

    @property
    def warnings(self) -> tuple[RecordWarning, ...]:
        """Everything odd in this record; asking reads the whole tree."""
        if not self._audited:
            self._audited = True
            self._audit()
        return tuple(self._context.warnings)

    def _audit(self) -> None:
        waiting = [(self.root, 0)]
        while waiting:
            node, number = waiting.pop()
            named = node.move_text
            if named is not None and node.move is None:
                self._context.warn(
                    Finding.OFF_BOARD,
                    f"Node {number} plays {'BW'[named[0]]}[{named[1][:20]}], which is no point of "
                    f"the {self.width} × {self.height} board.",
                    number,
                )
            if node.setup is not None:
                for name in ("AB", "AW", "AE"):
                    for value in parse_points(node.raw_values(name), self.width, self.height)[1]:
                        self._context.warn(
                            Finding.OFF_BOARD,
                            f"Node {number} has {name}[{value[:20]}], which is no point of the "
                            f"{self.width} × {self.height} board; it was ignored.",
                            number,
                        )
            waiting.extend((child, number + 1) for child in reversed(node.children))

    # What the root says

    @property
    def width(self) -> int:
        """Columns of the board."""
        return self.root.board_size[0]

    @property
    def height(self) -> int:
        """Rows of the board."""
        return self.root.board_size[1]

    @property
    def komi(self) -> float | None:
        """Points for White; None where the record leaves it to the rules (that is not 0)."""
        text = self.root.get("KM")
        return None if text is None else float(text)

    @komi.setter
    def komi(self, komi: float | None) -> None:
        if komi is not None and not abs(komi) <= LARGEST_KOMI:
            raise RecordError(f"A komi of {komi:g} is none: give at most {LARGEST_KOMI:g} points.")
        self.root.set("KM", *([] if komi is None else [format_komi(komi)]))

    @property
    def handicap(self) -> int:
        """The handicap the record states; 0 where it states none, whatever stones stand."""
        return int(self.root.get("HA") or 0)

    @handicap.setter
    def handicap(self, stones: int) -> None:
        self.root.set("HA", str(stones))

    @property
    def rules(self) -> Rules | None:
        """The rules the record names; None where it names none or none that honte knows."""
        text = self.root.get("RU")
        return None if text is None else parse_rules(text)

    @rules.setter
    def rules(self, rules: Rules | None) -> None:
        self.root.set("RU", *([] if rules is None else [format_rules(rules)]))

    @property
    def result(self) -> Result | None:
        """Who won and how; None where the record does not say."""
        return Result.parse(self.root.get("RE") or "")

    @result.setter
    def result(self, result: Result | None) -> None:
        self.root.set("RE", *([] if result is None else [result.text]))

    @property
    def black(self) -> PlayerName:
        """Who plays Black."""
        return self._player("PB", "BR")

    @property
    def white(self) -> PlayerName:
        """Who plays White."""
        return self._player("PW", "WR")

    def _player(self, name: str, rank: str) -> PlayerName:
        return PlayerName(
            for_display(self.root.get(name) or ""), for_display(self.root.get(rank) or "")
        )

    @property
    def date(self) -> str:
        """When it was played, as the record says it; empty where it does not."""
        return for_display(self.root.get("DT") or "")

    @property
    def title(self) -> str:
        """One line to know the game by: players, event, date, result."""
        players = " – ".join(str(player) for player in (self.black, self.white) if str(player))
        parts = [players, for_display(self.root.get("EV") or ""), self.date]
        if self.result is not None:
            parts.append(self.result.text)
        return ", ".join(part for part in parts if part) or "a game without names"

    # The tree

    def mainline(self) -> Iterator[Node]:
        """The nodes of the main line, the root first."""
        return self.root.mainline()

    def moves(self) -> list[tuple[int, int]]:
        """(player, action) of the moves of the main line, up to the first off the board."""
        moves: list[tuple[int, int]] = []
        for node in self.mainline():
            move = node.move
            if move is not None:
                moves.append(move)
            elif node.move_text is not None:
                break
        return moves

    # Playing it

    def game(self, *, rules: Rules | None = None, komi: float | None = None) -> Go:
        """The game as the record describes it: board, rules (else Chinese) and komi.

        What is given here goes before what the record says. Raises where the board is one that
        honte does not play.
        """
        chosen = rules or self.rules or Rules.named("chinese")
        return Go(self.width, self.height, chosen, self.komi if komi is None else komi)

    def states(
        self,
        node: Node | None = None,
        *,
        rules: Rules | None = None,
        komi: float | None = None,
    ) -> Iterator[GoState]:
        """The positions along the line to a node, or along the main line.

        First the position before any move, then one after each move. Setup in the middle of a
        game starts a new history. Raises :class:`IllegalRecordMove` at the first move that the
        rules forbid, after yielding the position before it.
        """
        line = self.mainline() if node is None else iter(node.line())
        game = self.game(rules=rules, komi=komi)
        state: GoState | None = None
        played = 0
        for current in line:
            setup = current.setup
            if setup is not None:
                state = _set_up(game, state, setup, current)
            elif state is None:
                state = game.new_initial_state(to_play=_first_player(current))
            named = current.move_text
            if named is None:
                continue
            if not played:
                yield state.clone()
            played += 1
            state = _play(state.clone(), current, played)
            yield state
        if not played and state is not None:
            yield state

    def state_at(
        self, move: int | None = None, *, rules: Rules | None = None, komi: float | None = None
    ) -> GoState:
        """The position after a number of moves of the main line, or at its end.

        Raises :class:`RecordError` where the main line is shorter, and
        :class:`IllegalRecordMove` as :meth:`states` does.
        """
        if move is not None and move < 0:
            raise RecordError(f"There is no position after {move} moves: count from 0.")
        number = -1
        state: GoState | None = None
        for number, state in enumerate(self.states(rules=rules, komi=komi)):
            if number == move:
                return state
        if move is not None or state is None:
            raise RecordError(f"The record has {number} moves; there is no position after {move}.")
        return state

    # Out

    def _repr_svg_(self) -> str:
        """The last legal position of the main line, for a notebook."""
        states: deque[GoState] = deque(maxlen=1)
        with contextlib.suppress(IllegalRecordMove):
            states.extend(self.states())
        return board_svg(states[0])

    def dumps(self) -> str:
        """The record as SGF text."""
        return writer.format_game(self.root) + "\n"

    def save(self, path: str | Path) -> None:
        """Write the record as an SGF file (compressed where the name ends in .gz or .xz).

        The file appears whole or not at all.
        """
        write_text(Path(path), self.dumps())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GameRecord):
            return NotImplemented
        return self.root.board_size == other.root.board_size and self.root.same_tree(other.root)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return _loads_one, (self.dumps(),)

    def __repr__(self) -> str:
        return f"<GameRecord {self.width}×{self.height}: {self.title}>"


def save_collection(games: Iterable[GameRecord], path: str | Path) -> None:
    """Write games into one SGF file, as :meth:`GameRecord.save` writes one."""
    write_text(Path(path), "".join(game.dumps() for game in games))


def _loads_one(text: str) -> GameRecord:
    from honte.records.reader import loads

    return loads(text)


def _first_player(node: Node) -> int:
    """Who moves first where no property says so: the player of the next move, else Black."""
    for following in node.mainline():
        named = following.move_text
        if named is not None:
            return named[0]
    return 0


def _set_up(game: Go, before: GoState | None, setup: Setup, node: Node) -> GoState:
    points = game.width * game.height
    stones = [0] * points
    if before is not None:
        stones = [int(colour) for colour in before.board().reshape(-1)]
    for colour, changed in ((1, setup.black), (2, setup.white), (0, setup.empty)):
        for point in changed:
            stones[point] = colour
    to_play = setup.to_play
    if to_play is None:
        to_play = _first_player(node)
    try:
        return game.new_initial_state(
            black=[point for point in range(points) if stones[point] == 1],
            white=[point for point in range(points) if stones[point] == 2],
            to_play=to_play,
        )
    except HonteError as error:
        raise RecordError(f"The setup of the record cannot stand on a board: {error}") from error


def _play(state: GoState, node: Node, number: int) -> GoState:
    named, move = node.move_text, node.move
    assert named is not None
    if move is None:
        raise IllegalRecordMove(number, named[0], named[1], "it is no point of the board")
    player, action = move
    try:
        state.play(action, player)
    except IllegalMove as error:
        vertex = format_vertex(action, state.width, state.height)
        reason = str(error).partition(": ")[2].rstrip(".")
        raise IllegalRecordMove(number, player, vertex, reason) from error
    return state
