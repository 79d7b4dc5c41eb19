"""Files of records, compressed or not."""

from __future__ import annotations

import gzip
import lzma
import zlib
from pathlib import Path

from honte.records.findings import RecordError

_GZIP = b"\x1f\x8b"
_XZ = b"\xfd7zXZ\x00"


def read_bytes(path: Path) -> bytes:
    """The content of a file, unpacked where it is gzip or xz (by content, not by name)."""
    try:
        data = path.read_bytes()
    except IsADirectoryError:
        raise RecordError(f"{path} is a folder; give the record inside it.") from None
    except OSError as error:
        raise RecordError(f"{path} cannot be read: {error.strerror or error}.") from error
    return unpack(data, str(path))


def unpack(data: bytes, name: str = "The record") -> bytes:
    """Bytes as they are, or what a gzip or xz stream of them holds."""
    try:
        if data.startswith(_GZIP):
            return gzip.decompress(data)
        if data.startswith(_XZ):
            return lzma.decompress(data)
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise RecordError(f"{name} is compressed, and broken: {error}.") from error
    return data
