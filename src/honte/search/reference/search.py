"""The whole search in plain Python: short, slow, and the judge of the native one.

With one leaf in flight the core makes the same visits in every configuration; tests hold it
to that. Read :mod:`honte.search.reference.phases` for the formulas.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from honte.search.config import Grave, Gumbel, Rave, SearchConfig
from honte.search.reference.amaf import count, select_by_amaf
from honte.search.reference.graph import back_up_graph, ends_at_edge, key_of, nodes_below
from honte.search.reference.phases import (
    Edge,
    Evaluate,
    Judgement,
    Node,
    Playouts,
    back_up,
    back_up_separately,
    completed,
    filtered,
    float32,
    halving_schedule,
    noisy,
    open_next,
    rounded,
    select,
    side,
    softmax,
)
from honte.search.reference.random import Random, mix64, tie
from honte.search.reference.weighing import (
    BiasTable,
    back_up_weighed,
    evaluation_weight,
    utility,
    weighs,
)

NOISE_STREAM, SALT_STREAM, GUMBEL_STREAM = 3, 4, 5


class ReferenceSearch:
    """A search of one position; ``evaluate`` answers one state at a time.

    ``state`` follows :class:`honte.games.protocol.State` and is copied.
    """

    def __init__(
        self, state: Any, config: SearchConfig, evaluate: Evaluate, *, seed: int = 0
    ) -> None:
        self.state = state.clone()
        self.config = config
        self.evaluate = evaluate
        self.seed = seed
        self.root_number = 0
        self._nodes = 0
        self.allowed: frozenset[int] | None = None
        self.root = self._new_node(self.state)
        self._positions: dict[Any, Node] = {}
        if config.backup.transpositions:
            self._positions[key_of(self.state)] = self.root
        self._plan = self._done = 0
        self._center = 0.0
        self._bias = BiasTable()
        self._before: list[int] = []
        self._schedule: list[int] = []
        self._gumbels: dict[int, float] = {}

    def run(self, simulations: int) -> None:
        """So many simulations more; fewer once the root is proven."""
        self._plan = simulations - (self.root.n == 0)
        self._done = 0
        self._make_plan()
        for _ in range(simulations):
            if self.root.proven is not None and self.root.n > 0:
                return
            self.simulate()
            self._done += 1

    def simulate(self) -> None:
        """One simulation: selection, expansion, evaluation, backup."""
        config, backup, solver = self.config, self.config.backup, self.config.backup.solver
        state, node = self.state.clone(), self.root
        path: list[tuple[Node, Edge]] = []
        while not (node.terminal or (solver and node.proven is not None)):
            if node.n < (1 if node is self.root else config.expansion.threshold):
                break
            edge = self._select(node, path, solver)
            path.append((node, edge))
            state.apply_action(edge.action)
            if backup.transpositions:
                node = edge.child = self._node_of(state, path)
                if ends_at_edge(path, node):
                    back_up_graph(backup, path, None, self._bias)
                    return
            else:
                if edge.child is None:
                    edge.child = self._new_node(state, path)
                node = edge.child
        playouts = None
        error, mean = 0.0, 0.0
        rollout: float | None = None
        first = node.n == 0
        if node.proven is not None and (node.terminal or solver):
            value = node.own_utility if node.terminal else node.proven
        else:
            answer = self.evaluate(state)
            if isinstance(answer, Playouts):
                playouts, value, logits = answer, answer.mean, None
            elif isinstance(answer, Judgement):
                value, logits, error = side(node.player) * answer.value, answer.logits, answer.error
                if answer.rollout is not None:
                    rollout = side(node.player) * answer.rollout
            else:
                value, logits = side(node.player) * answer[0], answer[1]
            raw = value
            if isinstance(answer, Judgement) and backup.score_utility is not None:
                mean = float32(side(node.player) * answer.score_mean)
                if node is self.root:
                    self._center = backup.score_utility.center_share * mean
                value = self._utility(state, float32(value), mean, float32(answer.score_stdev))
            if node.n == 0:
                node.raw_value = float32(raw)
                node.raw_score = mean
                node.own_utility = float32(value)
                node.own_weight = float32(evaluation_weight(backup, float32(error)))
                self._expand(node, state, logits)
        mixed, rolled = value, value
        if backup.separate_means is not None and rollout is not None:
            share, value = backup.separate_means.rollout_weight, node.raw_value
            mixed, rolled = (1.0 - share) * value + share * rollout, rollout
        if isinstance(config.selection, Rave | Grave):
            for result, played in playouts.playouts if playouts else [(mixed, [])]:
                count(path, node, played, result)
        if backup.separate_means is not None:
            has_value = first or rollout is None
            back_up_separately(path, node, value if has_value else None, rolled, mixed, backup)
        elif backup.transpositions:
            back_up_graph(backup, path, node, self._bias)
        elif weighs(backup):
            back_up_weighed(backup, path, node, self._bias)
        else:
            back_up(path, node, value, solver)
        if node is self.root and node.n == 1:
            self._prepare_root()

    def _select(self, node: Node, path: list[tuple[Node, Edge]], solver: bool) -> Edge:
        config = self.config
        if isinstance(config.selection, Rave | Grave):
            return select_by_amaf(config.selection, node, path, self.root, solver)
        if node is self.root and isinstance(config.selection, Gumbel):
            return self._select_by_halving(config.selection, solver)
        at_root = node is self.root
        hopeless = self._hopeless_visits() if at_root else -1
        return select(config.selection, config.expansion, node, at_root, solver, hopeless)

    def _hopeless_visits(self) -> int:
        """Dynamic pruning: with so many visits an action can no longer become the most visited."""
        if not self.config.expansion.dynamic_pruning or self._plan == 0:
            return -1
        most = max((edge.n for edge in self.root.edges if not edge.closed), default=0)
        return most - max(0, self._plan - self._done) - 1

    def _select_by_halving(self, gumbel: Gumbel, solver: bool) -> Edge:
        """Gumbel's root: among the actions with as many visits as the plan asks for now (beyond
        it, with the fewest), the highest g + log P + σ(q)."""
        root = self.root
        values, _ = completed(gumbel, root, solver)
        planned = [edge.n - before for edge, before in zip(root.edges, self._before, strict=True)]
        scores = [
            self._gumbels[edge.action] + math.log(edge.p) + value if edge.p > 0.0 else -math.inf
            for edge, value in zip(root.edges, values, strict=True)
        ]
        open_places = [i for i, edge in enumerate(root.edges) if not edge.closed]
        done = sum(planned)
        wanted = self._schedule[done] if done < len(self._schedule) else -1
        places = [i for i in open_places if planned[i] == wanted]
        if not places:
            fewest = min(planned[i] for i in open_places)
            places = [i for i in open_places if planned[i] == fewest]
        return root.edges[max(places, key=lambda i: (scores[i], -i))]

    def _make_plan(self) -> None:
        gumbel = self.config.selection
        if not isinstance(gumbel, Gumbel):
            return
        edges = self.root.edges
        self._before = [edge.n for edge in edges]
        allowed = sum(not edge.closed for edge in edges)
        self._schedule = halving_schedule(min(gumbel.considered, allowed), self._plan)

    def advance(self, action: int) -> None:
        """Play an action and keep its subtree."""
        self.state.apply_action(action)
        self.root_number += 1
        self.allowed = None
        child = next((e.child for e in self.root.edges if e.action == action), None)
        old_root, self.root = self.root, child or self._new_node(self.state)
        if self.config.backup.transpositions:
            below = nodes_below(self.root, left_out=old_root)
            kept = {id(node) for node in below}
            self._positions = {k: n for k, n in self._positions.items() if id(n) in kept}
            self._positions[key_of(self.state)] = self.root
        self._bias = BiasTable()
        self._recount_bias()
        if self.config.backup.score_utility is not None:
            self._center = self.config.backup.score_utility.center_share * self.root.raw_score
        self._prepare_root()

    def visits(self) -> dict[int, int]:
        """N(s,a) of the root's visited actions."""
        return {edge.action: edge.n for edge in self.root.edges if edge.n > 0 and not edge.closed}

    def _recount_bias(self) -> None:
        """The table of the nodes that are left, level by level as the core numbers them."""
        for node in nodes_below(self.root):
            delta, weight = self._bias.sums.get(node.bucket, (0.0, 0.0))
            self._bias.sums[node.bucket] = (delta + node.bias[0], weight + node.bias[1])

    def _utility(self, state: Any, v: float, mean: float, stdev: float) -> float:
        points, area = self.config.backup.score_utility, state.num_distinct_actions() - 1
        return utility(points, v, mean, stdev, self._center, area)

    def _node_of(self, state: Any, path: Sequence[tuple[Node, Edge]]) -> Node:
        """In a graph: the node of a position, made at the first time."""
        key = key_of(state)
        if key not in self._positions:
            self._positions[key] = self._new_node(state, path)
        return self._positions[key]

    def _new_node(self, state: Any, path: Sequence[tuple[Node, Edge]] = ()) -> Node:
        salt = mix64(self.seed ^ mix64(SALT_STREAM << 56 ^ self._nodes)) & 0xFFFFFFFF
        self._nodes += 1
        bucket = tuple((node.player, edge.action) for node, edge in path[-2:])
        if not state.is_terminal():
            return Node(state.current_player(), salt, bucket=bucket)
        result = state.returns()[0]
        node = Node(-4, salt, terminal=True, proven=result, bucket=bucket)
        node.raw_value = float32(result)
        node.own_utility = result
        if self.config.backup.score_utility is not None:
            score = float32(-state.score()) if hasattr(state, "score") else 0.0
            node.raw_score = score
            node.own_utility = self._utility(state, result, score, 0.0)
        if weighs(self.config.backup) or self.config.backup.score_utility is not None:
            node.own_utility = float32(node.own_utility)
        return node

    def _expand(self, node: Node, state: Any, logits: Sequence[float] | None) -> None:
        node.legal = list(state.legal_actions())
        if logits is None:
            priors = [1.0 / len(node.legal)] * len(node.legal)
        else:
            expansion = self.config.expansion
            priors = softmax([logits[a] for a in node.legal], expansion.policy_temperature)
            priors = filtered(priors, expansion.policy_filter)
        self._order(node, [rounded(p) if p >= 0.0 else -1.0 for p in priors])

    def _order(self, node: Node, priors: list[float]) -> None:
        """Highest prior first, equal priors as the node's salt draws them; −1 is never opened."""
        opened = {edge.action for edge in node.edges}
        keys = [
            (-p, tie(node.salt, place), place)
            for place, p in enumerate(priors)
            if p >= 0.0 and node.legal[place] not in opened
        ]
        node.unopened = [(node.legal[place], -minus) for minus, _, place in sorted(keys)]

    def _prepare_root(self) -> None:
        """Temperature, fresh noise and the allowed actions, once per new root."""
        root, expansion = self.root, self.config.expansion
        if root.terminal or root.n == 0:
            return
        known = {**dict(root.unopened), **{edge.action: edge.p for edge in root.edges}}
        raw = [known.get(action, 0.0) for action in root.legal]
        priors = list(raw)
        if expansion.root_temperature != 1.0:
            logits = [math.log(p) if p > 0.0 else -1e30 for p in priors]
            priors = softmax(logits, expansion.root_temperature)
        if expansion.root_noise is not None:
            random = Random(self.seed, NOISE_STREAM, self.root_number)
            priors = noisy(priors, expansion.root_noise, random)
        final = [
            -1.0 if p == 0.0 or (self.allowed and action not in self.allowed) else rounded(mixed)
            for action, p, mixed in zip(root.legal, raw, priors, strict=True)
        ]
        for edge in root.edges:
            edge.closed = final[root.legal.index(edge.action)] < 0.0
            edge.p = final[root.legal.index(edge.action)]
        self._order(root, final)
        root.visited_prior = 0.0
        for edge in root.edges:
            if not edge.closed:
                root.visited_prior = float32(root.visited_prior + edge.p)
        if isinstance(self.config.selection, Gumbel):
            while root.unopened:
                open_next(root)
            self._gumbels = {edge.action: self._gumbel(edge.action) for edge in root.edges}
            self._make_plan()

    def _gumbel(self, action: int) -> float:
        uniform = Random(self.seed, GUMBEL_STREAM, self.root_number, action).uniform()
        return -math.log(-math.log(uniform))
