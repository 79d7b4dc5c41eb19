"""Search: the tree, its evaluator and its decision, behind one object."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from honte import _core
from honte.errors import HonteError
from honte.evaluation.contract import Evaluator
from honte.evaluation.simple import Rollout
from honte.games.go import GoState
from honte.search.budget import Budget
from honte.search.config import BestLowerBound, Custom, Gumbel, SearchConfig
from honte.search.core_parameters import core_parameters
from honte.search.decision import (
    RootChildren,
    best_first,
    choose,
    lower_confidence_bounds,
    target_visits,
    visit_policy,
)
from honte.search.driver import Job, drive
from honte.search.restriction import Restriction
from honte.search.result import ChildStatistics, SearchResult, StopReason
from honte.search.saving import load_into, save
from honte.search.steps import Simulation, steps
from honte.search.tree import TreeNode

EvaluationCache = _core.EvaluationCache

Report = Callable[[SearchResult], None]


class Search:
    """A search of one game from one position, kept from move to move.

    ``state`` is any :class:`honte.games.protocol.State`; it is copied. Native games are searched
    in C++, a game written in Python through its own methods. ``evaluator`` answers leaves:
    by default one random rollout. ``cache`` keeps evaluations and may be shared by searches that
    share an evaluator. Not for several threads at once, except :meth:`stop`.

    The same state, configuration, evaluator, seed and budget give the same search, visit for
    visit, whatever the number of threads. Raises HonteError for a state that is no game state.
    """

    def __init__(
        self,
        state: Any,
        config: SearchConfig | None = None,
        evaluator: Evaluator | None = None,
        *,
        seed: int = 0,
        cache: EvaluationCache | None = None,
    ) -> None:
        self.config = config if config is not None else SearchConfig()
        if self.config.backup.transpositions:
            _check_keys(state, self.config.backup.solver)
        self.evaluator: Evaluator = evaluator if evaluator is not None else Rollout()
        self.seed = seed & (2**64 - 1)
        self._core = _core.make_search(state, core_parameters(self.config), self.seed, cache)
        self._stop = threading.Event()
        number = getattr(state, "move_number", 0)  # a property of Go's, a method of OpenSpiel's
        self._is_go = isinstance(state, GoState)
        self._move = int(number() if callable(number) else number)
        self._last = _LastRun()
        self._allowed: tuple[int, ...] | None = None
        self._restrictions: tuple[Restriction, ...] = ()

    @property
    def state(self) -> Any:
        """A copy of the root position."""
        return self._core.root_state()

    @property
    def root(self) -> TreeNode:
        """The root of the tree, to walk it; invalid after the next run or advance."""
        return TreeNode(self._core, 0, None)

    def node(self, index: int) -> TreeNode:
        """A node of the tree by its number; invalid after the next run or advance."""
        return TreeNode(self._core, index, None)

    @property
    def memory_bytes(self) -> int:
        """What the tree occupies."""
        return int(self._core.bytes)

    def run(
        self,
        budget: Budget | None = None,
        *,
        visits: int | None = None,
        simulations: int | None = None,
        seconds: float | None = None,
        allowed_actions: Sequence[int] | None = None,
        on_report: Report | None = None,
        report_every: float = 0.1,
        resume: bool = False,
    ) -> SearchResult:
        """Search until the budget is spent and decide.

        Give a :class:`Budget` or its limits. ``allowed_actions`` restricts the root; visits of
        other actions from earlier runs stay in the tree but play no part. ``on_report`` gets a
        snapshot every ``report_every`` seconds, without ownership (ask ``root.ownership()`` for
        it, which walks the tree). ``resume`` goes on with the plan of the run before, for
        a search that is run in slices: Gumbel's halving and dynamic pruning stay laid out over
        the simulations that were asked for then. Raises HonteError if an allowed action is not
        legal, if the evaluator's answer cannot be, or if the state breaks the protocol.
        """
        if budget is None:
            budget = Budget(visits=visits, simulations=simulations, seconds=seconds)
        self._restrict(allowed_actions)
        self._stop.clear()
        job = self._job(budget, resume=resume)
        on_round = (
            None
            if on_report is None
            else _every(report_every, lambda: on_report(_result(self, ownership=False)))
        )
        try:
            drive([job], self.evaluator, self.config.parallelism, on_round=on_round)
        except _core.StateError as error:
            raise HonteError(str(error)) from self._formula_error()
        finally:
            self._finish(job)
        if job.error is not None:
            raise job.error
        return self.result()

    def steps(self, *, planned: int = 0) -> Iterator[Simulation]:
        """Run one simulation at a time, each written down phase by phase; see
        :mod:`honte.search.steps`. The same visits as :meth:`run` with one leaf in flight.

        ``planned`` lays Gumbel's halving out over so many simulations from here on; 0 goes on with
        the plan there is.
        """
        if planned:
            self._core.plan(planned - (self._core.node(0).n == 0))
        return steps(self)

    def stop(self) -> None:
        """From any thread: the run under way returns soon with what it has."""
        self._stop.set()

    def advance(self, action: int) -> bool:
        """Play an action at the root and keep the subtree below it, if there is one.

        Returns whether there was. Raises HonteError if the action is not legal.
        """
        legal = self.state.legal_actions()
        if action not in legal:
            raise HonteError(f"Action {action} is not legal at the root; legal are {_some(legal)}.")
        kept: bool = self._core.advance(action)
        self._move += 1
        self._last = _LastRun()
        self._allowed = None
        self._restrictions = ()
        return kept

    def save(self, path: str | Path) -> None:
        """Write the tree to a file, for :meth:`load`."""
        save(self, path)

    def load(self, path: str | Path) -> None:
        """Take up a tree that was saved at this position; raises HonteError if it cannot be."""
        load_into(self, path)
        self._last = _LastRun()

    def restrict(self, restrictions: Sequence[Restriction]) -> None:
        """Restrict what players may choose **below** the root, until the next :meth:`advance`; for
        the root itself there is ``allowed_actions`` of :meth:`run`.

        Values under other restrictions mean something else, so the tree begins anew when they
        change.
        """
        if tuple(restrictions) != self._restrictions:
            self._restrictions = tuple(restrictions)
            self._core.restrict_tree(
                [(r.player, r.until_depth, r.allow, sorted(r.actions)) for r in restrictions]
            )
            self._allowed = None
            self._last = _LastRun()

    def result(self) -> SearchResult:
        """What the search knows now, without searching on."""
        return _result(self, ownership=self.config.backup.ownership)

    def halving_scores(self) -> dict[int, tuple[int, float]]:
        """Under Gumbel's formula: each allowed root action's visits since the halving was planned,
        and its g + log P + σ(q). Empty under another formula, and before the root is expanded."""
        if not isinstance(self.config.selection, Gumbel) or self._core.node(0).n == 0:
            return {}
        return {action: (n, score) for action, n, score in self._core.gumbel_children()}

    def _allowed_prior(self, prior: NDArray[np.float32]) -> NDArray[np.float64]:
        allowed = np.asarray(prior, np.float64)
        if self._allowed is not None:
            mask = np.zeros(len(prior), bool)
            mask[list(self._allowed)] = True
            allowed = np.where(mask, np.maximum(allowed, 1e-30), 0.0)
        return allowed

    def _restrict(self, allowed: Sequence[int] | None) -> None:
        if allowed is None:
            if self._allowed is not None:
                self._core.restrict_root([])
            self._allowed = None
            return
        legal = set(self.state.legal_actions())
        for action in allowed:
            if action not in legal:
                raise HonteError(f"The allowed action {action} is not legal at the root.")
        if not allowed:
            raise HonteError("No action is allowed at the root: allow at least one.")
        self._core.restrict_root(list(allowed))
        self._allowed = tuple(allowed)

    def _formula_error(self) -> BaseException | None:
        """What a formula of the user's own raised, if it did."""
        selection = self.config.selection
        return selection.formula.error if isinstance(selection, Custom) else None

    def _job(self, budget: Budget, *, resume: bool = False) -> Job:
        self._last.before = self._core.statistics
        self._last.started = time.perf_counter()
        gumbel = isinstance(self.config.selection, Gumbel)
        return Job(self._core, budget, self._stop.is_set, gumbel=gumbel, resume=resume)

    def _finish(self, job: Job) -> None:
        self._last.seconds = time.perf_counter() - self._last.started
        self._last.started = 0.0
        self._last.reason = job.reason or StopReason.CANCELLED


