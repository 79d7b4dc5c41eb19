"""What a reader found odd in a record, and the errors it raises when it cannot go on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from honte.errors import HonteError


class Finding(Enum):
    """The kinds of oddity a lenient reader reports instead of failing."""

    ENCODING_GUESSED = "encoding guessed"
    ENCODING_UNUSABLE = "declared encoding unusable"
    BYTES_REPLACED = "undecodable bytes replaced"
    LEADING_TEXT = "text before the game"
    TRAILING_TEXT = "text after the game"
    STRAY_TEXT = "stray text inside the game"
    UNCLOSED_VALUE = "value without its closing bracket"
    UNCLOSED_TREE = "game without its closing parenthesis"
    MISSING_SEMICOLON = "node without its semicolon"
    NODES_AFTER_VARIATION = "nodes after a variation"
    MORE_GAMES = "more games in the file"
    NOT_GO = "a game that is not Go"
    LONG_NAME = "old-style property name"
    REPEATED_PROPERTY = "property given twice in a node"
    EMPTY_VALUE = "empty value where one is needed"
    BAD_VALUE = "value that cannot be read"
    BAD_SIZE = "board size that cannot be read"
    KOMI_RESCALED = "komi in another unit"
    UNKNOWN_RULES = "unknown rules"
    UNKNOWN_RESULT = "unknown result"
    HANDICAP_MISMATCH = "handicap and setup stones disagree"
    HANDICAP_ONE = "handicap of one stone"
    SEVERAL_MOVES = "several moves in one node"
    MOVE_WITH_SETUP = "move and setup in one node"
    OFF_BOARD = "point off the board"


@dataclass(frozen=True, slots=True)
class RecordWarning:
    """One oddity: what kind, a sentence about it, and where."""

    kind: Finding
    message: str
    node: int | None = None
    """Nodes from the root along the line, the root being 0; None where no node is meant."""

    def __str__(self) -> str:
        return self.message


class RecordError(HonteError):
    """A file or text that cannot be read as a game record, or an edit that cannot be made."""


class IllegalRecordMove(RecordError):
    """A record's move that the rules do not allow; what came before it stands."""

    def __init__(self, move_number: int, player: int, move: str, reason: str) -> None:
        colour = "white" if player else "black"
        super().__init__(
            f"Move {move_number} of the record, {colour} {move}, is illegal: {reason}; "
            f"the {move_number - 1} moves before it can be used."
        )
        self.move_number = move_number
        """Counts the moves of the line from 1."""
        self.player = player
        self.move = move
        """The vertex in GTP letters, or the record's own text where it is no point of the board."""
        self.reason = reason
