"""Reading the fields of a JSON object, each with its type and bounds."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from honte.errors import HonteError
from honte.games.go import BLACK, WHITE, parse_vertex

DEEPEST_JSON = 64
_COORDINATES = re.compile(r"\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)")


class FieldError(HonteError):
    """One field of a query cannot be; the query is refused."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field = field


def load_object(line: bytes) -> dict[str, Any]:
    """One JSON object of a line. Raises :class:`HonteError` for anything else: bytes that are not
    UTF-8, NaN and infinities, nesting deeper than any query."""
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise HonteError(f"The line is not UTF-8 at byte {error.start}.") from error
    _check_depth(text)
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise HonteError(f"The line is not JSON: {error}.") from error
    except (RecursionError, ValueError) as error:
        raise HonteError(f"The line is no JSON that can be read: {error}.") from error
    if not isinstance(value, dict):
        raise HonteError('The line is JSON but no object: a query is {"id": …, …}.')
    return value


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _check_depth(text: str) -> None:
    depth = 0
    for match in re.finditer(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', text):
        mark = match.group()
        if mark in "[{":
            depth += 1
            if depth > DEEPEST_JSON:
                raise HonteError(f"The line nests deeper than {DEEPEST_JSON} levels.")
        elif mark in "]}":
            depth -= 1


def integer(data: Mapping[str, Any], field: str, low: int, high: int) -> int | None:
    """A whole number within bounds, None where the field is missing."""
    if field not in data:
        return None
    value = data[field]
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise FieldError(field, f"Must be an integer from {low} to {high}")
    return value


def number(data: Mapping[str, Any], field: str, low: float, high: float) -> float | None:
    """A number within bounds, None where the field is missing."""
    if field not in data:
        return None
    value = data[field]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise FieldError(field, f"Must be a number from {low:g} to {high:g}")
    if not (math.isfinite(value) and low <= value <= high):
        raise FieldError(field, f"Must be a number from {low:g} to {high:g}")
    return float(value)


def boolean(data: Mapping[str, Any], field: str) -> bool:
    """True or false; false where the field is missing."""
    value = data.get(field, False)
    if not isinstance(value, bool):
        raise FieldError(field, "Must be a boolean")
    return value


def integers(data: Mapping[str, Any], field: str, low: int, high: int) -> list[int] | None:
    """A list of whole numbers within bounds, None where the field is missing."""
    if field not in data:
        return None
    values = data[field]
    if not isinstance(values, list):
        raise FieldError(field, "Must be an array of integers")
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise FieldError(field, f"Must be an array of integers from {low} to {high}")
    return values


def player(value: Any, field: str) -> int:
    """``"B"`` or ``"W"`` in any case."""
    match value.lower() if isinstance(value, str) else None:
        case "b" | "black":
            return BLACK
        case "w" | "white":
            return WHITE
    raise FieldError(field, 'Must be "b" or "w"')


def action(value: Any, field: str, width: int, height: int, *, allow_pass: bool = True) -> int:
    """A vertex such as ``"C4"``, ``"pass"`` or ``"(x,y)"`` counted from the top left."""
    if isinstance(value, str):
        if match := _COORDINATES.fullmatch(value.strip()):
            x, y = int(match.group(1)), int(match.group(2))
            if x < width and y < height:
                return y * width + x
        else:
            try:
                parsed = parse_vertex(value, width, height)
            except HonteError:
                parsed = None
            if parsed is not None and (allow_pass or parsed != width * height):
                return parsed
    shown = value if isinstance(value, str) else json.dumps(value)
    raise FieldError(field, f"Could not parse board location: {shown[:40]}")


def moves(
    data: Mapping[str, Any], field: str, width: int, height: int, *, allow_pass: bool
) -> list[tuple[int, int]]:
    """A list of [player, vertex] pairs, as (player, action)."""
    pairs = data.get(field, [])
    wanted = 'Must be an array of pairs of the form: ["b" or "w", GTP board vertex]'
    if not isinstance(pairs, list):
        raise FieldError(field, wanted)
    read = []
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[0], str):
            raise FieldError(field, wanted)
        who = player(pair[0], field)
        read.append((who, action(pair[1], field, width, height, allow_pass=allow_pass)))
    return read
