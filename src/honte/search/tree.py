"""The search tree, to be walked, drawn and read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honte import _core


@dataclass(frozen=True, slots=True)
class TreeEdge:
    """An action that was chosen at least once; values are from the side to move at its parent."""

    action: int
    n: int
    w: float
    q: float
    """What selection reads: W/N, the exact value, or the first-play urgency at N = 0."""
    p: float
    u: float
    """The exploration term now."""
    child: TreeNode | None
    """None where the subtree was pruned."""


@dataclass(frozen=True, slots=True)
class TreeMeans:
    """What the evaluations in a subtree say, each counted once."""

    score_mean: float
    """Mean of the evaluator's score means, in points."""
    score_stdev: float
    """Points; their spread and each evaluation's own together, √(E[σ² + μ²] − E[μ]²)."""
    no_result: float
    """Mean probability of a game without result."""


class TreeNode:
    """A view of one position in the tree; stale once the search goes on."""

    def __init__(self, core: _core.TreeSearch, index: int, action: int | None) -> None:
        self._core = core
        self._node = core.node(index)
        self.index = index
        """The node's number in the tree."""
        self.action = action
        """The action that led here; None at the root."""

    @property
    def n(self) -> int:
        """N(s): visits, the node's own evaluation included."""
        return int(self._node.n)

    @property
    def player(self) -> int:
        """Who moves here, or TERMINAL_PLAYER."""
        return int(self._node.player)

    @property
    def value(self) -> float:
        """Mean value for the side to move here; at a finished game for player 0."""
        node = self._node
        mean = node.proven_value if node.proven else node.value_sum / node.n if node.n else 0.0
        return -mean if node.player == 1 else mean

    @property
    def raw_value(self) -> float:
        """The evaluator's own value, from the same side as :attr:`value`."""
        return -self._node.raw_value if self._node.player == 1 else self._node.raw_value

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over here."""
        return bool(self._node.terminal)

    @property
    def proven(self) -> float | None:
        """The exact value from the same side as :attr:`value`, where it is known."""
        if not self._node.proven:
            return None
        return -self._node.proven_value if self._node.player == 1 else self._node.proven_value

    def ownership(self) -> tuple[NDArray[np.float32], NDArray[np.float32]] | None:
        """Mean and standard deviation, [points], of the ownership that the evaluations in this
        subtree gave: each counts once, and mean is +1 where the side to move **here** will own the
        point (player 0 at a finished game).

        None where none gave any, or where :class:`honte.search.config.Backup` does not keep it.
        In a tree of more than 5,000 visits, nodes of few visits stand for all below them.
        """
        mean, stdev = self._core.mean_ownership(self.index)
        if not mean:
            return None
        return np.array(mean, np.float32) * np.float32(self._sign), np.array(stdev, np.float32)

    def means(self) -> TreeMeans:
        """Score and no result over this subtree, from the same side as :meth:`ownership`; zeros
        where the evaluator gives no points."""
        means = self._core.means(self.index)
        return TreeMeans(self._sign * means.score_mean, means.score_stdev, means.no_result)

    def amaf(self) -> dict[int, tuple[float, int]]:
        """W and N of each action as if it had been played here first, for the side to move here;
        of those that were played at all. Empty where the formula keeps none."""
        w, n = self._core.amaf(self.index)
        return {int(action): (float(w[action]), int(n[action])) for action in np.flatnonzero(n)}

    @property
    def side(self) -> int:
        """The player whose side the values of this node are on: who moves here, player 0 at a
        finished game."""
        return 1 if self._node.player == 1 else 0

    @property
    def _sign(self) -> float:
        return -1.0 if self.side == 1 else 1.0

    def edges(self) -> list[TreeEdge]:
        """The chosen actions in the order in which they were first chosen."""
        return [
            TreeEdge(
                e.action,
                e.n,
                e.w,
                e.q,
                e.p,
                e.u,
                None if e.child is None else TreeNode(self._core, e.child, e.action),
            )
            for e in self._core.edges(self.index)
        ]

    def child(self, action: int) -> TreeNode | None:
        """The node below an action, if there is one."""
        return next((e.child for e in self.edges() if e.action == action), None)

    def most_visited(self) -> TreeNode | None:
        """The node below the most visited action; None at a leaf."""
        visited = [edge for edge in self.edges() if edge.n > 0]
        if not visited:
            return None
        return max(visited, key=lambda edge: edge.n).child
