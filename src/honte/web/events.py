"""What the server tells the page: every message is one of these types.

Winrates and leads named ``black_…`` are Black's; all other values are from the side to move at
their node. An action is y · width + x from the top left, width · height passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict


class Event(BaseModel):
    """``number`` is that of the request it answers; 0 where nobody asked."""

    model_config = ConfigDict(frozen=True)

    number: int = 0


class SystemInfo(BaseModel):
    name: str
    answer: str
    needs_network: bool
    grows_tree: bool
    """Whether its search is one of visits, to be looked into; alpha-beta's is not."""
    formula: str
    """The kind of its selection; minimax where it grows no tree."""


class Welcome(Event):
    type: Literal["welcome"] = "welcome"
    session: str
    version: str
    systems: list[SystemInfo]
    networks: list[str]
    rules: list[str]
    komi: dict[str, float]
    """The usual komi by the name of the rules."""


class Refused(Event):
    """A request that could not be done, and why, for a person to read."""

    type: Literal["refused"] = "refused"
    message: str


class Done(Event):
    type: Literal["done"] = "done"


class Judgement(BaseModel):
    """What the search thinks of a node of the game."""

    visits: int
    black_winrate: float
    black_lead: float | None
    loss: float | None = None
    """What the move into this node cost its player, in winrate."""
    points_loss: float | None = None
    grade: str | None = None
    """good, doubtful, mistake or blunder."""


class GameNode(BaseModel):
    id: int
    parent: int | None
    player: int | None
    """Who moved into this node; None where it is no move."""
    action: int | None
    comment: str
    judgement: Judgement | None


class Setting(BaseModel):
    """How the engine thinks and who plays."""

    system: str
    network: str
    visits: int
    seconds: float
    black: str
    white: str


class Game(Event):
    """The game and its variations; sent when the tree or a setting changed."""

    type: Literal["game"] = "game"
    serial: int
    """Counts the games of this session; node numbers begin anew with each."""
    width: int
    height: int
    rules: str
    komi: float
    title: str
    black_stones: list[int]
    white_stones: list[int]
    first_player: int
    handicap: int
    nodes: list[GameNode]
    setting: Setting
    warnings: list[str] = []
    has_clock: bool


class Position(Event):
    """What is on the board now."""

    type: Literal["position"] = "position"
    node: int
    board: str
    """Row by row from the top: '.', 'X' black, 'O' white."""
    to_play: int
    last: int | None
    move_number: int
    moves: list[int]
    """All moves since the setup; with the setup the whole position."""
    captured: tuple[int, int]
    """Stones of Black's and of White's that were taken."""
    forbidden: list[int]
    """Empty points where the side to move may not play."""
    over: bool
    outcome: str | None
    """B+3.5, W+R, draw and the like, once the game is over."""


class Candidate(BaseModel):
    action: int
    n: int
    p: float
    q: float
    u: float
    winrate: float
    """The mover's."""
    lead: float | None
    """The mover's, in points."""
    bound: float
    """The lower confidence bound of Q."""
    line: list[int]
    line_visits: list[int]


class Report(Event):
    """The search of a position as it stands."""

    type: Literal["report"] = "report"
    node: int
    player: int
    visits: int
    black_winrate: float
    black_lead: float | None
    raw_black_winrate: float | None
    candidates: list[Candidate]
    best: int | None
    prior: list[float]
    """[A]; illegal actions 0."""
    ownership: list[float] | None
    """[points], +1 where Black will own; None where nothing tells."""
    nodes: int
    per_second: float
    running: bool


class Judged(Event):
    """Nodes of the game whose judgement changed."""

    type: Literal["judged"] = "judged"
    nodes: dict[int, Judgement]


class Working(Event):
    """The long work under way: analyse, think, scan, compare, explore, bandit; None: none."""

    type: Literal["working"] = "working"
    work: str | None
    done: int = 0
    total: int = 0


class ClockFace(BaseModel):
    """What a player's clock shows."""

    model_config = ConfigDict(frozen=True)

    seconds: float
    """Left of main time, or of the period under way."""
    overtime: bool
    moves: int
    """In overtime: the periods left of byo-yomi, the stones still to play of a Canadian period."""


class ClockState(Event):
    """Both clocks, and whose runs (None: neither)."""

    type: Literal["clock"] = "clock"
    kind: str
    black: ClockFace
    white: ClockFace
    running: int | None


class Sgf(Event):
    type: Literal["sgf"] = "sgf"
    text: str
    name: str


class Counted(Event):
    """The score of a position: White's points less Black's."""

    type: Literal["counted"] = "counted"
    node: int
    score: float
    dead: list[int]
    area: list[int]
    """[points]: 0 nobody's, 1 Black's, 2 White's, dead stones taken off."""
    estimate: bool
    """Whether the game goes on, so that this is but a guess."""


