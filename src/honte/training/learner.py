"""One step of learning: gradients on several threads, two optimisers, a running mean of weights."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import torch
from torch import Tensor, nn

from honte.errors import HonteError

Part = TypeVar("Part")
Network = TypeVar("Network", bound=nn.Module)


@dataclass(frozen=True, slots=True)
class OptimiserOptions:
    """How weights move. Every default was chosen for towers of half a million weights."""

    learning_rate: float = 2e-3
    weight_decay: float = 0.03
    mean_decay: float = 0.998
    """Of the running mean of the weights, a step; the mean is what plays and is exported."""
    largest_gradient: float = 5.0
    """Norm beyond which a gradient is scaled down."""
    workers: int = 2
    """Threads, each of which computes the gradient of its part of a batch."""


class Learner(Generic[Network, Part]):
    """A network on its way.

    Matrices of the residual tower are moved by Muon (Jordan 2024), whose orthogonal steps need
    about half the samples here; biases and the heads by AdamW. Arithmetic is bfloat16 where
    ``autocast`` says so, weights are float32. ``device`` is PyTorch's name of where it all lies;
    the parts of a batch come from there too.
    """

    def __init__(
        self,
        network: Network,
        options: OptimiserOptions,
        loss: Callable[[Network, Part], dict[str, Tensor]],
        *,
        autocast: bool,
        device: str = "cpu",
    ) -> None:
        self.device = device
        network.to(device)
        self.network = network
        self.mean: Network = copy.deepcopy(network)
        self.mean.requires_grad_(False)
        self.options = options
        self.steps = 0
        self._loss = loss
        self._autocast = autocast
        self._parameters = list(network.parameters())
        tower: list[nn.Parameter] = []
        rest: list[nn.Parameter] = []
        for name, parameter in network.named_parameters():
            matrix = parameter.ndim == 2 and min(parameter.shape) >= 16
            (tower if matrix and ".blocks." in name else rest).append(parameter)
        decay = options.weight_decay
        self._optimisers: list[torch.optim.Optimizer] = [
            torch.optim.AdamW(rest, lr=1.0, betas=(0.9, 0.98), weight_decay=decay)
        ]
        if tower:
            self._optimisers.append(
                torch.optim.Muon(tower, lr=1.0, weight_decay=decay, adjust_lr_fn="match_rms_adamw")
            )
        self._pool = ThreadPoolExecutor(
            options.workers, initializer=torch.set_num_threads, initargs=(1,)
        )

    def step(self, parts: Sequence[Part], learning_rate: float) -> dict[str, float]:
        """Learn from the parts of a batch, equal in size; returns the mean of each loss.

        Raises HonteError if a loss is not finite; the weights are then as they were.
        """
        answers = list(self._pool.map(self._gradient, parts))
        means = {
            name: sum(values[name] for values, _ in answers) / len(answers)
            for name in answers[0][0]
        }
        if not all(map(_finite, means.values())):
            raise HonteError(
                f"The loss is no longer finite after {self.steps} steps ({means}): start from the "
                "last checkpoint with a smaller learning rate."
            )
        for place, parameter in enumerate(self._parameters):
            gradient = answers[0][1][place]
            for _, other in answers[1:]:
                gradient = gradient + other[place]
            parameter.grad = gradient / len(answers)
        torch.nn.utils.clip_grad_norm_(self._parameters, self.options.largest_gradient)
        for optimiser in self._optimisers:
            for group in optimiser.param_groups:
                group["lr"] = learning_rate
            optimiser.step()
        self.steps += 1
        decay = min(self.options.mean_decay, (1.0 + self.steps) / (10.0 + self.steps))
        with torch.no_grad():
            for mean, parameter in zip(self.mean.parameters(), self._parameters, strict=True):
                mean.lerp_(parameter, 1.0 - decay)
        return means

    def _gradient(self, part: Part) -> tuple[dict[str, float], Sequence[Tensor]]:
        kind = self.device.partition(":")[0]
        with torch.autocast(kind, dtype=torch.bfloat16, enabled=self._autocast):
            values = self._loss(self.network, part)
        gradients = torch.autograd.grad(values["total"], self._parameters, allow_unused=True)
        found = [
            torch.zeros_like(parameter) if gradient is None else gradient
            for gradient, parameter in zip(gradients, self._parameters, strict=True)
        ]
        return {name: float(value.detach()) for name, value in values.items()}, found

    def state(self) -> dict[str, Any]:
        """Everything that a resumed run needs."""
        return {
            "network": self.network.state_dict(),
            "mean": self.mean.state_dict(),
            "optimisers": [optimiser.state_dict() for optimiser in self._optimisers],
            "steps": self.steps,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what :meth:`state` gave. Raises HonteError for another network's state."""
        try:
            self.network.load_state_dict(state["network"])
            self.mean.load_state_dict(state["mean"])
            for optimiser, saved in zip(self._optimisers, state["optimisers"], strict=True):
                optimiser.load_state_dict(saved)
        except (RuntimeError, ValueError, KeyError) as error:
            reason = str(error).splitlines()[0]
            raise HonteError(
                f"The checkpoint is of another network than this run's: {reason}"
            ) from None
        self.steps = int(state["steps"])


def _finite(value: float) -> bool:
    return value - value == 0.0


def has_fast_bfloat16() -> bool:
    """Whether this processor multiplies bfloat16 matrices faster than float32."""
    return bool(torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported())
