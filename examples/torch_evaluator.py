"""A PyTorch network guides a search of Othello. Needs torch."""

from __future__ import annotations

import torch
from torch import nn

from honte.evaluation import Evaluation, LeafBatch
from honte.games import Othello
from honte.search import Search


class PolicyValueNetwork(nn.Module):
    def __init__(self, planes: int = 2, size: int = 6, actions: int = 37) -> None:
        super().__init__()
        self.shape = (-1, planes, size, size)
        self.trunk = nn.Sequential(nn.Conv2d(planes, 32, 3, padding=1), nn.ReLU(), nn.Flatten())
        self.policy = nn.Linear(32 * size * size, actions)
        self.value = nn.Linear(32 * size * size, 1)

    @torch.inference_mode()
    def __call__(self, leaves: LeafBatch) -> Evaluation:
        observations = torch.from_numpy(leaves.observations()).view(self.shape)
        features = self.trunk(observations)
        value = torch.tanh(self.value(features)).squeeze(1)
        return Evaluation(value=value.numpy(), policy_logits=self.policy(features).numpy())


def main() -> None:
    torch.manual_seed(0)
    search = Search(Othello(6).new_initial_state(), evaluator=PolicyValueNetwork(), seed=1)
    result = search.run(visits=200)
    print(f"action {result.action}, value {result.value:+.3f} for the side to move")


if __name__ == "__main__":
    main()
