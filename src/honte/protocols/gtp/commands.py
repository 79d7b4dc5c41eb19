"""The table of commands and the reading of their arguments."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from honte.errors import HonteError
from honte.games.go import BLACK, WHITE, GoState, parse_vertex

if TYPE_CHECKING:
    from honte.protocols.gtp.engine import Engine

Handler = Callable[["Engine", "Arguments"], str]


class CommandTable:
    """Commands by name, in the order in which they were registered."""

    def __init__(self) -> None:
        self._handlers: dict[str, Handler] = {}

    def command(self, *names: str) -> Callable[[Handler], Handler]:
        """Register a handler under its name and its aliases.

        A handler reads its arguments, then changes the engine in one step, and returns the text
        of the response; or raises :class:`HonteError` with the sentence to show, and nothing has
        changed.
        """

        def register(handler: Handler) -> Handler:
            for name in names:
                if name in self._handlers:
                    raise ValueError(f"The command {name} is registered twice.")
                self._handlers[name] = handler
            return handler

        return register

    def get(self, name: str) -> Handler | None:
        """The handler of a command, or None."""
        return self._handlers.get(name)

    def names(self) -> list[str]:
        """Every command."""
        return list(self._handlers)


COMMANDS = CommandTable()
command = COMMANDS.command


class Arguments:
    """A command's arguments, read from left to right; each reader checks its type."""

    def __init__(self, name: str, words: tuple[str, ...], tail: str) -> None:
        self.name = name
        self.words = words
        self.tail = tail
        self._next = 0

    @property
    def left(self) -> int:
        """How many words are still unread."""
        return len(self.words) - self._next

    def peek(self) -> str | None:
        """The next word, unread."""
        return self.words[self._next] if self.left else None

    def word(self, what: str = "an argument") -> str:
        """Any word."""
        if not self.left:
            raise HonteError(f"syntax error: {self.name} needs {what}")
        word = self.words[self._next]
        self._next += 1
        return word

    def rest(self) -> tuple[str, ...]:
        """All the words that are left."""
        words = self.words[self._next :]
        self._next = len(self.words)
        return words

    def end(self) -> None:
        """There must be nothing more."""
        if self.left:
            raise HonteError(f"syntax error: {self.name} has no use for {_shown(self.peek())}")

    def colour(self) -> int:
        """``b``, ``black``, ``w`` or ``white`` in any case: BLACK or WHITE."""
        word = self.word("a colour")
        player = parse_colour(word)
        if player is None:
            raise HonteError(f"syntax error: {_shown(word)} is no colour; give black or white")
        return player

    def optional_colour(self) -> int | None:
        """A colour if the next word is one."""
        player = parse_colour(self.peek() or "")
        if player is not None:
            self._next += 1
        return player

    def integer(self, what: str, low: int | None = None, high: int | None = None) -> int:
        """A whole number within bounds."""
        word = self.word(what)
        value = parse_integer(word)
        if value is None:
            raise HonteError(f"syntax error: {_shown(word)} is no integer for {what}")
        if (low is not None and value < low) or (high is not None and value > high):
            bounds = f"from {low} to {high}" if high is not None else f"of at least {low}"
            raise HonteError(f"{value} is out of range for {what}: give one {bounds}")
        return value

    def number(self, what: str) -> float:
        """A finite number."""
        word = self.word(what)
        value = parse_number(word)
        if value is None:
            raise HonteError(f"syntax error: {_shown(word)} is no number for {what}")
        return value

    def boolean(self, what: str) -> bool:
        """``true`` or ``false``, also as 1, 0, yes, no, on, off."""
        word = self.word(what).lower()
        if word in ("true", "1", "yes", "on"):
            return True
        if word in ("false", "0", "no", "off"):
            return False
        raise HonteError(f"syntax error: {_shown(word)} is neither true nor false for {what}")

    def vertex(self, state: GoState, *, allow_pass: bool = True) -> int:
        """A point of the board, or ``pass``: an action."""
        word = self.word("a vertex")
        action = parse_vertex(word, state.width, state.height)
        if action == state.width * state.height and not allow_pass:
            raise HonteError("syntax error: a pass is no vertex here")
        return action


def parse_colour(word: str) -> int | None:
    """BLACK or WHITE, or None when the word names neither."""
    match word.lower():
        case "b" | "black":
            return BLACK
        case "w" | "white":
            return WHITE
    return None


def parse_integer(word: str) -> int | None:
    """A decimal integer of sensible length, or None."""
    digits = word[1:] if word[:1] in ("-", "+") else word
    if not digits.isascii() or not digits.isdigit() or len(digits) > 18:
        return None
    return int(word)


def parse_number(word: str) -> float | None:
    """A finite decimal number, or None; the point is a point, as in GTP."""
    if not word.isascii() or "_" in word:
        return None
    try:
        value = float(word)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def colour_name(player: int) -> str:
    """``black`` or ``white``."""
    return "black" if player == BLACK else "white"


def _shown(word: str | None) -> str:
    text = word or ""
    return f"'{text[:40]}…'" if len(text) > 40 else f"'{text}'"
