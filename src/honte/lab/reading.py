"""Players as people write them: a line ``name=a;preset=katago;visits=100``, or a TOML table."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from honte.errors import HonteError
from honte.lab.board_games import GameSpec
from honte.lab.specs import (
    AlphaBetaPlayerSpec,
    EnginePlayerSpec,
    LeafValue,
    Limits,
    MatchSpec,
    PlayerSpec,
    SearchPlayerSpec,
)
from honte.players.named import preset
from honte.search import SearchConfig
from honte.toml_files import read_toml

_BETWEEN_PAIRS = re.compile(r""";(?=(?:[^"']|"[^"]*"|'[^']*')*$)""")
"""A semicolon that is not inside quotes, as a command line may have them."""

ROLLOUT_PRESETS = ("uct", "rave", "grave")
"""Their leaves are answered by rollouts, unless a player of theirs names a network itself."""

_PHASES = tuple(SearchConfig.model_fields)
_LEAF = tuple(LeafValue.model_fields)
_LIMITS = tuple(Limits.model_fields)
_PLAYER = ("keep_tree", "cache", "alone")
_ENGINE = ("setup", "timeout", "start_timeout")


def parse_player(text: str, *, network: str | None = None) -> PlayerSpec:
    """Read ``key=value`` pairs between semicolons.

    A search: ``name``, ``preset`` (default: katago with a network, else uct), ``network`` (default:
    the one given, but for UCT, RAVE and GRAVE; ``none`` for none), any field of its configuration
    by its path (``selection.c_puct=2``), ``policy``, ``rollout_weight``, ``rollouts``,
    ``rollout_policy`` (``uniform``, ``patterns`` or a file of ``honte train rollout``), ``visits``,
    ``simulations``, ``seconds``, ``keep_tree``, ``cache``.
    Alpha-beta: ``preset=alphabeta``, ``depth``, ``network``, ``rollouts``, limits if wanted.
    An engine: ``name``, ``engine`` (its command line), ``timeout``. Values are TOML; what is none
    is text. Raises HonteError that names the pair at fault.
    """
    table: dict[str, Any] = {}
    for pair in _BETWEEN_PAIRS.split(text):
        if not pair.strip():
            continue
        key, equals, value = pair.partition("=")
        if not equals:
            raise HonteError(f"In the player {text!r}, {pair.strip()!r} is no key=value.")
        key = key.strip().replace("-", "_")
        _put(table, key, read_value(value.strip()), text)
    return player_of_table(table, f"the player {text!r}", network=network)


def read_value(text: str) -> Any:
    """A TOML value, or the text itself where it is none."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _put(table: dict[str, Any], key: str, value: Any, where: str) -> None:
    *path, last = key.split(".")
    for step in path:
        below = table.setdefault(step, {})
        if not isinstance(below, dict):
            raise HonteError(f"In {where!r}, {key} is below {step}, which has a value of its own.")
        table = below
    table[last] = value


def player_of_table(
    table: Mapping[str, Any], where: str, *, network: str | None = None
) -> PlayerSpec:
    """A player from a table of TOML, or of :func:`parse_player`.

    ``where`` is named in errors. Raises HonteError for an unknown key and for what cannot be.
    """
    given = dict(table)
    try:
        if "engine" in given:
            return _engine(given)
        if given.get("preset") == "alphabeta":
            return _alphabeta(given, network)
        return _search(given, network)
    except HonteError as error:
        raise HonteError(f"In {where}: {error}") from None


def _engine(given: dict[str, Any]) -> EnginePlayerSpec:
    command = str(given.pop("engine"))
    name = str(given.pop("name", command.split()[0] if command.split() else "engine"))
    kept = {key: given.pop(key) for key in _ENGINE if key in given}
    _refuse_rest(given, ("name", "engine", *_ENGINE))
    return EnginePlayerSpec(name=name, command=command, **kept)


def _alphabeta(given: dict[str, Any], network: str | None) -> AlphaBetaPlayerSpec:
    leaf = _leaf(given, network)
    limits = {key: given.pop(key) for key in _LIMITS if key in given}
    kept = {key: given.pop(key) for key in ("depth",) if key in given}
    system = str(given.pop("preset"))
    name = str(given.pop("name", system))
    _refuse_rest(given, ("name", "preset", "depth", *_LEAF, *_LIMITS))
    return AlphaBetaPlayerSpec(
        name=name, leaf=LeafValue(**leaf), limits=Limits(**limits) if limits else None, **kept
    )


def _leaf(given: dict[str, Any], network: str | None) -> dict[str, Any]:
    """The fields of :class:`LeafValue`, taken out of what was given."""
    leaf = {key: given.pop(key) for key in _LEAF if key in given}
    if "network" not in leaf and network is not None:
        leaf["network"] = network
    if leaf.get("network") == "none":
        leaf["network"] = None
    return leaf


def _search(given: dict[str, Any], network: str | None) -> SearchPlayerSpec:
    system = given.pop("preset", None)
    leaf = _leaf(given, None if system in ROLLOUT_PRESETS else network)
    limits = {key: given.pop(key) for key in _LIMITS if key in given}
    kept = {key: given.pop(key) for key in _PLAYER if key in given}
    system = system or ("katago" if leaf.get("network") else "uct")
    name = str(given.pop("name", system))
    phases = {key: given.pop(key) for key in _PHASES if key in given}
    _refuse_rest(given, ("name", "preset", "engine", *_PHASES, *_LEAF, *_LIMITS, *_PLAYER))
    if system == "policy_only" and not limits:
        limits = {"visits": 1}
    return SearchPlayerSpec(
        name=name,
        search=with_changes(preset(str(system)), phases),
        leaf=LeafValue(**leaf),
        limits=Limits(**limits),
        **kept,
    )


def with_changes(config: SearchConfig, changes: Mapping[str, Any]) -> SearchConfig:
    """The configuration with some fields changed, as nested tables of TOML give them.

    A ``kind`` that differs drops the fields of the kind that was there. Raises HonteError for
    what cannot be.
    """
    return SearchConfig(**_merged(config.model_dump(mode="json"), changes))


def _merged(old: Any, changes: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(old, dict) or changes.get("kind", old.get("kind")) != old.get("kind"):
        old = {}
    new = dict(old)
    for key, value in changes.items():
        if isinstance(value, Mapping):
            new[key] = _merged(old.get(key), value)
        else:
            new[key] = None if value == "none" else value
    return new


def with_field(spec: SearchPlayerSpec, field: str, value: Any, name: str) -> SearchPlayerSpec:
    """A player that differs in one field: a path in its search, or a key of the player itself."""
    table: dict[str, Any] = {}
    _put(table, field, value, field)
    head = field.split(".")[0]
    data: dict[str, Any] = {key: getattr(spec, key) for key in type(spec).model_fields}
    if head in _PHASES:
        data["search"] = with_changes(spec.search, table)
    elif field in _LEAF:
        data["leaf"] = LeafValue(**{**spec.leaf.model_dump(), field: value})
    elif field in _LIMITS:
        data["limits"] = Limits(**{**spec.limits.model_dump(), field: value})
    elif field in _PLAYER:
        data[field] = value
    else:
        raise HonteError(
            f"There is no field {field!r} to vary; there are {', '.join(_PHASES)} with a path "
            f"below them (selection.c_puct), {', '.join((*_LEAF, *_LIMITS, *_PLAYER))}."
        )
    return SearchPlayerSpec(**{**data, "name": name})


def _refuse_rest(rest: Mapping[str, Any], known: Sequence[str]) -> None:
    if rest:
        raise HonteError(
            f"{', '.join(map(repr, rest))} means nothing for a player; there are "
            f"{', '.join(known)}."
        )


def read_match_file(
    path: Path, *, network: str | None = None
) -> tuple[GameSpec | None, MatchSpec | None, list[PlayerSpec]]:
    """A TOML file with ``[game]``, ``[match]`` and any number of ``[[player]]``.

    What the file leaves out is None. Raises HonteError that names the file and the fault.
    """
    data = read_toml(path)
    unknown = set(data) - {"game", "match", "player"}
    if unknown:
        raise HonteError(
            f"{path} has {', '.join(sorted(unknown))}; a match file has game, match and player."
        )
    try:
        game = GameSpec(**data["game"]) if "game" in data else None
        match = MatchSpec(**data["match"]) if "match" in data else None
    except HonteError as error:
        raise HonteError(f"In {path}: {error}") from None
    players = [
        player_of_table(table, f"player {number} of {path}", network=network)
        for number, table in enumerate(data.get("player", []), 1)
    ]
    return game, match, players
