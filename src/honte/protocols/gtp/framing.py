"""GTP 2 framing: lines in, exactly one response a command out.

Source: the GTP 2 specification, draft 2, sections 2.5 to 2.8, and what controllers really send
(CRLF, commands ahead of their answers, a line without its end).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TextIO

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
