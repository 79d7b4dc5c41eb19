"""What a study is, and what every one is made from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from honte.errors import HonteError
from honte.lab.board_games import GameSpec
from honte.lab.plots import Published
from honte.lab.reading import parse_player, with_field
from honte.lab.schedule import Chain, Gauntlet, RoundRobin
from honte.lab.specs import AlphaBetaPlayerSpec, PlayerSpec, SearchPlayerSpec

USUAL_SIZE = 9


@dataclass(frozen=True, slots=True)
class StudyOptions:
    """What a study can be repeated with; None: the study's own default."""

    network: str | None = None
    visits: int | None = None
    pairs: int | None = None
    size: int = USUAL_SIZE
    seconds: float = 0.05
    """Time a move, where players are compared at equal time."""
    katago: str | None = None
    """The program, for the study against it."""
    folder: Path = field(default_factory=Path)
    """Where the study's files go."""
    speed: Callable[[SearchPlayerSpec | AlphaBetaPlayerSpec], float] | None = None
    """Simulations, or positions, a CPU second of a player, where time is to be equal."""

    @property
    def game(self) -> GameSpec:
        """What is played."""
        return GameSpec(size=self.size)

    def needed_network(self) -> str:
        """The network. Raises HonteError where there is none."""
        if self.network is None:
            raise HonteError("This table needs a network: give --network FILE.")
        return self.network

    def base(self, system: str, visits: int) -> SearchPlayerSpec:
        """A named system with the network and so many visits, unless the options say how many."""
        number = self.visits or visits
        text = f"name=base;preset={system};visits={number}"
        player = parse_player(text, network=self.needed_network())
        assert isinstance(player, SearchPlayerSpec)
        return player

    def policy_alone(self) -> PlayerSpec:
        """The network's policy without a search."""
        text = "name=policy alone;preset=policy_only;visits=1"
        return parse_player(text, network=self.needed_network())


@dataclass(frozen=True)
class Study:
    """A match, why it is played, and what the texts say."""

    name: str
    title: str
    question: str
    settings: str
    """In words: what all players share."""
    players: tuple[PlayerSpec, ...]
    schedule: RoundRobin | Gauntlet | Chain
    game: GameSpec
    said: str
    """What the papers and texts say."""
    anchor: str | None = None
    axis: dict[str, float] = field(default_factory=dict)
    """Players by a number to plot them over; empty: by name."""
    axis_label: str = ""
    logarithmic: bool = False
    published: Published | None = None


def study_name(name: str, size: int) -> str:
    """A study's name and that of its files: on another board than 9 × 9 the size is in it."""
    return name if size == USUAL_SIZE else f"{name}-{size}x{size}"


def names_of(players: Sequence[PlayerSpec]) -> tuple[str, ...]:
    """The players' names."""
    return tuple(player.name for player in players)


def with_fields(base: SearchPlayerSpec, fields: Mapping[str, Any], name: str) -> SearchPlayerSpec:
    """A player that differs in some fields, each a path as :func:`with_field` takes it."""
    player = base.model_copy(update={"name": name})
    for path, value in fields.items():
        player = with_field(player, path, value, name)
    return player
