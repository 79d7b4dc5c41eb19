"""What a leaf is worth: the contract between the search and whatever answers it.

An :class:`Evaluator` is any callable from a :class:`LeafBatch` to an :class:`Evaluation`. A
network, a rollout, a mixture of both and a plain Python function all are one, and some wrap
others. One batch crosses between the native core and Python at a time, as arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from honte import _core

Float = NDArray[np.float32]


@runtime_checkable
class LeafBatch(Protocol):
    """Positions that wait for an answer, B of them; they may come from many trees.

    Arrays are made when they are asked for, so an evaluator pays only for what it reads.
    Where the search uses symmetries, a row shows the position under its symmetry and the
    answer's policy is read back through it: an evaluator never has to know.
    """

    @property
    def size(self) -> int:
        """B, the number of rows."""
        ...

    @property
    def num_actions(self) -> int:
        """A, the size of the game's action space."""
        ...

    @property
    def board_shape(self) -> tuple[int, int]:
        """(H, W) of the largest board in a batch of Go positions.

        Where a batch mixes sizes, A is H · W + 1 and a smaller board of width w answers for its
        action y · w + x in column y · W + x. Raises ``TypeError`` for any other game.
        """
        ...

    @property
    def wants_ownership(self) -> bool:
        """Whether any search in the batch reads ownership."""
        ...

    def states(self) -> list[Any]:
        """The positions as :class:`honte.games.protocol.State` objects (copies), untransformed."""
        ...

    def players(self) -> NDArray[np.int32]:
        """The player to move in each row, shape [B]."""
        ...

    def legal_mask(self) -> NDArray[np.bool_]:
        """Which actions are legal, shape [B, A], under each row's symmetry."""
        ...

    def observations(self) -> Float:
        """The game's own observation planes from the side to move, shape [B, size]."""
        ...

    def wants_value(self) -> NDArray[np.bool_]:
        """Shape [B]; False for a row whose position has its value already, and of which only
        :attr:`Evaluation.rollout` will be read."""
        ...

    def only(self, rows: Sequence[int]) -> LeafBatch:
        """Some of the rows as a batch, for another evaluator to read while this one waits."""
        ...

    def rollout_values(self, playouts: int, policy: _core.PlayoutPolicy | None = None) -> Float:
        """The mean result of that many random playouts from each row, for its side to move, [B].

        Uniformly random, or by a policy, which honte's own Go alone can follow.
        """
        ...

    def write_katago_features(
        self, spatial: Float, globals_: Float, pass_alive_as_if_suicide: bool = False
    ) -> None:
        """Fill KataGo's version 7 features of Go positions.

        ``spatial`` has shape [≥ B, 22, H, W] with H and W at least the largest board in the
        batch (a smaller board sits in the top left corner), ``globals_`` [≥ B, 19]. Some networks
        want their area planes as if suicide were legal. Raises ``TypeError`` for any other game.
        """
        ...


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The answer to a batch. Every value is from the side to move in its row.

    Only ``value`` is required; rows may be more than B, the rest is ignored. A NaN or an
    infinity anywhere that a search reads is an error that names the evaluator, for that search.
    """

    value: Float
    """[B], in [−1, 1]: the expected result for the side to move."""
    policy_logits: Float | None = None
    """[B, A], any real numbers; illegal actions are masked by the search. None: uniform priors."""
    score_mean: Float | None = None
    """[B], in points for the side to move, where the game has points."""
    score_stdev: Float | None = None
    """[B], in points."""
    score_lead: Float | None = None
    """[B], in points for the side to move: what komi would make the game even."""
    no_result: Float | None = None
    """[B], probability of no result; ``value`` is then P(win) − P(loss)."""
    uncertainty: Float | None = None
    """[B], expected absolute error of ``value``."""
    ownership: Float | None = None
    """[B, points], in [−1, 1], +1 where the side to move will own the point."""
    rollout: Float | None = None
    """[B], in [−1, 1]: the result of playing on to the end, for the side to move, where it is kept
    apart from ``value``; read by searches with
    :class:`~honte.search.config.SeparateMeans` alone."""


@runtime_checkable
class Evaluator(Protocol):
    """Anything that answers a batch of leaves."""

    def __call__(self, batch: LeafBatch) -> Evaluation: ...


class Pending(Protocol):
    """An answer under way."""

    def result(self) -> Evaluation:
        """Wait for the answer. Raises what the evaluation raised."""
        ...


@runtime_checkable
class AsyncEvaluator(Evaluator, Protocol):
    """An evaluator that can work on several batches while the search goes on selecting."""

    @property
    def streams(self) -> int:
        """How many batches it works on at once."""
        ...

    @property
    def preferred_batch_size(self) -> int:
        """How many leaves a batch should hold for full speed on this device."""
        ...

    def submit(self, batch: LeafBatch) -> Pending:
        """Start on a batch. The batch's arrays are read before this returns."""
        ...
