"""Where the tests find the data that is too large or not free to live in the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("HONTE_SHARED", REPOSITORY.parent / "shared"))


def shared_file(*parts: str) -> Path:
    """A file of the shared data; skips the test, saying so, where it is not there."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"needs {'/'.join(parts)} in {SHARED} (set HONTE_SHARED to its folder)")
    return path
