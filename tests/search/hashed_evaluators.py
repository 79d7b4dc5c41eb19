"""Evaluators whose answers are a hash of the position: deterministic, and as wild as a
network before training. One face for the reference, one for the native search."""

from __future__ import annotations

import zlib
from itertools import count

import numpy as np

from honte import _core
from honte.evaluation.contract import Evaluation
from honte.search.reference.phases import Judgement, Playouts


class Hashed:
    """Values in [−1, 1] and logits of a given spread: 0 gives equal logits, None none."""

    name = "hashed"

    def __init__(self, num_actions, spread=3.0, steps=None, seed=0):
        self.num_actions, self.spread, self.steps, self.seed = num_actions, spread, steps, seed

    def one(self, state):
        """(value, logits) for the reference search, from the side to move."""
        generator = np.random.default_rng([zlib.crc32(str(state).encode()), self.seed])
        value = generator.uniform(-1, 1)
        if self.steps:  # coarse values make ties, which must be broken alike
            value = round(value * self.steps) / self.steps
        logits = None
        if self.spread is not None:
            logits = np.float32(self.spread * generator.normal(size=self.num_actions))
            if self.steps:
                logits = np.float32(np.round(logits))
            logits = [float(x) for x in logits]
        return float(np.float32(value)), logits

    def judgement(self, state):
        """All that a network may say, for the reference search."""
        value, logits = self.one(state)
        generator = np.random.default_rng([zlib.crc32(str(state).encode()), self.seed, 1])
        mean, stdev, error = np.float32(generator.uniform([-20, 0, 0], [20, 10, 0.5]))
        rollout = float(np.sign(generator.normal()))
        return Judgement(value, logits, float(mean), float(stdev), float(error), rollout)

    def __call__(self, batch):
        judgements = [self.judgement(state) for state in batch.states()]
        answers = [(judgement.value, judgement.logits) for judgement in judgements]
        logits = None
        if self.spread is not None:
            logits = np.array([logits for _, logits in answers], np.float32)
        mean, stdev, error, rollout = (
            np.array([getattr(j, name) for j in judgements], np.float32)
            for name in ("score_mean", "score_stdev", "error", "rollout")
        )
        value = np.array([value for value, _ in answers], np.float32)
        return Evaluation(
            value,
            logits,
            score_mean=mean,
            score_stdev=stdev,
            score_lead=mean,
            uncertainty=error,
            rollout=rollout,
        )


def rollouts(seed, playouts=1):
    """The reference's evaluator that plays the very playouts of the core's ``Rollout``."""
    serial = count(1)

    def evaluate(state):
        number = next(serial)
        return Playouts([_core.random_playout(state, seed, number, one) for one in range(playouts)])

    return evaluate
