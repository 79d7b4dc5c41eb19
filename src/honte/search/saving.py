"""Trees on disk: a search saved and taken up again, in another process or on another day.

A file holds the configuration, a name of the position and the tree, under a checksum. Loading
executes nothing from the file; the position itself is given by whoever loads it.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from honte.errors import HonteError

if TYPE_CHECKING:
    from honte.search.search import Search

MAGIC = b"honte tree 3\n"
"""Changes with the layout of the tree."""


def save(search: Search, path: str | Path) -> None:
    """Write the tree of a search; an existing file is replaced only by a whole new one."""
    path = Path(path)
    header = json.dumps({"position": name_of(search.state), "move": search._move}).encode()
    tree = zlib.compress(search._core.saved_tree(), 1)
    body = struct.pack("<I", len(header)) + header + tree
    temporary = path.with_name(path.name + ".part")
    with open(temporary, "wb") as file:
        file.write(MAGIC + struct.pack("<I", zlib.crc32(body)) + body)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def load_into(search: Search, path: str | Path) -> None:
    """Give a search the tree of a file, saved at the same position.

    Raises HonteError if the file cannot be read, is damaged or another thing, or was saved at
    another position; the search then keeps its own tree.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise HonteError(f"Cannot read the tree {path}: {error.strerror}.") from None
    if not data.startswith(MAGIC):
        raise HonteError(f"{path} is not a search tree that this version of honte saved.")
    body = data[len(MAGIC) + 4 :]
    if data[len(MAGIC) : len(MAGIC) + 4] != struct.pack("<I", zlib.crc32(body)):
        raise HonteError(f"{path} is damaged: its checksum is wrong. Save the tree again.")
    (length,) = struct.unpack("<I", body[:4])
    header = json.loads(body[4 : 4 + length])
    if header["position"] != name_of(search.state):
        raise HonteError(f"{path} was saved at another position than the search's.")
    try:
        search._core.load_tree(zlib.decompress(body[4 + length :]))
    except ValueError as error:
        raise HonteError(f"{path} cannot be used: {error}.") from None
    search._move = int(header["move"])


def name_of(state: Any) -> str:
    """Tells positions apart: how the state draws itself, with what it may do."""
    return f"{type(state).__name__}\n{state}\n{list(state.legal_actions())}"