class _LastRun:
    """What a result says about the run behind it."""

    def __init__(self) -> None:
        self.before: _core.SearchStatistics | None = None
        self.started = 0.0
        self.seconds = 0.0
        self.reason = StopReason.CANCELLED


def run_many(
    searches: Sequence[Search],
    budget: Budget | Sequence[Budget],
    *,
    on_finished: Callable[[int, SearchResult], None] | None = None,
    on_error: Callable[[int, HonteError], None] | None = None,
) -> list[SearchResult | None]:
    """Run many searches that share one evaluator and fill its batches together.

    All searches must hold the same evaluator object; batch size and batches in flight are the
    first one's. ``on_finished`` gets the index and result of each as it ends. A search that
    fails is reported to ``on_error`` and is None in the list; without ``on_error`` its error is
    raised once the others have finished. Searches of different games may not share a batch.
    """
    if not searches:
        return []
    evaluator = searches[0].evaluator
    if any(search.evaluator is not evaluator for search in searches):
        raise HonteError("Searches that run together must share one evaluator object.")
    budgets = [budget] * len(searches) if isinstance(budget, Budget) else list(budget)
    if len(budgets) != len(searches):
        raise HonteError(f"{len(searches)} searches need as many budgets, not {len(budgets)}.")
    jobs = []
    for search, limits in zip(searches, budgets, strict=True):
        search._stop.clear()
        jobs.append(search._job(limits))
    place = {id(job): index for index, job in enumerate(jobs)}
    results: list[SearchResult | None] = [None] * len(searches)
    errors: list[HonteError] = []

    def finished(job: Job) -> None:
        index = place[id(job)]
        searches[index]._finish(job)
        if job.error is not None:
            errors.append(job.error)
            if on_error is not None:
                on_error(index, job.error)
            return
        result = results[index] = searches[index].result()
        if on_finished is not None:
            on_finished(index, result)

    try:
        drive(jobs, evaluator, searches[0].config.parallelism, on_finished=finished)
    except _core.StateError as error:
        raise HonteError(str(error)) from None
    if errors and on_error is None:
        raise errors[0]
    return results


