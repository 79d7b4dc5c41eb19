"""Who will own each point of the board, as far as an evaluator can tell."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from honte.evaluation import Evaluator, Mixture, NetworkEvaluator, Rollout, WithRollouts
from honte.games.go import BLACK, Go, GoState, Ko, Rules
from honte.presets import uct
from honte.search import Search, TreeNode
from honte.search.result import ChildStatistics, SearchResult

Plane = NDArray[np.float32]


class OwnershipSource(Protocol):
    """Anything that can tell who will own the points of Go positions."""

    def __call__(self, states: Sequence[GoState]) -> Sequence[Plane]:
        """[H, W] for each state, in [−1, 1], +1 where **Black** will own the point."""
        ...


@dataclass(frozen=True, slots=True)
class PlayoutOwnership:
    """From random playouts in the core; the same answer for the same position."""

    playouts: int = 400
    seed: int = 1

    def __call__(self, states: Sequence[GoState]) -> Sequence[Plane]:
        return [state.playout_ownership(self.playouts, self.seed) for state in states]


@dataclass(frozen=True, slots=True)
class PlayedOnOwnership:
    """From random playouts after some moves of a small search for both sides.

    Random play alone cannot tell a dead stone from one that lives half the time. Before the
    playouts both sides therefore make ``moves`` moves that UCT finds, under area scoring and a
    komi that makes the game even, so that whatever is unsettled decides it.
    """

    moves: int = 10
    simulations: int = 800
    seed: int = 1

    def __call__(self, states: Sequence[GoState]) -> Sequence[Plane]:
        return [self._played_on(state) for state in states]

    def _played_on(self, state: GoState) -> Plane:
        playouts = PlayoutOwnership(seed=self.seed)
        area = float(playouts([state])[0].sum())
        rules = Rules(Ko.POSITIONAL, friendly_pass=False)
        board = state.board().ravel()
        position = Go(state.width, state.height, rules, math.floor(area) + 0.5).new_initial_state(
            black=[int(point) for point in np.flatnonzero(board == 1)],
            white=[int(point) for point in np.flatnonzero(board == 2)],
            to_play=state.to_play,
        )
        search = Search(position, uct(), Rollout(), seed=self.seed)
        for _ in range(self.moves):
            action = search.run(simulations=self.simulations).action
            if action is None:
                break
            search.advance(action)
            position.play(action)
        return playouts([position])[0]


@dataclass(frozen=True, slots=True)
class NetworkOwnership:
    """What a network expects."""

    evaluator: NetworkEvaluator

    def __call__(self, states: Sequence[GoState]) -> Sequence[Plane]:
        open_states = [state.resumed() if state.is_terminal() else state for state in states]
        planes = self.evaluator.evaluate(open_states).ownership
        return [
            plane if state.to_play == BLACK else -plane
            for state, plane in zip(open_states, planes, strict=True)
        ]


def ownership_sources(evaluator: Evaluator | None) -> tuple[OwnershipSource, OwnershipSource]:
    """The sources that go with an evaluator: a quick one for the lines of a tree, and one that
    may take a second, for the end of a game."""
    while isinstance(evaluator, Mixture | WithRollouts):
        evaluator = evaluator.evaluator
    if isinstance(evaluator, NetworkEvaluator):
        network = NetworkOwnership(evaluator)
        return network, network
    # Few playouts a line: a report of live analysis must not wait for them.
    return PlayoutOwnership(playouts=48), PlayedOnOwnership()


@dataclass(frozen=True, slots=True)
class Ownership:
    """Over one subtree, from the side to move **at the root**."""

    mean: Plane
    """[H, W], in [−1, 1]."""
    stdev: Plane
    """[H, W], in [0, 1]: how far the tree's lines disagree about the point."""


@dataclass(frozen=True, slots=True)
class OwnershipReport:
    """Ownership for the whole tree and for single moves."""

    root: Ownership
    moves: Mapping[int, Ownership]

    def of_move(self, action: int) -> Ownership | None:
        """After this move, where it was asked for."""
        return self.moves.get(action)


