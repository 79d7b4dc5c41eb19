"""Sessions on disk, so that a game is still there after a restart: one small file each."""

from __future__ import annotations

import logging
import os
import re
import tempfile
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from honte.web.clocks import SavedClocks
from honte.web.events import Setting

logger = logging.getLogger(__name__)

_NAME = re.compile(r"[A-Za-z0-9_-]{16,64}")


class Saved(BaseModel):
    """What is kept of a session."""

    model_config = ConfigDict(frozen=True)

    sgf: str
    way: list[int]
    """To the node shown: which child at each node from the root."""
    setting: Setting
    outcome: str | None = None
    clocks: SavedClocks | None = None
    thinking: bool = False
    """Whether the engine was about to move."""


def is_session_name(name: str) -> bool:
    """Whether this could be a session's name; nothing else ever names a file."""
    return _NAME.fullmatch(name) is not None


class Store:
    """A folder with a file for each session; None keeps nothing."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def load(self, name: str) -> Saved | None:
        """What was kept under a name; None where there is nothing that can be read."""
        if self._folder is None or not is_session_name(name):
            return None
        path = self._path(name)
        try:
            return Saved.model_validate_json(path.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValidationError) as error:
            logger.warning("The session in %s cannot be read: %s", path, error)
            return None

    def save(self, name: str, saved: Saved) -> None:
        """Keep a session: the file appears whole or not at all."""
        if self._folder is None or not is_session_name(name):
            return
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, temporary = tempfile.mkstemp(dir=self._folder, suffix=".part")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(saved.model_dump_json())
            os.replace(temporary, self._path(name))
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise

    def _path(self, name: str) -> Path:
        assert self._folder is not None
        return self._folder / f"{name}.json"
