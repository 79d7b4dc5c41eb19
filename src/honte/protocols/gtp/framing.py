"""GTP 2 framing: lines in, exactly one response a command out.

Source: the GTP 2 specification, draft 2, sections 2.5 to 2.8, and what controllers really send
(CRLF, commands ahead of their answers, a line without its end).
"""

from __future__ import annotations

import queue
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO, TextIO

LONGEST_LINE = 1 << 24
"""Bytes; what a line has beyond that is dropped, and the command refused."""

LONGEST_ERROR = 400
"""Characters of an error; input that is quoted back may be longer than anyone reads."""

_CONTROL = {code: None for code in range(32) if code != 9} | {127: None}
_ID = re.compile(r"([0-9]+)(?:\s+|$)")


@dataclass(frozen=True, slots=True)
class CommandLine:
    """One command as it came in."""

    identifier: str
    """The digits of the id, or "" without one."""
    name: str
    arguments: tuple[str, ...]
    tail: str
    """Everything after the name, for arguments that are text or JSON."""


def parse_line(line: bytes) -> CommandLine | None:
    """Read one line; None when there is no command on it.

    Control characters go (CR too), a comment is cut at ``#``, tabs become spaces. Bytes that are
    not UTF-8 become U+FFFD, so that they can be quoted back.
    """
    text = line.decode("utf-8", errors="replace").translate(_CONTROL)
    text = text.split("#", 1)[0].replace("\t", " ").strip()
    if not text:
        return None
    identifier = ""
    if match := _ID.match(text):
        identifier = match.group(1)
        text = text[match.end() :]
    name, _, tail = text.partition(" ")
    return CommandLine(identifier, name, tuple(tail.split()), tail.strip())


def without_blank_lines(text: str) -> str:
    """The text as a response may hold it: no blank line, which would end it, and no control
    character."""
    lines = (line.translate(_CONTROL).rstrip() for line in re.split(r"\r\n|\r|\n", text))
    return "\n".join(line for line in lines if line)


class Response:
    """The answer to one command: whole at once, or line by line.

    Whatever happens, :meth:`finish` leaves exactly one response on the stream.
    """

    def __init__(self, output: TextIO, identifier: str) -> None:
        self._output = output
        self._identifier = identifier
        self._begun = False

    @property
    def begun(self) -> bool:
        """Whether a part of the answer is already out."""
        return self._begun

    def begin(self) -> None:
        """Announce success before there is anything to say, as live analysis does."""
        if not self._begun:
            self._begun = True
            self._write(f"={self._identifier}\n")

    def line(self, text: str) -> None:
        """One line of a response that goes on."""
        self.begin()
        text = without_blank_lines(text)
        if text:
            self._write(text + "\n")

    def succeed(self, text: str = "") -> None:
        """End the response well."""
        text = without_blank_lines(text)
        if self._begun:
            self._write(f"{text}\n\n" if text else "\n")
        else:
            self._begun = True
            self._write(f"={self._identifier} {text}\n\n" if text else f"={self._identifier}\n\n")

    def fail(self, sentence: str) -> None:
        """End the response with an error; one that has begun can only be closed."""
        if self._begun:
            self._write("\n")
        else:
            self._begun = True
            text = without_blank_lines(sentence).replace("\n", " ") or "error"
            if len(text) > LONGEST_ERROR:
                text = text[: LONGEST_ERROR - 1] + "…"
            self._write(f"?{self._identifier} {text}\n\n")

    def _write(self, text: str) -> None:
        self._output.write(text)
        self._output.flush()


class LineSource:
    """Lines of a byte stream, read by a thread of its own, so that input can interrupt work."""

    def __init__(self, stream: BinaryIO, on_interrupt: Callable[[], None] | None = None) -> None:
        """``on_interrupt`` is called at a line ``# interrupt``, GoGui's way to end a search."""
        self._stream = stream
        self._on_interrupt = on_interrupt
        self._lines: queue.Queue[bytes | None] = queue.Queue(maxsize=100_000)
        self._arrived = threading.Condition()
        self._on_input: Callable[[], None] | None = None
        self._ended = False
        self._thread = threading.Thread(target=self._read, name="gtp-input", daemon=True)
        self._thread.start()

    def _read(self) -> None:
        try:
            while line := self._stream.readline(LONGEST_LINE):
                complete = line.endswith(b"\n") or len(line) < LONGEST_LINE
                while not complete:
                    rest = self._stream.readline(LONGEST_LINE)
                    complete = not rest or rest.endswith(b"\n") or len(rest) < LONGEST_LINE
                if self._on_interrupt is not None and line.strip() == b"# interrupt":
                    self._on_interrupt()
                else:
                    self._deliver(line)
        except (OSError, ValueError):
            pass  # The other end is gone: the same as the end of input.
        self._deliver(None)

    def _deliver(self, line: bytes | None) -> None:
        self._lines.put(line)
        with self._arrived:
            self._arrived.notify_all()
            if self._on_input is not None:
                self._on_input()

    def __iter__(self) -> Iterator[bytes]:
        """The lines in order, until the end of input."""
        while not self._ended:
            line = self._lines.get()
            if line is None:
                self._ended = True
                return
            yield line

    def pending(self) -> bool:
        """Whether any input, a bare newline or the end included, is waiting."""
        return not self._lines.empty()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until input is there; whether it is."""
        with self._arrived:
            return self._arrived.wait_for(self.pending, timeout)

    @contextmanager
    def interrupting(self, stop: Callable[[], None]) -> Iterator[None]:
        """Within, any input calls ``stop``, at once if it is already waiting."""
        with self._arrived:
            self._on_input = stop
        if self.pending():
            stop()
        try:
            yield
        finally:
            with self._arrived:
                self._on_input = None
