"""What the page may ask for over its socket: every message is one of these types."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from honte.errors import HonteError
from honte.players.clock import ByoYomi, Canadian, Fischer, TimeSystem
from honte.search.config import (
    Grave,
    Gumbel,
    PolynomialPuct,
    Puct,
    Rave,
    RootNoise,
    Ucb1,
    UctLikePuct,
)

LARGEST_SGF = 1_000_000
"""Characters of a record."""
MOST_VISITS = 100_000
MOST_MOVES = 2_000
Seat = Literal["person", "engine"]
Point = Annotated[int, Field(ge=0, lt=626)]


class Request(BaseModel):
    """A message from the page; ``number`` comes back in the answer to it."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    number: int = Field(default=0, ge=0)


class _ClockSettings(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, frozen=True)

    main: float = Field(ge=0, le=86_400)
    """Seconds for each player."""


class FischerSettings(_ClockSettings):
    """Main time, and seconds added after each move; none: sudden death."""

    kind: Literal["fischer"]
    increment: float = Field(default=0.0, ge=0, le=3_600)

    def system(self) -> TimeSystem:
        """The time system."""
        return Fischer(self.main, self.increment)


class ByoYomiSettings(_ClockSettings):
    """Main time, then periods of which one is lost when a move takes longer."""

    kind: Literal["byo_yomi"]
    period: float = Field(ge=1, le=3_600)
    periods: int = Field(ge=1, le=99)

    def system(self) -> TimeSystem:
        """The time system."""
        return ByoYomi(self.main, self.period, self.periods)


class CanadianSettings(_ClockSettings):
    """Main time, then so many stones in each period."""

    kind: Literal["canadian"]
    period: float = Field(ge=1, le=36_000)
    stones: int = Field(ge=1, le=99)

    def system(self) -> TimeSystem:
        """The time system."""
        return Canadian(self.main, self.period, self.stones)


ClockSettings = Annotated[
    FischerSettings | ByoYomiSettings | CanadianSettings, Field(discriminator="kind")
]


class NewGame(Request):
    """A fresh board; ``moves`` and stones are those of a shared address."""

    type: Literal["new_game"]
    width: int = Field(default=9, ge=2, le=25)
    height: int = Field(default=9, ge=2, le=25)
    rules: str = Field(default="chinese", max_length=400)
    komi: float | None = Field(default=None, ge=-400, le=400)
    handicap: int = Field(default=0, ge=0, le=9)
    black: Seat = "person"
    white: Seat = "person"
    clock: ClockSettings | None = None
    moves: list[Point] = Field(default=[], max_length=MOST_MOVES)
    black_stones: list[Point] = Field(default=[], max_length=625)
    white_stones: list[Point] = Field(default=[], max_length=625)
    to_play: Literal[0, 1] | None = None


class LoadSgf(Request):
    """A game record as text."""

    type: Literal["load_sgf"]
    text: str = Field(max_length=LARGEST_SGF)


class Play(Request):
    """A move of the side to move at the position shown; W · H is a pass."""

    type: Literal["play"]
    action: int = Field(ge=-1, le=1_000_000)


class Resign(Request):
    """The side to move gives up."""

    type: Literal["resign"]


class GoTo(Request):
    """Show another position of the tree."""

    type: Literal["go_to"]
    node: int = Field(ge=0)


class Delete(Request):
    """Take a node and all that follows it out of the tree."""

    type: Literal["delete"]
    node: int = Field(ge=1)


class Configure(Request):
    """Who plays, and how the engine thinks; what is left out stays."""

    type: Literal["configure"]
    system: str | None = Field(default=None, max_length=40)
    network: str | None = Field(default=None, max_length=200)
    visits: int | None = Field(default=None, ge=1, le=MOST_VISITS)
    seconds: float | None = Field(default=None, ge=0, le=600)
    """Per move; 0: as long as the visits take."""
    black: Seat | None = None
    white: Seat | None = None


class Analyse(Request):
    """Search the position shown, live, or stop doing so."""

    type: Literal["analyse"]
    on: bool


class Think(Request):
    """Let the engine move now, whoever's turn it is."""

    type: Literal["think"]


class Scan(Request):
    """Search every position of the line shown and judge its moves."""

    type: Literal["scan"]
    visits: int = Field(default=100, ge=1, le=5_000)


class Cancel(Request):
    """Stop the long work under way."""

    type: Literal["cancel"]


class GetSgf(Request):
    """The game as a record."""

    type: Literal["get_sgf"]


