"""From what a specification says of leaf values to evaluators, one object for equal wishes."""

from __future__ import annotations

from dataclasses import replace

from honte.evaluation import (
    AsyncEvaluator,
    Evaluation,
    Evaluator,
    LeafBatch,
    Mixture,
    NetworkEvaluator,
    PatternPolicy,
    Pending,
    Rollout,
    WithRollouts,
)
from honte.lab.specs import AlphaBetaPlayerSpec, LeafValue, SearchPlayerSpec


class WithoutPolicy:
    """Another evaluator's values, and equal priors: AlphaGo's searches without its policy."""

    def __init__(self, evaluator: AsyncEvaluator) -> None:
        self.evaluator = evaluator
        self.name = f"values of {getattr(evaluator, 'name', type(evaluator).__name__)}"

    @property
    def streams(self) -> int:
        """How many batches it works on at once."""
        return self.evaluator.streams

    @property
    def preferred_batch_size(self) -> int:
        """How many leaves a batch should hold."""
        return self.evaluator.preferred_batch_size

    def submit(self, batch: LeafBatch) -> Pending:
        """Start on a batch."""
        return _WithoutPolicy(self.evaluator.submit(batch))

    def __call__(self, batch: LeafBatch) -> Evaluation:
        return self.submit(batch).result()


class _WithoutPolicy:
    def __init__(self, pending: Pending) -> None:
        self._pending = pending

    def result(self) -> Evaluation:
        return replace(self._pending.result(), policy_logits=None)


class Evaluators:
    """Makes evaluators and remembers them, so that players who want the same share its batches."""

    def __init__(self) -> None:
        self._networks: dict[str, NetworkEvaluator] = {}
        self._made: dict[tuple[LeafValue, bool], Evaluator] = {}

    def network(self, path: str) -> NetworkEvaluator:
        """The evaluator of a network's file. Raises HonteError if it cannot be read."""
        if path not in self._networks:
            self._networks[path] = NetworkEvaluator(path)
        return self._networks[path]

    def of(self, player: SearchPlayerSpec | AlphaBetaPlayerSpec) -> Evaluator:
        """What answers a player's leaves: rollouts apart where its search keeps separate means,
        whose λ then counts instead of the leaf's."""
        if not isinstance(player, SearchPlayerSpec):
            return self.evaluator(player.leaf)
        return self.evaluator(player.leaf, apart=player.search.backup.separate_means is not None)

    def evaluator(self, leaf: LeafValue, *, apart: bool = False) -> Evaluator:
        """What answers leaves as the specification says."""
        if (leaf, apart) not in self._made:
            self._made[leaf, apart] = self._make(leaf, apart)
        return self._made[leaf, apart]

    def _make(self, leaf: LeafValue, apart: bool) -> Evaluator:
        if leaf.network is None or leaf.blind:
            return self._rollouts(leaf)
        network = self.network(leaf.network)
        evaluator: AsyncEvaluator = network
        if apart:
            evaluator = WithRollouts(network, self._rollouts(leaf))
        elif leaf.rollout_weight > 0:
            evaluator = Mixture(network, self._rollouts(leaf), leaf.rollout_weight)
        return evaluator if leaf.policy else WithoutPolicy(evaluator)

    def _rollouts(self, leaf: LeafValue) -> Rollout:
        if leaf.rollout_policy == "uniform":
            return Rollout(leaf.rollouts)
        if leaf.rollout_policy == "patterns":
            return Rollout(leaf.rollouts, PatternPolicy.shipped())
        return Rollout(leaf.rollouts, PatternPolicy.load(leaf.rollout_policy))
