"""TOML files that people write."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from honte.errors import HonteError


def read_toml(path: str | Path) -> dict[str, Any]:
    """The tables of a file. Raises HonteError that names the file and the fault."""
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise HonteError(f"Cannot read {path}: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise HonteError(f"{path} is not TOML: {error}.") from None
