"""What travels: a network's file goes through Ray's object store, and lies on each machine once;
games go packed."""

from __future__ import annotations

import hashlib
import importlib
import os
import pickle
import tempfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from honte.cluster.connection import Cluster
from honte.errors import HonteError


@dataclass(frozen=True, slots=True)
class Parcel:
    """A file on its way: what it is called and a fingerprint of what is in it."""

    name: str
    digest: str
    content: Any
    """Ray's reference to its bytes."""

    def open(self) -> bytes:
        """What is in it."""
        content: bytes = importlib.import_module("ray").get(self.content)
        return content

    def unpack(self) -> Path:
        """Its file on this machine, written unless it is there. Raises HonteError if it cannot
        be."""
        path = _folder() / self.digest / self.name
        if not path.exists():
            try:
                _write(path, self.open())
            except OSError as error:
                raise HonteError(f"{path} cannot be written: {error.strerror or error}.") from None
        return path


def parcel_of(cluster: Cluster, path: Path) -> Parcel:
    """Put a file where every machine can fetch it. Raises HonteError if it cannot be read."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise HonteError(f"Cannot read {path}: {error.strerror}.") from None
    digest = hashlib.sha256(content).hexdigest()[:32]
    return Parcel(path.name, digest, cluster.ray.put(content))


def packed(value: object) -> bytes:
    """A game as it travels: planes are mostly empty, and a link is shared by all."""
    return zlib.compress(pickle.dumps(value), 1)


def unpacked(content: bytes) -> Any:
    """The inverse of :func:`packed`; only for what a machine of the own cluster sent."""
    return pickle.loads(zlib.decompress(content))


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, part = tempfile.mkstemp(prefix=".part-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(part, path)
    finally:
        Path(part).unlink(missing_ok=True)


def _folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(base) if base else Path.home() / ".cache") / "honte" / "networks"
