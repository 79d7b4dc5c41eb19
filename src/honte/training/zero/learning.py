"""The network of a run from nothing: of Go in KataGo's form, of other games on their own planes."""

from __future__ import annotations

import copy
import io
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import onnx
import torch
from torch import Tensor, nn
from torch.nn import functional

from honte.errors import HonteError
from honte.evaluation import Evaluation, Evaluator, LeafBatch, NetworkEvaluator, OnnxEvaluator
from honte.networks import from_katago
from honte.networks.katago_writer import write_katago
from honte.training.architecture import Architecture
from honte.training.checkpoint import write_whole
from honte.training.katago_export import to_katago
from honte.training.losses import masked_logits
from honte.training.networks import GoNetwork
from honte.training.planes_network import PlanesNetwork, to_onnx
from honte.training.symmetries import point_permutations
from honte.training.zero.config import NetworkTable, TrainingTable
from honte.training.zero.game import ZeroGame, named_object
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
    score: Tensor
    """[N]: of Go; NaN where it is not known."""
    ownership: Tensor
    """[N, H, W] of Go, else [N, 0, 0]."""
    short_term: Tensor
    """[N, 3]."""

    def on(self, device: str) -> Part:
        """The same where PyTorch's device of this name has it."""
        return Part(*(getattr(self, part.name).to(device) for part in fields(self)))


def new_network(table: NetworkTable, game: ZeroGame) -> nn.Module:
    """A network that knows nothing. Raises HonteError where a factory gives none."""
    if table.factory is not None:
        return _own_network(table.factory, game)
    architecture = Architecture(**table.model_dump(exclude={"factory"}))
    if game.is_go:
        return GoNetwork(architecture)
    return PlanesNetwork(architecture, game.shape, game.actions)


def _own_network(factory: str, game: ZeroGame) -> nn.Module:
    if game.is_go:
        raise HonteError("Go is learned by honte's own network: leave network.factory out.")
    network = named_object(factory, "network")(game.shape, game.actions)
    if not isinstance(network, nn.Module):
        raise HonteError(f"The network {factory} is no torch.nn.Module: it gave {network!r}.")
    with torch.no_grad():
        answer = network(torch.zeros((2, *game.shape)))
    shapes = [tuple(part.shape) for part in answer] if isinstance(answer, tuple) else answer
    if shapes != [(2, game.actions), (2,)]:
        raise HonteError(
            f"The network {factory} should answer 2 positions with policy logits of shape "
            f"{(2, game.actions)} and values of shape (2,), and gives {shapes}."
        )
    return network


def loss(network: nn.Module, part: Part, weights: TrainingTable) -> dict[str, Tensor]:
    """AlphaGo Zero's: cross entropy of the policy; of the value the squared error, or for Go,
    whose network answers with win, loss and no result, the cross entropy; and KataGo's auxiliary
    targets, each with its weight."""
    share = weights.search_share
    target = (1.0 - share) * part.value + share * part.short_term[:, 0]
    if isinstance(network, GoNetwork):
        return _loss_of_go(network, part, target, weights)
    logits, value = network(part.planes)
    value_loss = functional.mse_loss(value, target)
    policy_loss = -(part.policy * logits.log_softmax(dim=1)).sum(dim=1).mean()
    total = policy_loss + weights.value_weight * value_loss
    return {"policy": policy_loss, "value": value_loss, "total": total}


def _loss_of_go(
    network: GoNetwork, part: Part, target: Tensor, weights: TrainingTable
) -> dict[str, Tensor]:
    outputs = network(part.planes, part.numbers)
    logits = masked_logits(outputs, part.planes)
    win = (target + 1.0) / 2.0
    result = torch.stack((win, 1.0 - win, torch.zeros_like(win)), dim=1)
    parts = {
        "policy": -(part.policy * logits.log_softmax(dim=1)).sum(dim=1).mean(),
        "value": -(result * outputs.value.log_softmax(dim=1)).sum(dim=1).mean(),
    }
    total = parts["policy"] + weights.value_weight * parts["value"]
    known = (~part.score.isnan()).float()
    finished = known.sum().clamp(min=1.0)
    if weights.score_weight > 0:
        parts["score"] = (_score_loss(outputs.misc, part.score) * known).sum() / finished
        total = total + weights.score_weight * parts["score"]
    if weights.ownership_weight > 0:
        # tanh(x) = 2σ(2x) − 1, so that the logit of "mine" is 2x.
        each = functional.binary_cross_entropy_with_logits(
            2.0 * outputs.ownership, (part.ownership + 1.0) / 2.0, reduction="none"
        )
        parts["ownership"] = (each.mean(dim=(1, 2)) * known).sum() / finished
        total = total + weights.ownership_weight * parts["ownership"]
    if outputs.short_term is not None and weights.short_term_weight > 0:
        parts["short_term"] = functional.binary_cross_entropy_with_logits(
            outputs.short_term, (part.short_term + 1.0) / 2.0
        )
        total = (
            total + weights.short_term_weight * outputs.short_term.shape[1] * parts["short_term"]
        )
    parts["total"] = total
    return parts


