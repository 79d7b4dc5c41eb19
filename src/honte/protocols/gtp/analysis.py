"""Live analysis over GTP: Leela Zero's, KataGo's and Sabaki's forms."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from honte.errors import HonteError
from honte.games.go import GoState, parse_vertex
from honte.players.ownership import OwnershipReport, kept_ownership
from honte.protocols.analysis_format import (
    KataGoFields,
    katago_line,
    leela_zero_line,
    make_report,
)
from honte.protocols.gtp.commands import (
    Arguments,
    command,
    parse_number,
)
from honte.protocols.gtp.engine import Engine
from honte.protocols.gtp.playing import choose, commit, spoken
from honte.protocols.raw_network import raw_network_of
from honte.protocols.restrictions import Restrictions
from honte.search import Budget, Restriction, SearchResult

ANALYSIS_VISITS = 1_000_000_000
"""Analysis goes on until it is interrupted."""
SHORTEST_INTERVAL, LONGEST_INTERVAL = 0.01, 1e6
DEFAULT_INTERVAL = 1.0

_FLAGS = {
    "rootInfo": "root_info",
    "ownership": "ownership",
    "ownershipStdev": "ownership_stdev",
    "movesOwnership": "moves_ownership",
    "movesOwnershipStdev": "moves_ownership_stdev",
    "pvVisits": "pv_visits",
    "pvEdgeVisits": "pv_edge_visits",
    "noResultValue": "no_result_value",
}


@dataclass(frozen=True, slots=True)
class AnalysisRequest:
    """What an analysis command asks for."""

    colour: int
    leela_zero: bool
    interval: float = DEFAULT_INTERVAL
    """Seconds between reports."""
    minimum_moves: int = 0
    maximum_moves: int | None = None
    fields: KataGoFields = field(default_factory=KataGoFields)
    restrictions: Restrictions = field(default_factory=Restrictions)

    @property
    def wants_moves_ownership(self) -> bool:
        """Whether ownership after single moves is asked for."""
        return self.fields.moves_ownership or self.fields.moves_ownership_stdev

    @property
    def wants_ownership(self) -> bool:
        """Whether ownership of any kind is asked for."""
        fields = self.fields
        return fields.ownership or fields.ownership_stdev or self.wants_moves_ownership


def read_request(engine: Engine, arguments: Arguments) -> AnalysisRequest:
    """``[colour] [interval in centiseconds] [key value …]``. An unknown key is an error: that is
    how clients find out what an engine can do."""
    state = engine.game.state
    colour = arguments.optional_colour()
    request = AnalysisRequest(
        colour=colour if colour is not None else state.to_play,
        leela_zero=arguments.name.startswith("lz-"),
    )
    if arguments.left and parse_number(arguments.peek() or "") is not None:
        request = replace(request, interval=_interval(arguments))
        if colour is None and (colour := arguments.optional_colour()) is not None:
            request = replace(request, colour=colour)
    while arguments.left:
        key = arguments.word()
        if key == "interval":
            request = replace(request, interval=_interval(arguments))
        elif key == "minmoves":
            request = replace(request, minimum_moves=arguments.integer("minmoves", 0, 10**9))
        elif key == "maxmoves":
            request = replace(request, maximum_moves=arguments.integer("maxmoves", 0, 10**9))
        elif key in ("avoid", "allow"):
            restriction = _restriction(state, arguments, allow=key == "allow")
            request = replace(request, restrictions=request.restrictions.with_one(restriction))
        elif key in _FLAGS and not request.leela_zero:
            flag = {_FLAGS[key]: arguments.boolean(key)}
            request = replace(request, fields=replace(request.fields, **flag))
        else:
            raise HonteError(f"syntax error: {arguments.name} has no key '{key[:40]}'")
    return request


def _interval(arguments: Arguments) -> float:
    seconds = arguments.number("the interval") / 100
    if not 0 <= seconds <= LONGEST_INTERVAL:
        raise HonteError("syntax error: the interval must be a number of centiseconds ≥ 0")
    return max(seconds, SHORTEST_INTERVAL)


def _restriction(state: GoState, arguments: Arguments, *, allow: bool) -> Restriction:
    player = arguments.colour()
    words = arguments.word("vertices").split(",")
    actions = [parse_vertex(word, state.width, state.height) for word in words if word]
    depth = arguments.integer("a depth", 1)
    return Restriction(player, frozenset(actions), depth, allow)


def _line(engine: Engine, request: AnalysisRequest, state: GoState, result: SearchResult) -> str:
    tree = engine.player.tree
    assert tree is not None  # the result is its
    ownership: OwnershipReport | None = None
    if request.wants_ownership:
        moves = request.wants_moves_ownership
        ownership = kept_ownership(tree, state, of_moves=moves)
        if ownership is None:
            ownership = engine.counter.ownership(state, result, of_moves=moves)
    report = make_report(
        state,
        result,
        tree,
        engine.parameters.view,
        minimum_moves=request.minimum_moves,
        maximum_moves=request.maximum_moves,
        allowed_actions=request.restrictions.allowed_at_root(state),
        ownership=ownership,
    )
    return leela_zero_line(report) if request.leela_zero else katago_line(report, request.fields)


def _keep_ownership(engine: Engine, request: AnalysisRequest) -> None:
    """From the first client's wish for ownership on, searches keep that of every evaluation: a
    tree grown without would have to be dropped at each change."""
    if request.wants_ownership and raw_network_of(engine.player.evaluator) is not None:
        engine.parameters = engine.parameters.keeping_ownership(True)


@command("lz-analyze", "kata-analyze", "analyze")
def analyze(engine: Engine, arguments: Arguments) -> str:
    """Search and report until any input comes."""
    request = read_request(engine, arguments)
    state = engine.game.state_for(request.colour)
    allowed = request.restrictions.allowed_at_root(state)
    _keep_ownership(engine, request)
    engine.player.reconfigure(config=engine.parameters.analysis_config())
    engine.response.begin()

    def report(result: SearchResult) -> None:
        engine.response.line(_line(engine, request, state, result))

    with engine.interruptible() as interruption:
        result = engine.player.think(
            engine.game,
            request.colour,
            Budget(visits=ANALYSIS_VISITS),
            on_report=report,
            report_every=request.interval,
            allowed_actions=allowed,
            restrictions=request.restrictions.below_root,
            interruption=interruption,
        )
        if not engine.input_waits():
            # The search has come to its own end: the position is solved or memory is full.
            report(result)
            engine.wait_for_input()
    return ""


def _choose_aloud(engine: Engine, arguments: Arguments, *, cancellable: bool, play: bool) -> str:
    request = read_request(engine, arguments)
    state = engine.game.state_for(request.colour)
    allowed = request.restrictions.allowed_at_root(state)
    _keep_ownership(engine, request)
    engine.response.begin()

    def report(result: SearchResult) -> None:
        engine.response.line(_line(engine, request, state, result))

    options: dict[str, Any] = {
        "on_report": report,
        "report_every": request.interval,
        "allowed_actions": allowed,
        "restrictions": request.restrictions.below_root,
    }
    if cancellable:
        with engine.interruptible() as interruption:
            choice = choose(engine, request.colour, interruption=interruption, **options)
        if choice.interrupted:
            return "play cancelled"
    else:
        choice = choose(engine, request.colour, **options)
    if choice.result is not None and choice.result.children:
        report(choice.result)
    return "play " + (commit(engine, request.colour, choice) if play else spoken(engine, choice))


@command("lz-genmove_analyze", "kata-genmove_analyze", "genmove_analyze")
def genmove_analyze(engine: Engine, arguments: Arguments) -> str:
    """As ``genmove``, with reports on the way; ends with ``play V``."""
    return _choose_aloud(engine, arguments, cancellable=False, play=True)


@command("kata-search_analyze")
def search_analyze(engine: Engine, arguments: Arguments) -> str:
    """As ``kata-genmove_analyze``, without playing."""
    return _choose_aloud(engine, arguments, cancellable=False, play=False)


@command("kata-search_analyze_cancellable")
def search_analyze_cancellable(engine: Engine, arguments: Arguments) -> str:
    """As ``kata-search_analyze``; any input cancels it."""
    return _choose_aloud(engine, arguments, cancellable=True, play=False)
