"""Reading the tokens of a KataGo network file, whatever is in the file.

The file may come from anywhere, so nothing it says is believed before it is there: floats are read
in pieces, and a false size ends at the end of the file rather than in an allocation.
"""

from __future__ import annotations

import gzip
import io
import math
import re
import zlib
from pathlib import Path
from types import TracebackType
from typing import NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from honte.errors import HonteError

LARGEST_CONTENT = 2**31 - 2**20
"""Most bytes of weights read from one file: an ONNX graph cannot hold 2 GiB."""
LONGEST_TOKEN = 400
PIECE = 1 << 18
WHITE_SPACE = b" \t\r\n\v\f"

_FOREIGN = (
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"PK\x03\x04", "a zip archive (perhaps a PyTorch checkpoint, which has to be exported first)"),
    (b"\x80\x02", "a Python pickle"),
    (b"\x80\x04", "a Python pickle"),
    (b"\x80\x05", "a Python pickle"),
    (b"(;", "a game record"),
    (b"%PDF", "a PDF document"),
    (b"<", "a web page or XML"),
    (b"{", "JSON"),
)
_INTEGER = re.compile(rb"-?[0-9]{1,9}\Z")
_PRINTABLE = re.compile(rb"[!-~]+\Z")


class KataGoStream:
    """The tokens and float blocks of one file; every complaint is a sentence naming the file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._where = ""
        try:
            self._file = path.open("rb")
        except FileNotFoundError:
            raise HonteError(f"There is no network file at {path}.") from None
        except OSError as error:
            raise HonteError(f"The network file {path} cannot be opened: {error}.") from None
        compressed = self._file.peek(2)[:2] == b"\x1f\x8b"
        self._content = gzip.GzipFile(fileobj=self._file) if compressed else self._file
        self._piece = b""
        self._position = 0
        self._read = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def fail(self, complaint: str) -> NoReturn:
        """Raise the sentence about this file that ``complaint`` ends."""
        where = f" (at {self._where})" if self._where else ""
        raise HonteError(f"{self.path} cannot be read as a KataGo network: {complaint}{where}.")

    def enter(self, layer: str) -> None:
        """Name the layer that complaints are about from here on."""
        self._where = layer

    def begin(self) -> None:
        """Look at the first bytes and refuse by name what is plainly something else."""
        self._fill(16)
        start = self._piece[:16]
        if not start:
            self.fail("the file is empty")
        for magic, what in _FOREIGN:
            if start.lstrip(WHITE_SPACE).startswith(magic):
                self.fail(f"it is {what}; a .bin.gz or .txt.gz file was expected")

    def _more(self) -> bytes:
        try:
            piece = self._content.read(PIECE)
        except EOFError:
            self.fail("it is cut short; download or copy it again")
        except (gzip.BadGzipFile, zlib.error, OSError) as error:
            self.fail(f"its compressed content is damaged ({error}); download or copy it again")
        self._read += len(piece)
        if self._read > LARGEST_CONTENT:
            self.fail("it holds more than 2 GiB, which no network that can be run does")
        return piece

    def _fill(self, count: int) -> bool:
        """Have at least ``count`` bytes ahead; False when the file ends before."""
        while len(self._piece) - self._position < count:
            piece = self._more()
            if not piece:
                return False
            self._piece = self._piece[self._position :] + piece
            self._position = 0
        return True

    def _skip_white_space(self) -> bool:
        """Go to the next byte that is not white space; False at the end of the file."""
        while self._fill(1):
            rest = self._piece[self._position : self._position + LONGEST_TOKEN]
            skipped = len(rest) - len(rest.lstrip(WHITE_SPACE))
            self._position += skipped
            if skipped < len(rest):
                return True
        return False

    def token(self, what: str) -> bytes:
        """The next token; ``what`` says in a complaint what it should have been."""
        if not self._skip_white_space():
            self.fail(f"it ends where {what} was expected")
        self._fill(LONGEST_TOKEN + 1)
        ahead = self._piece[self._position : self._position + LONGEST_TOKEN + 1]
        token = ahead.split(None, 1)[0]
        if len(token) > LONGEST_TOKEN or not _PRINTABLE.match(token):
            self.fail(f"{what} was expected and something unreadable is there")
        self._position += len(token)
        return token

    def name(self, what: str) -> str:
        return self.token(f"the name of {what}").decode("ascii")

    def integer(self, what: str, *, least: int | None = None) -> int:
        token = self.token(what)
        if not _INTEGER.match(token):
            self.fail(f"{what} should be a whole number and is {token[:40].decode('ascii')!r}")
        value = int(token)
        if least is not None and value < least:
            self.fail(f"{what} should be at least {least} and is {value}")
        return value

    def flag(self, what: str) -> bool:
        value = self.integer(what)
        if value not in (0, 1):
            self.fail(f"{what} should be 0 or 1 and is {value}")
        return bool(value)

    def number(self, what: str, *, positive: bool = False) -> float:
        token = self.token(what)
        try:
            value = float(token)
        except ValueError:
            self.fail(f"{what} should be a number and is {token[:40].decode('ascii')!r}")
        if not math.isfinite(value) or (positive and value <= 0):
            self.fail(f"{what} should be a {'positive ' if positive else ''}number and is {value}")
        return value

    def floats(self, count: int) -> NDArray[np.float32]:
        """The next ``count`` weights, [count]: a binary block where one begins, else decimals."""
        if 4 * count > LARGEST_CONTENT:
            self.fail(f"it claims {count} weights in one layer, more than any network has")
        if not self._skip_white_space():
            self.fail(f"it ends where {count} weights were expected")
        self._fill(5)
        if self._piece[self._position : self._position + 1] == b"@":
            values = self._binary_floats(count)
        else:
            values = self._decimal_floats(count)
        if not np.isfinite(values).all():
            self.fail("a weight is not a finite number")
        return values

    def _binary_floats(self, count: int) -> NDArray[np.float32]:
        if self._piece[self._position : self._position + 5] != b"@BIN@":
            self.fail("a block of weights does not begin with @BIN@")
        self._position += 5
        block = io.BytesIO()
        missing = 4 * count
        while missing:
            if not self._fill(1):
                held = (4 * count - missing) // 4
                self.fail(f"it ends after {held} of the {count} weights of a layer")
            piece = self._piece[self._position : self._position + missing]
            block.write(piece)
            self._position += len(piece)
            missing -= len(piece)
        return np.frombuffer(block.getbuffer(), dtype="<f4").astype(np.float32)

    def _decimal_floats(self, count: int) -> NDArray[np.float32]:
        blocks: list[NDArray[np.float32]] = []
        missing = count
        while missing:
            if not self._skip_white_space():
                self.fail(f"it ends after {count - missing} of the {count} weights of a layer")
            at_end = not self._fill(PIECE)
            ahead = self._piece[self._position :]
            # A number that the piece cuts is left for the next one.
            complete = len(ahead) if at_end else _last_white_space(ahead)
            if complete <= 0:
                self.fail("a weight is expected and something unreadable is there")
            tokens = ahead[:complete].split(None, missing)
            rest = tokens.pop() if len(tokens) > missing else b""
            try:
                with np.errstate(over="ignore"):
                    blocks.append(np.array([float(token) for token in tokens], dtype=np.float32))
            except ValueError:
                self.fail("a weight is not a number")
            self._position += complete - len(rest)
            missing -= len(tokens)
        return np.concatenate(blocks)

    def end(self) -> None:
        """Make sure that nothing follows; this also checks the checksum of the compression."""
        if self._skip_white_space():
            self.fail("something follows after the network's last layer")


def _last_white_space(text: bytes) -> int:
    return max(text.rfind(character.to_bytes(1, "little")) for character in WHITE_SPACE)