def _score_loss(misc: Tensor, score: Tensor) -> Tensor:
    """[N], in units of 20 points: Huber losses of the mean and the lead, which are both learned
    from the final score, and how unlikely the score is under the deviation told."""
    target = score.nan_to_num() / 20.0
    mean, lead = misc[:, 0], misc[:, 2]
    stdev = functional.softplus(misc[:, 1]) + 0.05
    off = (target - mean.detach()) / stdev
    likely = 0.05 * (stdev.log() + 0.5 * off.square())
    both = [
        functional.huber_loss(said, target, delta=0.6, reduction="none") for said in (mean, lead)
    ]
    return both[0] + both[1] + likely


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
        owners = window.ownership[rows].reshape(batch_size, -1)[every, chosen]
        owners = owners.reshape(batch_size, *game.shape[1:]).astype(np.float32)
    else:
        shown = random.integers(0, game.symmetries, batch_size)
        planes = window.planes[rows, shown].astype(np.float32)
        policy = window.policy[rows, shown].astype(np.float32)
        owners = window.ownership[rows].astype(np.float32)
    policy /= policy.sum(axis=1, keepdims=True)
    tensors = [
        torch.from_numpy(np.ascontiguousarray(array))
        for array in (
            planes,
            window.numbers[rows],
            policy,
            window.value[rows],
            window.score[rows],
            owners,
            window.short_term[rows].astype(np.float32),
        )
    ]
    tensors[0] = tensors[0].contiguous(memory_format=torch.channels_last)
    share = batch_size // workers
    return [
        Part(*(tensor[w * share : (w + 1) * share] for tensor in tensors)) for w in range(workers)
    ]


def network_file(folder: Path, network: nn.Module, game: ZeroGame) -> Path:
    """Where a run keeps its latest network: a KataGo file for Go, ONNX for honte's network of
    other games, the weights (``state_dict``) of a network of the user's own."""
    if game.is_go:
        return folder / "network.bin.gz"
    return folder / ("network.onnx" if isinstance(network, PlanesNetwork) else "network.pt")


def export(network: nn.Module, name: str, path: Path) -> None:
    """Write the network as a file that honte plays with, or the weights of a user's own."""
    if isinstance(network, GoNetwork):
        write_katago(to_katago(network, name), path)
    elif isinstance(network, PlanesNetwork):
        write_whole(path, to_onnx(network, name).SerializeToString())
    else:
        save_weights(network, path)


def save_weights(network: nn.Module, path: Path) -> None:
    """Keep a network's weights, whole or not at all. Raises HonteError if they cannot be kept."""
    path.parent.mkdir(exist_ok=True)
    buffer = io.BytesIO()
    torch.save(network.state_dict(), buffer)
    write_whole(path, buffer.getvalue())


def load_weights(like: nn.Module, path: Path) -> nn.Module:
    """A network of the same architecture with the weights that were kept."""
    network = copy.deepcopy(like)
    network.load_state_dict(torch.load(path, weights_only=True))
    return network


def model_of(network: nn.Module, name: str) -> onnx.ModelProto | None:
    """The network as a graph; None for a user's own, which PyTorch runs."""
    if isinstance(network, GoNetwork):
        return from_katago(to_katago(network, name)).model()
    return to_onnx(network, name) if isinstance(network, PlanesNetwork) else None


class TorchEvaluator:
    """Answers leaves with a PyTorch module over the game's own observations."""

    name = "network in PyTorch"

    def __init__(self, network: nn.Module, shape: tuple[int, int, int]) -> None:
        self.network = network
        self.shape = shape

    def __call__(self, batch: LeafBatch) -> Evaluation:
        planes = torch.from_numpy(batch.observations().reshape(batch.size, *self.shape))
        with torch.no_grad():
            policy, value = self.network(planes)
        return Evaluation(value=value.numpy(), policy_logits=policy.numpy())


def evaluator_of(network: nn.Module, name: str, game: ZeroGame, batch_size: int) -> Evaluator:
    """What answers leaves with the network as it is now, in batches of so many."""
    if isinstance(network, GoNetwork):
        return NetworkEvaluator(from_katago(to_katago(network, name)), batch_size=batch_size)
    if isinstance(network, PlanesNetwork):
        return OnnxEvaluator(to_onnx(network, name), batch_size=batch_size)
    return TorchEvaluator(network, game.shape)
