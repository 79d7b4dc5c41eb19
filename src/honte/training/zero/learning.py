"""The network of a run from nothing: of Go in KataGo's form, of other games on their own planes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from torch import Tensor, nn
from torch.nn import functional

from honte.evaluation import Evaluator, NetworkEvaluator, OnnxEvaluator
from honte.networks import from_katago
from honte.networks.katago_writer import write_katago
from honte.training.architecture import Architecture
from honte.training.checkpoint import write_whole
from honte.training.katago_export import to_katago
from honte.training.networks import GoNetwork
from honte.training.planes_network import PlanesNetwork, to_onnx
from honte.training.symmetries import point_permutations
from honte.training.zero.game import ZeroGame
from honte.training.zero.replay import ZeroSamples


@dataclass(frozen=True, slots=True)
class Part:
    """A worker's part of a batch."""

    planes: Tensor
    """[N, C, H, W]."""
    numbers: Tensor
    """[N, G]."""
    policy: Tensor
    """[N, A]."""
    value: Tensor
    """[N]."""


def new_network(architecture: Architecture, game: ZeroGame) -> nn.Module:
    """A network that knows nothing."""
    if game.is_go:
        return GoNetwork(architecture)
    return PlanesNetwork(architecture, game.shape, game.actions)


def loss(network: nn.Module, part: Part) -> dict[str, Tensor]:
    """AlphaGo Zero's: cross entropy of the policy; of the value the squared error, or for Go,
    whose network answers with win and loss, the cross entropy."""
    if isinstance(network, GoNetwork):
        outputs = network(part.planes, part.numbers)
        logits = outputs.policy
        win = (part.value + 1.0) / 2.0
        result = torch.stack((win, 1.0 - win), dim=1)
        value_loss = -(result * outputs.value[:, :2].log_softmax(dim=1)).sum(dim=1).mean()
    else:
        logits, value = network(part.planes)
        value_loss = functional.mse_loss(value, part.value)
    policy_loss = -(part.policy * logits.log_softmax(dim=1)).sum(dim=1).mean()
    return {"policy": policy_loss, "value": value_loss, "total": policy_loss + value_loss}


def draw_parts(
    game: ZeroGame, window: ZeroSamples, batch_size: int, workers: int, seed: int, step: int
) -> list[Part]:
    """The batch of a step: rows of the window at random, each under a random symmetry."""
    random = np.random.Generator(np.random.Philox(key=[seed, (1 << 62) + step]))
    rows = random.integers(0, len(window), batch_size)
    if game.is_go:
        came_from = point_permutations(*game.shape[1:])
        chosen = came_from[random.integers(0, len(came_from), batch_size)]
        every = np.arange(batch_size)[:, None]
        planes = window.planes[rows, 0].astype(np.float32).reshape(batch_size, game.shape[0], -1)
        planes = np.take_along_axis(planes, chosen[:, None, :], axis=2)
        planes = planes.reshape(batch_size, *game.shape)
        policy = window.policy[rows, 0].astype(np.float32)
        policy[:, :-1] = policy[every, chosen]
    else:
        shown = random.integers(0, game.symmetries, batch_size)
        planes = window.planes[rows, shown].astype(np.float32)
        policy = window.policy[rows, shown].astype(np.float32)
    policy /= policy.sum(axis=1, keepdims=True)
    tensors = [
        torch.from_numpy(np.ascontiguousarray(array))
        for array in (planes, window.numbers[rows], policy, window.value[rows])
    ]
    tensors[0] = tensors[0].contiguous(memory_format=torch.channels_last)
    share = batch_size // workers
    return [
        Part(*(tensor[w * share : (w + 1) * share] for tensor in tensors)) for w in range(workers)
    ]


def network_file(folder: Path, game: ZeroGame) -> Path:
    """Where a run keeps its latest network."""
    return folder / ("network.bin.gz" if game.is_go else "network.onnx")


def export(network: nn.Module, name: str, path: Path) -> None:
    """Write the network as a file that honte plays with."""
    if isinstance(network, GoNetwork):
        write_katago(to_katago(network, name), path)
    else:
        assert isinstance(network, PlanesNetwork)
        write_whole(path, to_onnx(network, name).SerializeToString())


def model_of(network: nn.Module, name: str) -> onnx.ModelProto:
    """The network as a graph."""
    if isinstance(network, GoNetwork):
        return from_katago(to_katago(network, name)).model()
    assert isinstance(network, PlanesNetwork)
    return to_onnx(network, name)


def evaluator_of(network: nn.Module, name: str) -> Evaluator:
    """What answers leaves with the network as it is now."""
    options: dict[str, Any] = {"batch_size": 16}
    if isinstance(network, GoNetwork):
        return NetworkEvaluator(from_katago(to_katago(network, name)), **options)
    assert isinstance(network, PlanesNetwork)
    return OnnxEvaluator(to_onnx(network, name), **options)
