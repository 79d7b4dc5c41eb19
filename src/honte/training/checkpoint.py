"""Checkpoints: the whole state of a run in one file that is either whole or refused.

The file carries the digest of its content. The one before is kept beside it, so that a damaged
file costs the time between two checkpoints and no more.
"""

from __future__ import annotations

import hashlib
import io
import os
from pathlib import Path
from typing import Any

import torch

from honte.errors import HonteError

_MAGIC = b"honte checkpoint 1\n"
_DIGEST = 64


def previous_of(path: Path) -> Path:
    """Where the checkpoint before this one is kept."""
    return path.with_name(path.name + ".previous")


def save_checkpoint(path: Path, state: dict[str, Any]) -> None:
    """Write tensors and plain values; the last checkpoint is kept as the previous one.

    Killed at any moment, this leaves the old checkpoint or the new one. Raises HonteError where
    the disk is full or the folder cannot be written, and the old checkpoint is then as it was.
    """
    buffer = io.BytesIO()
    torch.save(state, buffer)
    content = buffer.getvalue()
    digest = hashlib.sha256(content).hexdigest().encode("ascii")
    write_whole(path, _MAGIC + digest + content, keep_previous=True)


def write_whole(path: Path, content: bytes, *, keep_previous: bool = False) -> None:
    """Write a file that appears whole or not at all, and is on the disk when this returns.

    Raises HonteError where it cannot be written; what was there before is then untouched.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    link = path.with_name(f".{path.name}.{os.getpid()}.link")
    try:
        with open(temporary, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if keep_previous and path.exists():
            link.unlink(missing_ok=True)
            os.link(path, link)
            os.replace(link, previous_of(path))
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        link.unlink(missing_ok=True)
        raise HonteError(
            f"{path} cannot be written: {error.strerror or error}. What was there before is "
            "untouched: make room and start the run again."
        ) from None


def load_checkpoint(path: Path) -> dict[str, Any]:
    """Read a checkpoint. Raises HonteError where it is damaged, naming the last good one."""
    try:
        return _read(path)
    except FileNotFoundError:
        raise HonteError(f"There is no checkpoint at {path}.") from None
    except (OSError, ValueError) as error:
        previous = previous_of(path)
        try:
            _read(previous)
        except (OSError, ValueError):
            raise HonteError(
                f"{path} is damaged ({error}), and there is no good checkpoint before it: start "
                "the run in a new folder."
            ) from None
        raise HonteError(
            f"{path} is damaged ({error}). The last good checkpoint is {previous}: start again "
            "with --previous to go on from it."
        ) from None


def _read(path: Path) -> dict[str, Any]:
    content = path.read_bytes()
    start = len(_MAGIC) + _DIGEST
    if not content.startswith(_MAGIC):
        raise ValueError("it is no checkpoint of honte")
    payload = memoryview(content)[start:]
    if hashlib.sha256(payload).hexdigest().encode("ascii") != content[len(_MAGIC) : start]:
        raise ValueError("its content does not match its digest")
    state: dict[str, Any] = torch.load(io.BytesIO(payload), weights_only=True)
    return state