class Count(Request):
    """The score of the position shown; ``dead`` are stones the players agree on."""

    type: Literal["count"]
    dead: list[Point] | None = Field(default=None, max_length=625)


class Watch(Request):
    """Send the search tree with each report."""

    type: Literal["watch"]
    nodes: int = Field(default=0, ge=0, le=5_000)
    """At most so many nodes; 0: no tree."""


class Table(Request):
    """The children of a node of the search tree, their scores taken apart."""

    type: Literal["table"]
    path: list[Point] = Field(max_length=500)


class BeginSteps(Request):
    """A fresh search of the position shown, to be stepped through."""

    type: Literal["begin_steps"]


class MoreSteps(Request):
    """The next simulations of the stepped search."""

    type: Literal["more_steps"]
    count: int = Field(default=1, ge=1, le=100)


class MadeUpAction(BaseModel):
    """An action of a made-up node."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, frozen=True)

    prior: float = Field(ge=0, le=1)
    value: float = Field(ge=-1, le=1)
    amaf: float = Field(default=0.0, ge=-1, le=1)
    """Q_AMAF: what the playouts are worth in which the mover plays it at any time."""


class Explore(Request):
    """What a selection formula does at a node, made up or the position shown."""

    type: Literal["explore"]
    selection: Annotated[
        Ucb1 | Puct | PolynomialPuct | UctLikePuct | Rave | Grave | Gumbel,
        Field(discriminator="kind"),
    ]
    noise: RootNoise | None = None
    actions: list[MadeUpAction] = Field(default=[], max_length=20)
    """None: the position shown, with its network."""
    amaf_share: float = Field(default=0.5, gt=0, le=1)
    """In such a part of a made-up node's simulations each action is played at some time."""
    visits: int = Field(default=100, ge=0, le=10_000)
    """N(s): simulations made when the scores are read."""
    milestones: list[Annotated[int, Field(ge=1, le=10_000)]] = Field(
        default=[10, 100, 1600], max_length=5
    )
    curve_visits: list[Annotated[int, Field(ge=0, le=100_000)]] = Field(
        default=[0, 1, 5, 10, 50, 100, 400], max_length=20
    )
    """Where the curves are read."""
    seed: int = Field(default=0, ge=0, lt=2**32)


class RunBandit(Request):
    """Several selection formulas on the same arms."""

    type: Literal["run_bandit"]
    means: list[Annotated[float, Field(ge=0, le=1)]] = Field(min_length=2, max_length=10)
    pulls: int = Field(default=500, ge=10, le=2_000)
    repeats: int = Field(default=20, ge=1, le=100)
    c_ucb: float = Field(default=1.0, ge=0, le=10)
    c_puct: float = Field(default=1.5, ge=0, le=10)
    seed: int = Field(default=0, ge=0, lt=2**32)


class Compare(Request):
    """Several systems on the position shown."""

    type: Literal["compare"]
    systems: list[Annotated[str, Field(max_length=40)]] = Field(min_length=1, max_length=8)
    visits: int = Field(default=200, ge=1, le=20_000)


AnyRequest = Annotated[
    NewGame
    | LoadSgf
    | Play
    | Resign
    | GoTo
    | Delete
    | Configure
    | Analyse
    | Think
    | Scan
    | Cancel
    | GetSgf
    | Count
    | Watch
    | Table
    | BeginSteps
    | MoreSteps
    | Explore
    | RunBandit
    | Compare,
    Field(discriminator="type"),
]
_ADAPTER: TypeAdapter[AnyRequest] = TypeAdapter(AnyRequest)


def parse_request(text: str | bytes) -> AnyRequest:
    """A request from its JSON. Raises HonteError, in a sentence, for anything else."""
    try:
        return _ADAPTER.validate_json(text)
    except ValidationError as error:
        raise HonteError(_sentence(error)) from None


def _sentence(error: ValidationError) -> str:
    fault = error.errors(include_url=False)[0]
    place = ".".join(str(step) for step in fault["loc"])
    message = fault["msg"][0].lower() + fault["msg"][1:]
    if fault["type"] == "json_invalid":
        return f"The message is not JSON: {message}."
    if fault["type"] in ("union_tag_invalid", "union_tag_not_found"):
        return "The message has no type that this server knows; load the page anew."
    shown = repr(fault["input"])
    if len(shown) > 60:
        shown = shown[:57] + "…"
    return f"The message cannot be used: {place} = {shown}: {message}."