def _check_keys(state: Any, solver: bool) -> None:
    """Whether positions of the game can be shared; raises HonteError if not."""
    game = type(state).__name__
    if not (hasattr(state, "graph_key") or hasattr(state, "key")):
        raise HonteError(
            f"A graph of positions needs keys, and {game} has neither graph_key() nor key(): "
            "add one, or drop the transpositions."
        )
    if solver and hasattr(state, "graph_key"):
        raise HonteError(
            f"What follows a position of {game} may depend on how it was reached, so that a proof "
            "by one way does not hold by another: drop the solver or the transpositions."
        )


def _every(seconds: float, act: Callable[[], None]) -> Callable[[], None]:
    due = time.perf_counter() + seconds

    def look() -> None:
        nonlocal due
        now = time.perf_counter()
        if now >= due:
            due = now + seconds
            act()

    return look


def _some(actions: Sequence[int]) -> str:
    shown = ", ".join(str(action) for action in actions[:8])
    return shown + (f", … ({len(actions)} in all)" if len(actions) > 8 else "")


PRINCIPAL_VARIATION_LENGTH = 24


def _result(search: Search, *, ownership: bool) -> SearchResult:
    core = search._core
    root = core.node(0)
    last = search._last
    sign = -1.0 if root.player == 1 else 1.0
    decision = search.config.decision
    snapshot = core.snapshot(0, PRINCIPAL_VARIATION_LENGTH)
    actions, numbers = snapshot.arrays()
    scores = _gumbel_scores(search, actions)
    order = best_first(decision, _root_children(actions, numbers, scores))
    children = _root_children(actions[order], numbers[:, order], scores[order])
    prior = core.root_prior()
    has_score = core.scored

    policy = np.zeros(core.num_actions)
    action: int | None = None
    principal: tuple[int, ...] = ()
    if len(children):
        if isinstance(search.config.selection, Gumbel):
            policy[:] = core.gumbel_policy()
        else:
            visits = target_visits(search.config.selection, children, snapshot.scale)
            policy[children.action] = visit_policy(visits, 1.0)
        place = choose(decision, children, search._move, search.seed)
        action = int(children.action[place])
        principal = tuple(action for action, _ in snapshot.line(int(order[place])))
    elif not root.terminal and root.n > 0:
        allowed = search._allowed_prior(prior)
        policy[:] = allowed / allowed.sum()
        action = int(np.argmax(allowed))
    now = core.statistics
    before = last.before or now
    owned = search.root.ownership() if ownership else None
    divisor = max(1, root.n)
    mean = root.proven_value if root.proven else core.result_sum(0) / divisor
    return SearchResult(
        action=action,
        player=root.player,
        visits=root.n,
        simulations=now.simulations - before.simulations,
        value=sign * mean,
        utility=sign * (root.proven_value if root.proven else root.value_sum / divisor),
        raw_value=sign * root.raw_value if root.n else None,
        score_lead=sign * root.score_sum / root.n if has_score and root.n else None,
        score_stdev=root.raw_stdev if has_score else None,
        policy=policy,
        prior=prior,
        children=_Children(snapshot, order, children, has_score, _z(decision)),
        principal_variation=principal,
        stop_reason=last.reason,
        seconds=time.perf_counter() - last.started if last.started else last.seconds,
        nodes=core.node_count,
        evaluations=now.evaluations - before.evaluations,
        cache_hits=now.cache_hits - before.cache_hits,
        prunings=now.pruned - before.pruned,
        ownership=owned[0] if owned is not None else None,
        position=search.state if search._is_go else None,
    )


