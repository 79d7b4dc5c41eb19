"""Lines of an input stream as they arrive, so that input can interrupt work."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

LONGEST_LINE = 1 << 24
"""Bytes; what a line has beyond that is dropped, and whoever reads it refuses it."""
_CHUNK = 1 << 16


class ByteStream(Protocol):
    """An unbuffered stream: ``read(n)`` gives what is there, at most n bytes, b"" at the end."""

    def read(self, size: int, /) -> bytes | None: ...


def _lines(stream: ByteStream) -> Iterator[bytes]:
    """The lines, each with its newline except perhaps the last; no longer than LONGEST_LINE."""
    parts: list[bytes] = []
    length = 0
    while chunk := stream.read(_CHUNK):
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            line = b"".join([*parts, piece, b"\n"])
            yield line[:LONGEST_LINE]
            parts, length = [], 0
        if rest and length < LONGEST_LINE:
            parts.append(rest)
            length += len(rest)
    if parts:
        yield b"".join(parts)[:LONGEST_LINE]


class LineSource:
    """Lines of a byte stream, read by a thread of its own, so that input can interrupt work."""

    def __init__(self, stream: ByteStream, on_interrupt: Callable[[], None] | None = None) -> None:
        """``on_interrupt`` is called at a line ``# interrupt``, GoGui's way to end a search."""
        self._stream = stream
        self._on_interrupt = on_interrupt
        self._lines: queue.Queue[bytes | None] = queue.Queue(maxsize=100_000)
        self._arrived = threading.Condition()
        self._on_input: Callable[[], None] | None = None
        self._ended = False
        self._thread = threading.Thread(target=self._read, name="input", daemon=True)
        self._thread.start()

    def _read(self) -> None:
        try:
            for line in _lines(self._stream):
                if not self._interrupts(line):
                    self._deliver(line)
        except (OSError, ValueError):
            pass  # The other end is gone: the same as the end of input.
        self._deliver(None)

    def _interrupts(self, line: bytes) -> bool:
        """Whether a line is GoGui's interrupt, which is acted upon here."""
        on_interrupt = self._on_interrupt
        if on_interrupt is None or line.strip() != b"# interrupt":
            return False
        on_interrupt()
        return True

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

    def close(self) -> None:
        """Forget whom to call; the thread itself ends with the stream."""
        with self._arrived:
            self._on_interrupt = self._on_input = None

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
