"""Who plays: a search by its configuration, network and budget, alpha-beta by its depth, or a GTP
engine by its command.

A specification says everything that makes a player what it is. It is stored beside the games, so
that a match cannot go on with other players under the same names.
"""

from __future__ import annotations

import shlex
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from honte.search import Budget, SearchConfig
from honte.search.alphabeta import MAXIMUM_DEPTH
from honte.search.config import Gumbel, Phase


class Limits(Phase):
    """How long a player thinks about a move; whichever comes first ends its search."""

    visits: int | None = Field(default=None, ge=1)
    """Visits of the root, inherited ones included."""
    simulations: int | None = Field(default=None, ge=1)
    """New simulations a move."""
    seconds: float | None = Field(default=None, gt=0.0)
    """Wall-clock time a move."""

    @model_validator(mode="after")
    def _limited(self) -> Self:
        if self.visits is None and self.simulations is None and self.seconds is None:
            raise ValueError("A player needs a limit: give visits, simulations or seconds.")
        return self

    def budget(self) -> Budget:
        """The same as a search takes it. An inherited tree alone is no thought: at least one
        simulation is made."""
        return Budget(
            visits=self.visits,
            simulations=self.simulations,
            seconds=self.seconds,
            minimum_simulations=1,
        )


class LeafValue(Phase):
    """What answers the leaves: AlphaGo's V = (1 − λ) v + λ z and its prior, each on or off."""

    network: str | None = None
    """A network's file; None: random rollouts alone."""
    policy: bool = True
    """Whether the network's policy is the prior; otherwise every action has the same."""
    rollout_weight: float = Field(default=0.0, ge=0.0, le=1.0)
    """λ, the weight of a random rollout against the network's value."""
    rollouts: int = Field(default=1, ge=1)
    """Playouts for each leaf, where there are any."""
    rollout_policy: str = Field(default="uniform", min_length=1)
    """How the moves of playouts are drawn: ``uniform``; ``patterns``, the policy that comes with
    honte; or a file of ``honte train rollout``. A policy is for Go."""

    @property
    def blind(self) -> bool:
        """Whether no network is asked for anything."""
        return self.network is None or (not self.policy and self.rollout_weight == 1.0)


class SearchPlayerSpec(Phase):
    """A player of honte's."""

    kind: Literal["search"] = "search"
    name: str = Field(min_length=1, max_length=80)
    search: SearchConfig
    leaf: LeafValue = LeafValue()
    limits: Limits
    keep_tree: bool = True
    """Whether the tree below the moves played is kept."""
    cache: int = Field(default=0, ge=0, le=10_000_000)
    """Positions whose evaluations are kept over a game; 0 for none."""
    alone: bool = False
    """Whether its searches never share a batch with another game's: batches then hold leaves of
    one tree only, as in a single game."""

    @model_validator(mode="after")
    def _plans(self) -> Self:
        limited = self.limits.visits is not None or self.limits.simulations is not None
        if isinstance(self.search.selection, Gumbel) and not limited:
            raise ValueError(
                f"The player {self.name!r} halves its simulations [Gumbel] and needs to know "
                "them: give visits or simulations, not seconds alone."
            )
        return self


class AlphaBetaPlayerSpec(Phase):
    """Minimax with alpha-beta pruning, see :class:`honte.search.AlphaBeta`."""

    kind: Literal["alphabeta"] = "alphabeta"
    name: str = Field(min_length=1, max_length=80)
    depth: int = Field(default=4, ge=1, le=MAXIMUM_DEPTH)
    """Actions to look ahead, where the limits allow it."""
    leaf: LeafValue = LeafValue()
    """Who judges the positions at the depth; there is no prior to switch off."""
    limits: Limits | None = None
    """Visits and simulations are positions; None: to the depth, whatever it costs."""


class EnginePlayerSpec(Phase):
    """A program that speaks GTP."""

    kind: Literal["engine"] = "engine"
    name: str = Field(min_length=1, max_length=80)
    command: str = Field(min_length=1)
    """The command line, split as a shell splits it; no shell runs it. ``{seed}`` in
    it becomes a number that differs from process to process."""
    setup: tuple[str, ...] = ()
    """GTP commands sent once after the start, before the first game."""
    timeout: float = Field(default=60.0, gt=0.0)
    """Seconds for an answer; after that the engine counts as hung, and loses the game."""
    start_timeout: float = Field(default=60.0, gt=0.0)
    """Seconds for the first answer: networks take long to load."""

    @model_validator(mode="after")
    def _splits(self) -> Self:
        try:
            parts = shlex.split(self.command)
        except ValueError as error:
            raise ValueError(
                f"The command of {self.name!r} cannot be split into words: {error}."
            ) from None
        if not parts:
            raise ValueError(f"The command of {self.name!r} is empty.")
        return self

    @property
    def arguments(self) -> list[str]:
        """The program and its arguments."""
        return shlex.split(self.command)


PlayerSpec = Annotated[
    SearchPlayerSpec | AlphaBetaPlayerSpec | EnginePlayerSpec, Field(discriminator="kind")
]


class AgreedEnd(Phase):
    """A game ends before its end only where both players' own searches say the same of it.

    One player's belief never ends a game: a resignation by a player that is wrong about its
    positions would count against it, and only against it. A share of the games that would have
    ended so is played on, and the table says how often the agreement was wrong.
    """

    winrate: float = Field(default=0.03, gt=0.0, lt=0.5)
    """Both give the same side less than this."""
    turns: int = Field(default=3, ge=1)
    """Each of them, this many turns in a row."""
    checked: float = Field(default=0.1, ge=0.0, le=1.0)
    """The share of games that is played to the end all the same."""


class OpeningsSpec(Phase):
    """The first moves of a pair of games, which both players get from both sides."""

    plies: int = Field(default=4, ge=0, le=60)
    """Moves drawn at random: from the judge's prior where it has one."""
    balance: float = Field(default=0.3, gt=0.0, le=1.0)
    """The largest value, in [−1, 1], that the judge may give either side; 1 takes all."""
    network: str | None = None
    """Who judges; None: random rollouts."""


class MatchSpec(Phase):
    """What all games of a store share; it cannot change once the first game is played."""

    openings: OpeningsSpec = OpeningsSpec()
    agreed_end: AgreedEnd | None = AgreedEnd()
    """None: every game is played to its end."""
    longest: float = Field(default=3.0, gt=0.0)
    """Moves, as a multiple of the board's points, after which the game ends: Go counts the board
    as it stands, other games are drawn."""
    seed: int = Field(default=0, ge=0)