TreeRow = tuple[int, int, int, int, float, float, int, float | None]


class SearchTree(Event):
    """The search tree, most visited nodes first to be kept.

    A row: index in the tree, place of its parent among the rows (−1: root), action, N, Q and P
    of the edge into it (Q from the side to move at the parent), the player to move in it, and
    its exact value for that player (for player 0 at a finished game) where it is known.
    """

    type: Literal["search_tree"] = "search_tree"
    node: int
    rows: list[TreeRow]
    total: int


Terms = Literal["q_u", "amaf", "gumbel", "improved"]
"""The terms that a score is the sum of: Q and U; (1 − β) Q, β Q_AMAF and U; Gumbel's at the root,
g, log P and σ(q); inside its tree, π'(a) and −N / (1 + N(s))."""


class Score(BaseModel):
    """What selection compares of an action, term by term."""

    terms: list[float]
    """In the order of the formula's terms."""
    total: float | None
    """Their sum; None where the action comes before all others."""
    beta: float | None = None
    amaf_n: int | None = None
    amaf_q: float | None = None


class TableRow(BaseModel):
    action: int
    n: int
    w: float
    q: float
    p: float
    u: float
    visited: bool
    score: Score


class NodeTable(Event):
    """A node's children and every term of their scores, for its side to move."""

    type: Literal["node_table"] = "node_table"
    path: list[int]
    player: int
    n: int
    total: int
    """N(s): the sum of the children's visits, as the formula has it."""
    value: float
    formula: str
    terms: Terms
    c: float
    """The exploration constant at this N(s); for Gumbel's formula what σ multiplies by."""
    urgency: float | None
    """The value that stands in for an unvisited action; None: unvisited ones come first."""
    rows: list[TableRow]


class StepEdge(BaseModel):
    action: int
    n: int
    w: float
    q: float
    u: float
    p: float
    score: Score | None = None
    """Before the choice."""


class StepOfWay(BaseModel):
    node_index: int
    player: int
    n: int
    urgency: float | None
    terms: Terms
    edges: list[StepEdge]
    chosen: int
    opened: bool
    after: StepEdge


class Simulation(BaseModel):
    index: int
    way: list[StepOfWay]
    leaf_index: int
    leaf_kind: str
    player: int
    value: float
    priors: list[tuple[int, float]] | None
    """(action, prior), highest first; the best 20."""


class Simulations(Event):
    type: Literal["simulations"] = "simulations"
    node: int
    fresh: bool
    """Whether these are the first of a new search."""
    simulations: list[Simulation]
    ended: bool


class ExploredAction(BaseModel):
    action: int
    prior: float
    """After noise."""
    n: int
    q: float
    u: float
    score: Score


class Milestone(BaseModel):
    simulations: int
    visits: list[int]


class CurveRow(BaseModel):
    """A curve, of an action with its prior, or of a parameter."""

    action: int | None = None
    prior: float | None = None
    parameter: float | None = None
    values: Sequence[float | None]
    """None where the action comes before all others."""


class HalvingRound(BaseModel):
    """A round of Gumbel's sequential halving: so many actions get so many visits each."""

    actions: int
    visits: int


class Explored(Event):
    """A selection formula at a node."""

    type: Literal["explored"] = "explored"
    made_up: bool
    player: int
    total: int
    """N(s) of the scores: the sum over the actions."""
    c: float
    urgency: float | None
    terms: Terms
    actions: list[ExploredAction]
    chosen: int | None
    """The action that the next simulation takes."""
    curves: list[CurveRow]
    """At the places of ``curve_visits``, with N(s) as asked for. Where priors guide, and UCB1: U
    over N(s,a). RAVE and GRAVE: β over N(s), for the parameter asked for and others. Gumbel: π'(a)
    over max N."""
    curve_visits: list[int]
    halving: list[HalvingRound]
    """Gumbel's plan for N(s) simulations."""
    milestones: list[Milestone]
    finished: bool


class Regret(BaseModel):
    name: str
    regret: list[float]
    """Mean over the repeats so far, at the pulls of ``at``."""
    pulls: list[float]
    """Mean pulls of each arm."""


class BanditRun(Event):
    type: Literal["bandit_run"] = "bandit_run"
    at: list[int]
    repeats: int
    strategies: list[Regret]
    finished: bool


class Compared(Event):
    """One system's answer; sent again as it grows."""

    type: Literal["compared"] = "compared"
    system: str
    report: Report | None = None
    rows: list[TreeRow] = []
    depth: int | None = None
    """How deep alpha-beta has looked; None for a system with a tree of visits."""
    seconds: float = 0.0
    """Of its own, the others' turns left out."""
    finished: bool = False
    message: str | None = None
    """Why there is no answer."""