def _root_children(
    actions: NDArray[np.int64], numbers: NDArray[np.float64], scores: NDArray[np.float64]
) -> RootChildren:
    n, q, p, square_sum, proven = numbers
    return RootChildren(actions, n, q, p, square_sum, proven, scores)


def _gumbel_scores(search: Search, actions: NDArray[np.int64]) -> NDArray[np.float64]:
    """The scores of the actions most visited since the plan, −∞ for the rest."""
    if not isinstance(search.config.selection, Gumbel) or not len(actions):
        return np.full(len(actions), np.nan)
    scores = dict(search._core.gumbel_finalists())
    return np.array([scores.get(action, -np.inf) for action in actions.tolist()])


def _z(decision: Any) -> float:
    return decision.z if isinstance(decision, BestLowerBound) else BestLowerBound().z


class _Children(Sequence[ChildStatistics]):
    """The root's children, made into objects when they are asked for: self-play reads few."""

    def __init__(
        self,
        snapshot: _core.NodeSnapshot,
        order: NDArray[np.intp],
        children: RootChildren,
        has_score: bool,
        z: float,
    ) -> None:
        self._snapshot = snapshot
        self._order = order
        self._children = children
        self._has_score = has_score
        self._z = z

    def __len__(self) -> int:
        return len(self._order)

    @overload
    def __getitem__(self, index: int) -> ChildStatistics: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[ChildStatistics, ...]: ...
    def __getitem__(self, index: int | slice) -> ChildStatistics | tuple[ChildStatistics, ...]:
        return self._made[index]

    @cached_property
    def _made(self) -> tuple[ChildStatistics, ...]:
        bounds = lower_confidence_bounds(self._children, self._z)
        made = []
        for place, bound in zip(self._order, bounds, strict=True):
            edge = self._snapshot.edge(int(place))
            line = self._snapshot.line(int(place))
            made.append(
                ChildStatistics(
                    action=edge.action,
                    n=edge.n,
                    w=edge.w,
                    q=edge.q,
                    p=edge.p,
                    u=edge.u,
                    score_lead=edge.score_sum / edge.n if self._has_score else None,
                    lower_confidence_bound=float(bound),
                    principal_variation=tuple(action for action, _ in line),
                    principal_variation_visits=tuple(n for _, n in line),
                    proven=edge.proven_value if edge.proven else None,
                )
            )
        return tuple(made)
