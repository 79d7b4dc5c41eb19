"""Evaluators whose answers are a hash of the position: deterministic, and as wild as a
network before training. One face for the reference, one for the native search."""

from __future__ import annotations

import zlib
from itertools import count

import numpy as np

from honte import _core
from honte.evaluation.contract import Evaluation
from honte.search.reference.phases import Playouts


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

    def __call__(self, batch):
        answers = [self.one(state) for state in batch.states()]
        logits = None
        if self.spread is not None:
            logits = np.array([logits for _, logits in answers], np.float32)
        return Evaluation(np.array([value for value, _ in answers], np.float32), logits)


def rollouts(seed, playouts=1):
    """The reference's evaluator that plays the very playouts of the core's ``Rollout``."""
    serial = count(1)

    def evaluate(state):
        number = next(serial)
        return Playouts([_core.random_playout(state, seed, number, one) for one in range(playouts)])

    return evaluate
