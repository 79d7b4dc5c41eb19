"""The named systems of :mod:`honte.presets`, found by what a person types."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import get_type_hints

from honte import presets
from honte.errors import HonteError
from honte.search import SearchConfig


def preset_names() -> list[str]:
    """The named systems of :mod:`honte.presets` that are searches of visits."""
    return [
        name
        for name, value in inspect.getmembers(presets, inspect.isfunction)
        if value.__module__ == presets.__name__ and get_type_hints(value)["return"] is SearchConfig
    ]


def preset(name: str) -> SearchConfig:
    """A named system. Raises HonteError that lists the names."""
    wanted = name.lower().replace("-", "_")
    if wanted not in preset_names():
        raise HonteError(f"There is no preset {name!r}; there are {', '.join(preset_names())}.")
    make: Callable[[], SearchConfig] = getattr(presets, wanted)
    return make()
