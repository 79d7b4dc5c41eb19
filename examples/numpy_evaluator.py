"""A network in plain numpy guides a search of Gomoku: any function on a batch is an evaluator."""

from __future__ import annotations

import numpy as np

from honte.evaluation import Evaluation, LeafBatch
from honte.games import Gomoku
from honte.search import Search


class TwoLayers:
    """From 2 planes, the mover's stones and the opponent's, to policy logits and a value."""

    def __init__(self, size: int, hidden: int = 64, seed: int = 0) -> None:
        random = np.random.default_rng(seed)
        points = size * size
        self.first = random.normal(0, 0.1, (2 * points, hidden)).astype(np.float32)
        self.policy = random.normal(0, 0.1, (hidden, points)).astype(np.float32)
        self.value = random.normal(0, 0.1, hidden).astype(np.float32)

    def __call__(self, leaves: LeafBatch) -> Evaluation:
        hidden = np.maximum(leaves.observations() @ self.first, 0)  # [B, hidden]
        return Evaluation(
            policy_logits=hidden @ self.policy,  # [B, A]; illegal actions are masked by the search
            value=np.tanh(hidden @ self.value),  # [B], for the side to move
        )


def main() -> None:
    search = Search(Gomoku(7).new_initial_state(), evaluator=TwoLayers(7), seed=1)
    result = search.run(visits=800)
    for child in result.children[:3]:
        print(f"{child.action:2d}: {child.n:3d} visits, Q {child.q:+.3f}, P {child.p:.3f}")


if __name__ == "__main__":
    main()
