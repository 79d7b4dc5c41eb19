"""What a search found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from honte.games.go import WHITE, GoState
from honte.games.go.picture import Bubble, Picture, board_svg


class StopReason(Enum):
    """Why a search ended."""

    VISITS = "visits"
    SIMULATIONS = "simulations"
    TIME = "time"
    SETTLED = "settled"
    """The runner-up could no longer catch up."""
    PROVEN = "proven"
    """The root's exact value is known."""
    DEPTH = "depth"
    """Every line was followed to the configured depth (alpha-beta only)."""
    MEMORY = "memory"
    """The tree reached its cap and nothing could be pruned."""
    CANCELLED = "cancelled"
    FAILED = "failed"
    """The evaluator's answer could not be used."""
    TERMINAL = "terminal"
    """The root is a finished game; there was nothing to search."""


@dataclass(frozen=True, slots=True)
class ChildStatistics:
    """One action at the root, in the symbols of the papers.

    ``q``, ``w`` and ``score_lead`` are from the side to move **at the root**.
    """

    action: int
    n: int
    """N(s, a): visits of the edge."""
    w: float
    """W(s, a): total value."""
    q: float
    """Q(s, a) = W/N; for an unvisited action the first-play urgency."""
    p: float
    """P(s, a): the prior the search used, root noise included."""
    u: float
    """The exploration term the selection formula adds to Q."""
    score_lead: float | None
    """Mean lead in points below this edge, where the evaluator gives one."""
    lower_confidence_bound: float
    """Q − z · standard error, at the configured z."""
    principal_variation: tuple[int, ...]
    """The actions that follow, this one first, by most visits."""
    principal_variation_visits: tuple[int, ...] = ()
    """N along the principal variation."""
    proven: float | None = None
    """The exact value, where the solver has it."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A decision and what it rests on. Values are from the side to move at the root."""

    action: int | None
    """The chosen action; None at a finished game."""
    player: int
    """The player to move at the root: whose side every value here is on."""
    visits: int
    """N(root)."""
    simulations: int
    """What this search added."""
    value: float
    """In [−1, 1]: mean value of the root for the side to move."""
    utility: float
    """Mean of what the search maximises, for the side to move: ``value``, and points where they
    count. The children's q are utilities too."""
    raw_value: float | None
    """The evaluator's value of the root, before search."""
    score_lead: float | None
    score_stdev: float | None
    policy: NDArray[np.float64]
    """[A]: the improved policy, a training target; sums to 1."""
    prior: NDArray[np.float32]
    """[A]: the evaluator's priors at the root, before noise; illegal actions 0."""
    children: Sequence[ChildStatistics]
    """Best first, in the decision rule's order; unvisited legal actions are left out."""
    principal_variation: tuple[int, ...]
    stop_reason: StopReason
    seconds: float
    nodes: int
    """Nodes in the tree."""
    evaluations: int
    """Leaves that an evaluator answered in this search."""
    cache_hits: int
    prunings: int = 0
    """Times that the tree reached its cap and rarely visited subtrees were dropped."""
    ownership: NDArray[np.float32] | None = None
    """[points]: mean ownership for the side to move, where it was asked for."""
    position: GoState | None = None
    """The root where the game is Go, to draw the result on."""

    @property
    def winrate(self) -> float:
        """(value + 1) / 2."""
        return (self.value + 1.0) / 2.0

    def _repr_svg_(self) -> str | None:
        """For a notebook: the board with the ten best moves, their winrates in percent and their
        visits; None where the game is not Go."""
        return None if self.position is None else board_of(self, self.position)


DRAWN_MOVES = 10


def board_of(result: SearchResult, position: GoState) -> Picture:
    """A Go position with what a search found there: its best moves, greener the more they were
    visited, and who will own the points where the search kept that."""
    children = [child for child in result.children[:DRAWN_MOVES] if child.n > 0]
    most = max((child.n for child in children), default=1)
    bubbles = [
        Bubble(
            child.action, f"{50 * min(max(child.q + 1, 0), 2):.0f}", child.n / most, f"{child.n}"
        )
        for child in children
        if child.action < position.width * position.height
    ]
    owned = result.ownership
    if owned is not None and result.player == WHITE:
        owned = -owned
    return board_svg(position, bubbles=bubbles, ownership=owned)
