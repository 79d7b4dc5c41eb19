"""A query of KataGo's JSON analysis engine, read and checked."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from honte.errors import HonteError
from honte.games.go import (
    BLACK,
    WHITE,
    Go,
    GoState,
    HandicapBonus,
    IllegalMove,
    Rules,
    format_vertex,
)
from honte.players.game import Game
from honte.protocols.json_analysis import fields
from honte.protocols.json_analysis.fields import FieldError
from honte.protocols.parameters import Parameters, UnknownParameter
from honte.protocols.restrictions import Restrictions
from honte.search import Restriction

LARGEST_KOMI = 400
LARGEST_PRIORITY = 1 << 62
SMALLEST_SIZE, LARGEST_SIZE = 2, 25

KNOWN_FIELDS = frozenset(
    {
        "id",
        "moves",
        "rules",
        "boardXSize",
        "boardYSize",
        "initialStones",
        "initialPlayer",
        "komi",
        "whiteHandicapBonus",
        "analyzeTurns",
        "maxVisits",
        "rootPolicyTemperature",
        "rootFpuReductionMax",
        "analysisPVLen",
        "includeOwnership",
        "includeOwnershipStdev",
        "includeMovesOwnership",
        "includeMovesOwnershipStdev",
        "includePolicy",
        "includePVVisits",
        "includeNoResultValue",
        "avoidMoves",
        "allowMoves",
        "overrideSettings",
        "reportDuringSearchEvery",
        "firstReportDuringSearchAfter",
        "priority",
        "priorities",
    }
)


@dataclass(frozen=True, slots=True)
class Turn:
    """One position of a query."""

    number: int
    state: GoState
    priority: int
    judged: GoState
    """The same position as the network is told of it: without the moves before it, unless the
    query wants them shown."""

    @property
    def board_shape(self) -> tuple[int, int]:
        """(height, width)."""
        return self.state.height, self.state.width


@dataclass(frozen=True, slots=True)
class Warning:
    """Something in a query that is passed over."""

    field: str
    sentence: str


@dataclass(frozen=True, slots=True)
class AnalysisQuery:
    """Positions to analyse and what to say about them."""

    identifier: str
    turns: tuple[Turn, ...]
    parameters: Parameters
    report_every: float | None
    first_report_after: float | None
    include_ownership: bool = False
    include_ownership_stdev: bool = False
    include_moves_ownership: bool = False
    include_moves_ownership_stdev: bool = False
    include_policy: bool = False
    include_pv_visits: bool = False
    include_no_result_value: bool = False
    pv_length: int | None = None
    restrictions: Restrictions = field(default_factory=Restrictions)
    warnings: tuple[Warning, ...] = ()

    @property
    def wants_moves_ownership(self) -> bool:
        """Whether ownership after single moves is asked for."""
        return self.include_moves_ownership or self.include_moves_ownership_stdev

    @property
    def wants_ownership(self) -> bool:
        """Whether ownership of any kind is asked for."""
        return self.include_ownership or self.include_ownership_stdev or self.wants_moves_ownership


def read_query(data: Mapping[str, Any], defaults: Parameters) -> AnalysisQuery:
    """Check a query and play its moves. Raises :class:`FieldError` for the first field that
    cannot be."""
    identifier = str(data["id"])
    warnings = [
        Warning(name, "Unexpected or unused field, do you have a typo?")
        for name in data
        if name not in KNOWN_FIELDS
    ]
    width = _size(data, "boardXSize")
    height = _size(data, "boardYSize")
    if "moves" not in data:
        raise FieldError("moves", "Must specify an array of [player,location] pairs")
    moves = fields.moves(data, "moves", width, height, allow_pass=True)
    stones = fields.moves(data, "initialStones", width, height, allow_pass=False)
    rules = _rules(data)
    komi = _komi(data, rules)
    hides_moves, parameters, more_warnings = _parameters(data, defaults)
    warnings += more_warnings
    turn_numbers = fields.integers(data, "analyzeTurns", 0, len(moves))
    priorities = _priorities(data, turn_numbers)
    if turn_numbers is None:
        turn_numbers = [len(moves)]
    if not turn_numbers:
        warnings.append(Warning("analyzeTurns", "There is no turn in it: nothing is analysed"))
    if len(set(turn_numbers)) != len(turn_numbers):
        warnings.append(Warning("analyzeTurns", "Turns that are given twice are analysed once"))
    states = _play(Go(width, height, rules, komi), stones, moves, data, set(turn_numbers))
    turns = {
        number: Turn(
            number,
            states[number],
            priority,
            states[number].without_earlier_moves() if hides_moves else states[number],
        )
        for number, priority in zip(turn_numbers, priorities, strict=True)
    }
    restrictions = _restrictions(data, width, height)
    for turn in turns.values():
        try:
            restrictions.allowed_at_root(turn.state)
        except HonteError as error:
            name = "allowMoves" if "allowMoves" in data else "avoidMoves"
            raise FieldError(name, f"Turn {turn.number}: {error}") from error
    return AnalysisQuery(
        identifier=identifier,
        turns=tuple(turns.values()),
        parameters=parameters,
        report_every=fields.number(data, "reportDuringSearchEvery", 0.001, 1e6),
        first_report_after=fields.number(data, "firstReportDuringSearchAfter", 0.001, 1e6),
        include_ownership=fields.boolean(data, "includeOwnership"),
        include_ownership_stdev=fields.boolean(data, "includeOwnershipStdev"),
        include_moves_ownership=fields.boolean(data, "includeMovesOwnership"),
        include_moves_ownership_stdev=fields.boolean(data, "includeMovesOwnershipStdev"),
        include_policy=fields.boolean(data, "includePolicy"),
        include_pv_visits=fields.boolean(data, "includePVVisits"),
        include_no_result_value=fields.boolean(data, "includeNoResultValue"),
        pv_length=fields.integer(data, "analysisPVLen", 1, 1000),
        restrictions=restrictions,
        warnings=tuple(warnings),
    )


def _size(data: Mapping[str, Any], name: str) -> int:
    try:
        size = fields.integer(data, name, SMALLEST_SIZE, LARGEST_SIZE)
    except FieldError:
        size = None
    if size is None:
        raise FieldError(name, f"Must provide an integer from {SMALLEST_SIZE} to {LARGEST_SIZE}")
    return size


def _rules(data: Mapping[str, Any]) -> Rules:
    given = data.get("rules")
    if not isinstance(given, str | dict):
        raise FieldError(
            "rules",
            'Must specify rules string, such as "chinese" or "tromp-taylor", or a JSON object '
            "with detailed rules parameters.",
        )
    try:
        rules = Rules.parse(given if isinstance(given, str) else json.dumps(given))
    except HonteError as error:
        raise FieldError("rules", f"Could not parse rules: {error}") from error
    if "whiteHandicapBonus" in data:
        names = {"0": HandicapBonus.NONE, "N": HandicapBonus.N, "N-1": HandicapBonus.N_MINUS_ONE}
        bonus = names.get(str(data["whiteHandicapBonus"]).upper())
        if bonus is None:
            raise FieldError("whiteHandicapBonus", 'Must be "0", "N" or "N-1"')
        rules = replace(rules, handicap_bonus=bonus)
    return rules


def _komi(data: Mapping[str, Any], rules: Rules) -> float:
    wanted = f"Must be a integer or half-integer from -{LARGEST_KOMI}.0 to {LARGEST_KOMI}.0"
    try:
        komi = fields.number(data, "komi", -LARGEST_KOMI, LARGEST_KOMI)
    except FieldError as error:
        raise FieldError("komi", wanted) from error
    if komi is None:
        return rules.default_komi
    if not (2 * komi).is_integer():
        raise FieldError("komi", wanted)
    return komi


def _parameters(
    data: Mapping[str, Any], defaults: Parameters
) -> tuple[bool, Parameters, list[Warning]]:
    """Whether the moves before a position are hidden from the network, what else the query
    changes, and what is passed over."""
    hides_moves, parameters = True, defaults
    warnings: list[Warning] = []
    overrides = data.get("overrideSettings", {})
    if not isinstance(overrides, dict):
        raise FieldError("overrideSettings", "Must be an object")
    unknown: list[str] = []
    for name, value in overrides.items():
        if name == "ignorePreRootHistory":
            # Of queries alone: a player's tree lives on, and with it what it was told.
            if not isinstance(value, bool):
                raise FieldError("overrideSettings", f"{name} must be true or false")
            hides_moves = value
            continue
        try:
            parameters = parameters.with_value(name, value)
        except UnknownParameter:
            unknown.append(name)
        except HonteError as error:
            raise FieldError("overrideSettings", f"Could not set settings: {error}") from error
    if unknown:
        warnings.append(Warning("overrideSettings", f"Unknown config params: {','.join(unknown)}"))
    for name, low, high in (
        ("rootPolicyTemperature", 0.01, 100.0),
        ("rootFpuReductionMax", 0.0, 2.0),
    ):
        value = fields.number(data, name, low, high)
        if value is not None:
            parameters = parameters.with_value(name, value)
    visits = fields.integer(data, "maxVisits", 1, 1 << 50)
    if visits is not None:
        parameters = parameters.with_value("maxVisits", visits)
    return hides_moves, parameters, warnings


def _priorities(data: Mapping[str, Any], turn_numbers: Sequence[int] | None) -> list[int]:
    priorities = fields.integers(data, "priorities", -LARGEST_PRIORITY, LARGEST_PRIORITY)
    priority = fields.integer(data, "priority", -LARGEST_PRIORITY, LARGEST_PRIORITY)
    if priorities is None:
        return [priority or 0] * (len(turn_numbers) if turn_numbers is not None else 1)
    if turn_numbers is None:
        raise FieldError("priorities", "Can only specify when also specifying analyzeTurns")
    if priority is not None:
        raise FieldError("priority", "Cannot specify both priority and priorities")
    if len(priorities) != len(turn_numbers):
        raise FieldError("priorities", "Must be of matching length to analyzeTurns")
    return priorities


def _play(
    go: Go,
    stones: Sequence[tuple[int, int]],
    moves: Sequence[tuple[int, int]],
    data: Mapping[str, Any],
    wanted: set[int],
) -> dict[int, GoState]:
    """The states of the turns wanted, each with the right player to move."""
    game = Game(go.width, go.height, go.rules, go.komi)
    black = [action for player, action in stones if player == BLACK]
    white = [action for player, action in stones if player == WHITE]
    first = BLACK if len(black) - len(white) < 2 or white else WHITE
    if moves:
        first = moves[0][0]
    if "initialPlayer" in data:
        first = fields.player(data["initialPlayer"], "initialPlayer")
    try:
        game.set_up(black=black, white=white, to_play=first)
    except HonteError as error:
        raise FieldError("initialStones", str(error)) from error
    states: dict[int, GoState] = {}
    for number in range(len(moves) + 1):
        if number in wanted:
            next_player = moves[number][0] if number < len(moves) else game.state.to_play
            states[number] = game.state_for(next_player)
        if number < len(moves):
            player, action = moves[number]
            try:
                game.play(player, action)
            except IllegalMove as error:
                vertex = format_vertex(action, go.width, go.height)
                raise FieldError("moves", f"Illegal move {number}: {vertex}") from error
    return states


def _restrictions(data: Mapping[str, Any], width: int, height: int) -> Restrictions:
    if "avoidMoves" in data and "allowMoves" in data:
        raise FieldError("allowMoves", "Cannot specify both allowMoves and avoidMoves")
    name = "allowMoves" if "allowMoves" in data else "avoidMoves"
    entries = data.get(name, [])
    wanted = "Must be a list of dicts with subfields 'player', 'moves', 'untilDepth'"
    if not isinstance(entries, list):
        raise FieldError(name, wanted)
    restrictions = Restrictions()
    for entry in entries:
        if not isinstance(entry, dict) or not {"player", "moves", "untilDepth"} <= entry.keys():
            raise FieldError(name, wanted)
        if not isinstance(entry["moves"], list):
            raise FieldError(name, wanted)
        actions = [fields.action(vertex, name, width, height) for vertex in entry["moves"]]
        depth = entry["untilDepth"]
        if isinstance(depth, bool) or not isinstance(depth, int) or not 1 <= depth <= 10**9:
            raise FieldError(name, "untilDepth must be a positive integer")
        restriction = Restriction(
            fields.player(entry["player"], name),
            frozenset(actions),
            depth,
            allow=name == "allowMoves",
        )
        try:
            restrictions = restrictions.with_one(restriction)
        except HonteError as error:
            raise FieldError(
                name, "Cannot specify allowMoves more than once for the same player"
            ) from error
    return restrictions
