"""A network of your own in PyTorch, trained from nothing by honte's loop on Connect Four."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import torch
from torch import nn

from honte.training.runs import RunFolder
from honte.training.zero.config import ZeroConfig
from honte.training.zero.loop import run_zero


class Perceptron(nn.Module):
    """Observation planes [N, C, H, W] to policy logits [N, A] and values [N] in [-1, 1]."""

    def __init__(self, shape: tuple[int, int, int], actions: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Flatten(), nn.Linear(torch.Size(shape).numel(), 64), nn.ReLU())
        self.policy, self.value = nn.Linear(64, actions), nn.Linear(64, 1)

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        seen = self.body(planes)
        return self.policy(seen), self.value(seen)[:, 0].tanh()


def main(folder: Path, iterations: int = 4) -> None:
    table = {"factory": f"{Path(__file__).stem}:Perceptron"}
    games = {"games": 24, "visits": 32, "fast_visits": 8}
    config = ZeroConfig(
        game={"name": "connect_four"}, network=table, self_play=games, iterations=iterations
    )
    print("weights in", run_zero(folder, config))
    for line in RunFolder(folder).metrics():
        print({name: round(value, 3) for name, value in line.items() if "loss" in name})


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()))
