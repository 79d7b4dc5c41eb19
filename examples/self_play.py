"""Self-play of Go on 5 × 5, the tree kept from move to move: what training data is made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honte import presets
from honte.evaluation import Rollout
from honte.games.go import Go, format_vertex
from honte.search import Search

SIZE = 5


@dataclass(frozen=True)
class Example:
    """A position, what the search made of it, and how the game ended for its side to move."""

    observation: NDArray[np.float32]
    policy: NDArray[np.float64]
    outcome: float


def play(seed: int = 0, visits: int = 200) -> list[Example]:
    state = Go(SIZE).new_initial_state()
    search = Search(state, presets.alphazero(self_play=True), Rollout(), seed=seed)
    seen = []
    while not state.is_terminal():
        result = search.run(visits=visits)  # visits below the kept move count already
        assert result.action is not None
        seen.append((np.asarray(state.observation_tensor()), result.policy, result.player))
        print(format_vertex(result.action, SIZE, SIZE), end=" ", flush=True)
        state.apply_action(result.action)
        search.advance(result.action)
    returns = state.returns()
    print(f"\nWhite minus Black: {state.score():+g} points")
    return [Example(observation, policy, returns[player]) for observation, policy, player in seen]


if __name__ == "__main__":
    print(len(play()), "examples")