def kept_ownership(
    root: TreeNode, state: GoState, *, of_moves: bool = False
) -> OwnershipReport | None:
    """Ownership over a search tree that keeps that of every evaluation, each counted once; None
    where the tree has none."""
    shape = (state.height, state.width)

    def of(node: TreeNode) -> Ownership | None:
        owned = node.ownership()
        if owned is None:
            return None
        mean, stdev = owned
        turned = np.float32(1.0 if node.side == root.side else -1.0)
        return Ownership(turned * mean.reshape(shape), stdev.reshape(shape))

    whole = of(root)
    if whole is None:
        return None
    moves: dict[int, Ownership] = {}
    for edge in root.edges() if of_moves else ():
        if edge.child is not None and (owned := of(edge.child)) is not None:
            moves[edge.action] = owned
    return OwnershipReport(whole, moves)


class TreeOwnership:
    """Ownership over a search tree that kept none: the ends of its lines, weighted by visits.

    The evaluator is asked about the position at the end of each root move's principal variation, so
    a report costs a few evaluations and none when the lines stay as they are.
    """

    def __init__(self, source: OwnershipSource, *, most_moves: int = 12, remembered: int = 2048):
        self._source = source
        self._most_moves = most_moves
        self._remembered = remembered
        self._known: OrderedDict[tuple[int, ...], Plane] = OrderedDict()
        self._of_moves: dict[int, Ownership] = {}
        self._position: GoState | None = None

    def report(
        self,
        state: GoState,
        result: SearchResult,
        *,
        of_moves: bool = False,
        seconds: float = math.inf,
    ) -> OwnershipReport:
        """Ownership at a root and, with ``of_moves``, after each of its visited moves.

        At least one line is evaluated and no more once ``seconds`` have passed, the most visited
        first: the root is then the mean of the lines known, and a move for which nothing is known
        is given as it was last, or as the root.
        """
        if state is not self._position:
            self._position = state
            self._known.clear()
            self._of_moves.clear()
        children = sorted((child for child in result.children if child.n > 0), key=lambda c: -c.n)
        main = children[: self._most_moves]
        wanted = [child.principal_variation for child in main] or [()]
        for child in children if of_moves else ():
            wanted += [child.principal_variation[:1], child.principal_variation]
        self._learn(state, wanted, time.perf_counter() + seconds)
        sign = np.float32(1.0 if result.player == BLACK else -1.0)
        found = [(plane, child.n) for child in main if (plane := self._end(child)) is not None]
        found = found or [(self._known[wanted[0]], 1)]
        root = _spread(
            sign * np.stack([plane for plane, _ in found]),
            np.array([n for _, n in found], dtype=np.float32),
        )
        if of_moves:
            for child in children:
                own = self._of_move(child, sign)
                self._of_moves[child.action] = own or self._of_moves.get(child.action, root)
        moves = {child.action: self._of_moves[child.action] for child in children if of_moves}
        return OwnershipReport(root, moves)

    def _of_move(self, child: ChildStatistics, sign: np.float32) -> Ownership | None:
        first, end = self._known.get(child.principal_variation[:1]), self._end(child)
        if first is None or end is None:
            plane = end if first is None else first
            return None if plane is None else Ownership(sign * plane, np.zeros_like(plane))
        # The move's own position has one visit, the line below it the others.
        share = np.float32(1.0 / child.n)
        spread = np.float32(math.sqrt(share * (1.0 - share)))
        return Ownership(sign * (share * first + (1 - share) * end), spread * np.abs(first - end))

    def _end(self, child: ChildStatistics) -> Plane | None:
        return self._known.get(child.principal_variation)

    def _learn(self, state: GoState, lines: Sequence[tuple[int, ...]], until: float) -> None:
        missing = []
        for line in dict.fromkeys(lines):
            if line in self._known:
                self._known.move_to_end(line)
            else:
                missing.append(line)
        if missing and until == math.inf:
            answers = self._source([_after(state, line) for line in missing])
            self._known.update(zip(missing, answers, strict=True))
        else:
            for line in missing:
                self._known[line] = self._source([_after(state, line)])[0]
                if time.perf_counter() >= until:
                    break
        while len(self._known) > max(self._remembered, len(lines)):
            self._known.popitem(last=False)


def _after(state: GoState, line: Sequence[int]) -> GoState:
    end = state.clone()
    for action in line:
        if end.is_terminal():
            break
        end.apply_action(action)
    return end


def _spread(planes: Plane, weights: Plane) -> Ownership:
    share = (weights / weights.sum())[:, None, None]
    mean = (planes * share).sum(axis=0)
    variance = ((planes - mean) ** 2 * share).sum(axis=0)
    return Ownership(
        np.clip(mean, -1.0, 1.0).astype(np.float32),
        np.clip(np.sqrt(variance), 0.0, 1.0).astype(np.float32),
    )
