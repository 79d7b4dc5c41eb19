"""Made-up nodes for the real search: one ply deep, with given priors and values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from honte.evaluation import Evaluation, LeafBatch
from honte.games.protocol import TERMINAL_PLAYER
from honte.search.config import Grave, Rave
from honte.search.reference.amaf import select_by_amaf
from honte.search.reference.phases import Edge, Node, back_up, explored
from honte.web.scores import Action, Seen


class OnePly:
    """A game of one move: action a ends it with ``values[a]`` for the player who moves."""

    def __init__(self, values: Sequence[float], chosen: int | None = None) -> None:
        self._values = tuple(values)
        self._chosen = chosen

    def num_distinct_actions(self) -> int:
        return len(self._values)

    def current_player(self) -> int:
        return 0 if self._chosen is None else TERMINAL_PLAYER

    def legal_actions(self) -> list[int]:
        return list(range(len(self._values))) if self._chosen is None else []

    def apply_action(self, action: int) -> None:
        self._chosen = action

    def is_terminal(self) -> bool:
        return self._chosen is not None

    def returns(self) -> list[float]:
        value = 0.0 if self._chosen is None else self._values[self._chosen]
        return [value, -value]

    def clone(self) -> Self:
        return type(self)(self._values, self._chosen)


class Arms(OnePly):
    """A bandit: what an action is worth is drawn anew by the evaluator at each visit."""

    def current_player(self) -> int:
        return 0

    def legal_actions(self) -> list[int]:
        return list(range(len(self._values))) if self._chosen is None else [0]

    def is_terminal(self) -> bool:
        return False

    @property
    def chosen(self) -> int | None:
        """The arm that was pulled; None before."""
        return self._chosen


@dataclass(frozen=True, slots=True)
class GivenPriors:
    """Answers the root of a :class:`OnePly` with fixed priors and value."""

    priors: tuple[float, ...]
    value: float

    def __call__(self, batch: LeafBatch) -> Evaluation:
        logits = np.log(np.maximum(np.array(self.priors, np.float32), np.float32(1e-20)))
        return Evaluation(
            value=np.full(batch.size, self.value, np.float32),
            policy_logits=np.tile(logits, (batch.size, 1)),
        )


class AmafNode:
    """A made-up node under RAVE or GRAVE, simulated by the reference search's own phases.

    What an action is worth as first move and what it is worth at any time are given apart. In a
    share of the simulations each action is played at some time; GRAVE's ancestor has its
    ``reference`` playouts already.
    """

    def __init__(
        self,
        selection: Rave | Grave,
        *,
        priors: Sequence[float],
        values: Sequence[float],
        amaf: Sequence[float],
        share: float,
    ) -> None:
        self._selection = selection
        self._values = values
        self._amaf = amaf
        self._share = share
        edges = [Edge(action, p) for action, p in enumerate(priors)]
        self._node = Node(0, 0, n=1, edges=edges)
        reference = selection.reference if isinstance(selection, Grave) else 0
        self._ancestor = Node(0, 0, n=reference, amaf=self._statistics(reference))

    @property
    def total(self) -> int:
        """N(s): the sum over the actions."""
        return sum(edge.n for edge in self._node.edges)

    def simulate(self, simulations: int) -> None:
        """So many simulations more."""
        for _ in range(simulations):
            way = [(self._ancestor, Edge(0, 1.0))]
            edge = select_by_amaf(self._selection, self._node, way, self._ancestor, solver=False)
            leaf = Node(TERMINAL_PLAYER, 0, terminal=True)
            back_up([(self._node, edge)], leaf, self._values[edge.action], solver=False)
            self._node.amaf = self._statistics(self.total)

    def seen(self) -> Seen:
        """All actions as selection sees them now."""
        node, total = self._node, self.total
        own = isinstance(self._selection, Rave) or node.n >= self._selection.reference
        return Seen(
            [
                Action(
                    edge.action,
                    edge.n,
                    edge.w / edge.n if edge.n else math.inf,
                    edge.p,
                    explored(self._selection, edge.p, edge.n, total),
                )
                for edge in node.edges
            ],
            amaf=dict((node if own else self._ancestor).amaf),
        )

    def _statistics(self, simulations: int) -> dict[int, tuple[float, int]]:
        n = math.ceil(self._share * simulations)
        return {action: (value * n, n) for action, value in enumerate(self._amaf) if n}
