"""The other end of GTP: an engine in a process of its own, asked one command at a time."""

from __future__ import annotations

import queue
import shlex
import subprocess
import threading

from honte.errors import HonteError


class EngineFailure(HonteError):
    """An engine that died, fell silent or refused a command it has to know."""


class GtpClient:
    """An engine started by a command line. Not for several threads at once."""

    def __init__(self, command: str, *, timeout: float = 300.0) -> None:
        """Raises HonteError if the command cannot be started."""
        self.command = command
        self._timeout = timeout
        words = shlex.split(command)
        if not words:
            raise HonteError("An engine needs a command line, such as 'gnugo --mode gtp'.")
        try:
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
                errors="replace",
                bufsize=1,
            )
        except OSError as error:
            raise HonteError(
                f"The engine {words[0]} cannot be started: {error.strerror}."
            ) from None
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.name = self.ask("name")

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.rstrip("\r\n"))
        self._lines.put(None)

    def ask(self, command: str) -> str:
        """The answer to a command, without its mark.

        Raises :class:`EngineFailure` where the engine answers with an error, ends, or says
        nothing within the time.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(command + "\n")
            self._process.stdin.flush()
        except OSError:
            raise EngineFailure(f"{self.command} has ended before {command!r}.") from None
        lines: list[str] = []
        while True:
            try:
                line = self._lines.get(timeout=self._timeout)
            except queue.Empty:
                raise EngineFailure(
                    f"{self.command} did not answer {command!r} within {self._timeout:g} seconds."
                ) from None
            if line is None:
                raise EngineFailure(f"{self.command} ended while answering {command!r}.")
            if line == "":
                if lines:
                    break
                continue
            lines.append(line)
        answer = "\n".join(lines)
        if answer.startswith("="):
            return answer[1:].strip()
        raise EngineFailure(f"{self.command} refuses {command!r}: {answer.lstrip('?').strip()}.")

    def close(self) -> None:
        """End the engine: politely, then by force."""
        try:
            assert self._process.stdin is not None
            self._process.stdin.write("quit\n")
            self._process.stdin.close()
            self._process.wait(timeout=3)
        except (OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
