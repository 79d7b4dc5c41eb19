"""Files that are never half there."""

from __future__ import annotations

import gzip
import lzma
import os
import tempfile
from pathlib import Path

from honte.errors import HonteError


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text to a file that appears whole or not at all; .gz and .xz are packed."""
    write_bytes(path, text.encode("utf-8", "surrogatepass"))


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file that appears whole or not at all; .gz and .xz are packed. Raises HonteError
    with the path and the reason."""
    if path.suffix == ".gz":
        data = gzip.compress(data)
    elif path.suffix == ".xz":
        data = lzma.compress(data)
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise HonteError(f"{path} cannot be written: {error.strerror or error}.") from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        # mkstemp makes files for the owner alone; this one is as open as any new file.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except OSError as error:
        raise HonteError(f"{path} cannot be written: {error.strerror or error}.") from error
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)
