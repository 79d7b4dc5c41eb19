"""Writes the presets side by side into docs/explanation/presets.md, from honte.presets itself.

python docs/presets.py
"""

from __future__ import annotations

import inspect
import runpy
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from honte import presets
from honte.search import AlphaBetaConfig, SearchConfig

PAGE = Path(__file__).parent / "explanation" / "presets.md"
START, END = "<!-- presets -->\n", "<!-- end of presets -->\n"
ALWAYS_SHOWN = {"c", "c_puct", "schedule", "reference", "considered", "concentration"}
PHASES = ("selection", "expansion", "backup", "decision")

markdown = runpy.run_path(str(Path(__file__).parent / "docstrings.py"))["markdown"]


def systems() -> Iterator[tuple[str, SearchConfig | AlphaBetaConfig, str]]:
    """Each way to call each preset: how it is written, what it makes, and its docstring."""
    for name, make in vars(presets).items():
        if not inspect.isfunction(make) or make.__module__ != presets.__name__:
            continue
        yield f"{name}()", make(), inspect.getdoc(make) or ""
        if "self_play" in inspect.signature(make).parameters:
            yield f"{name}(self_play=True)", make(self_play=True), ""


def written(value: Any) -> str:
    """A part of a configuration as code, without what is as it always is and matters little."""
    if isinstance(value, Enum):
        return value.name
    if not isinstance(value, BaseModel):
        return f"{value:g}" if isinstance(value, float) else str(value)
    fields = []
    for name, field in type(value).model_fields.items():
        given = getattr(value, name)
        if given is None or (name == "kind" and isinstance(given, str)):
            continue
        if given != field.default or name in value.model_fields_set or name in ALWAYS_SHOWN:
            fields.append(f"{name}={written(given)}")
    return f"{type(value).__name__}({', '.join(fields)})"


def table() -> list[str]:
    lines = [f"| preset | {' | '.join(PHASES)} |", "|---" * (1 + len(PHASES)) + "|"]
    for call, config, _ in systems():
        if isinstance(config, AlphaBetaConfig):
            shown = [f"minimax to depth {config.depth}", "every action, by the last depth's order"]
            cells = [*shown, "the best value, for the side to move", "the best value"]
        else:
            parts = [getattr(config, phase) for phase in PHASES]
            cells = [f"`{text}`" if (text := written(part)) else "" for part in parts]
            plain = {f"`{phase.capitalize()}()`": "as always" for phase in ("expansion", "backup")}
            cells = [plain.get(cell, cell) for cell in cells]
        lines.append(f"| `{call}` | {' | '.join(cells)} |")
    return lines


def descriptions() -> list[str]:
    lines = []
    for call, _, docstring in systems():
        if docstring:
            lines += ["", f"### {call.removesuffix('()')}", "", *markdown(docstring).splitlines()]
    return lines


def page(text: str) -> str:
    """The page with what stands between the marks made anew."""
    before, rest = text.split(START)
    _, after = rest.split(END)
    return "\n".join([before + START, *table(), *descriptions(), "", END]) + after


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
