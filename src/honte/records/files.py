"""Files of records: compressed or not, and written so that nothing is ever half there."""

from __future__ import annotations

import gzip
import lzma
import os
import tempfile
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


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text to a file that appears whole or not at all; .gz and .xz are packed."""
    data = text.encode("utf-8", "surrogatepass")
    if path.suffix == ".gz":
        data = gzip.compress(data)
    elif path.suffix == ".xz":
        data = lzma.compress(data)
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise RecordError(f"{path} cannot be written: {error.strerror or error}.") from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        # mkstemp makes files for the owner alone; a record is as open as any new file.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except OSError as error:
        raise RecordError(f"{path} cannot be written: {error.strerror or error}.") from error
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)
