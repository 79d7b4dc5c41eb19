"""A GTP engine as a process: started, asked, timed, and ended whatever it does."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
from collections import deque
from typing import IO, NoReturn

from honte.errors import HonteError
from honte.lab.specs import EnginePlayerSpec

KEPT_LINES = 200
"""Lines of talk and of stderr that are kept for the log."""
SEED = "{seed}"
"""In an engine's command: a number that differs from process to process."""
LONGEST_LINE = 4096
LONGEST_ANSWER = 1000
"""Lines; an engine that says more in one answer talks nonsense."""
LAST_WORDS = 2.0
"""Seconds to read what an engine said before it ended."""


class EngineFailure(HonteError):
    """An engine gave no answer that could be used; the message says what it did."""


class EngineRefusal(EngineFailure):
    """The engine answered ``?``: it is alive, and says no."""


class GtpEngine:
    """A running engine. Not for several threads at once."""

    def __init__(self, spec: EnginePlayerSpec, number: int = 0) -> None:
        """Start it with its set-up commands; ``number`` stands in for ``{seed}`` in its command.

        Raises :class:`EngineFailure` if it does not start.
        """
        self.spec = spec
        self._talk: deque[str] = deque(maxlen=KEPT_LINES)
        self._lines: queue.Queue[str | None] = queue.Queue()
        try:
            self._process = subprocess.Popen(
                [word.replace(SEED, str(number)) for word in spec.arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise EngineFailure(
                f"The engine {spec.name!r} cannot be started: {spec.arguments[0]}: "
                f"{error.strerror}."
            ) from None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        assert self._process.stdin is not None
        self._input = self._process.stdin
        self._readers = [
            threading.Thread(target=self._read, args=(self._process.stdout,), daemon=True),
            threading.Thread(target=self._drain, args=(self._process.stderr,), daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        try:
            self.name = self.ask("name", timeout=spec.start_timeout)
            for command in spec.setup:
                self.ask(command)
        except BaseException:
            self.close()
            raise

    def _read(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError):
            while line := stream.readline(LONGEST_LINE):
                self._lines.put(line.decode("utf-8", "replace").rstrip("\r\n"))
        self._lines.put(None)

    def _drain(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError):
            while line := stream.readline(LONGEST_LINE):
                self._talk.append("! " + line.decode("utf-8", "replace").rstrip())

    def ask(self, command: str, *, timeout: float | None = None) -> str:
        """The text of the answer to a command.

        Raises :class:`EngineRefusal` where the engine says no, :class:`EngineFailure` where it
        says nothing in time, ends, or answers in no GTP at all; then it is closed.
        """
        self._talk.append(f"> {command}")
        seconds = self.spec.timeout if timeout is None else timeout
        deadline = time.monotonic() + seconds
        try:
            self._input.write(command.encode() + b"\n")
            self._input.flush()
        except (OSError, ValueError):
            self._fail(f"ended before {command!r}")
        lines = self._answer(command, deadline, seconds)
        mark, text = lines[0][0], "\n".join(lines)[1:].strip()
        if mark == "?":
            raise EngineRefusal(
                f"The engine {self.spec.name!r} refuses {command!r}: {text or 'without a word'}."
            )
        return text

    def _answer(self, command: str, deadline: float, seconds: float) -> list[str]:
        lines: list[str] = []
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                self._fail(f"gave no answer to {command!r} within {seconds:g} seconds")
            if line is None:
                self._fail(f"ended before it answered {command!r}")
            self._talk.append(f"< {line}")
            if not line.strip():
                if lines:
                    return lines
                continue
            if not lines and line[0] not in "=?":
                self._fail(f"answered {command!r} with {line[:80]!r}, which is no GTP")
            lines.append(line)
            if len(lines) > LONGEST_ANSWER:
                self._fail(f"answered {command!r} without end")

    def _fail(self, what: str) -> NoReturn:
        self.close()
        said = next((line[2:] for line in reversed(self._talk) if line.startswith("! ")), "")
        last = f"; the last of its messages: {said[:200]}" if said else ""
        raise EngineFailure(f"The engine {self.spec.name!r} {what}{last}.")

    def log(self) -> str:
        """The last lines of the conversation and of stderr."""
        return "\n".join(line[:200] for line in list(self._talk)[-30:])

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        return self._process.poll() is None

    def close(self) -> None:
        """End it: politely, then not."""
        process = self._process
        if process.poll() is None:
            with contextlib.suppress(OSError, ValueError):
                self._input.write(b"quit\n")
                self._input.flush()
            try:
                process.wait(timeout=1.0)
            except subprocess.TimeoutExpired:
                _kill(process)
                process.wait()
        for reader in self._readers:
            # What it said last is read; but a child that it left behind may hold the pipes open.
            reader.join(timeout=LAST_WORDS)
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None and not any(reader.is_alive() for reader in self._readers):
                with contextlib.suppress(OSError):
                    stream.close()


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a process that does not listen and, where there are groups, what it has started."""
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
