"""Positions of Go that every network benchmark here uses alike."""

from __future__ import annotations

import numpy as np

from honte.evaluation import NetworkEvaluator
from honte.games.go import Go, GoState


def game_positions(
    evaluator: NetworkEvaluator, size: int, count: int, seed: int = 1
) -> list[GoState]:
    """``count`` positions, evenly spread over the first half of a game.

    The moves are drawn from the network's own policy, so that the game looks like one.
    """
    random = np.random.default_rng(seed)
    state = Go(size).new_initial_state()
    last = max(count, size * size // 4)
    wanted = {round(last * (index + 1) / count) for index in range(count)}
    found = []
    for move in range(1, last + 1):
        policy = evaluator.evaluate([state]).policy[0].astype(float)
        policy[-1] = 0.0  # nobody passes this early
        state.play(int(random.choice(len(policy), p=policy / policy.sum())))
        if move in wanted:
            found.append(state.clone())
    return found
