"""Policy and value networks in PyTorch: AlphaGo Zero's dual-head residual tower.

The tower is KataGo's of 2020 without batch normalisation: every normalisation is a learned bias,
and a block's last convolution starts at zero, so that the tower starts as the identity (Zhang et
al. 2019, "Fixup"). There is nothing to fold at export and no statistic that a small batch could
spoil. Weights are stored as matrices [out, in · 3 · 3], which is what the optimiser wants.

Everything is masked by the board, plane 0 of the input, so one batch may hold boards of several
sizes in its top left corners.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from honte.networks.layers import GLOBAL_FEATURES, SPATIAL_PLANES
from honte.training.architecture import Architecture

MISC_OUTPUTS = 4
"""Score mean, score deviation, lead, and one that a network of version 8 leaves unread."""

SHORT_TERMS = 3
"""Horizons of the short-term value: about a sixth, a twentieth and a sixtieth of the points."""


@dataclass(frozen=True, slots=True)
class NetworkOutputs:
    """What a network says of N positions, raw, from the side to move."""

    policy: Tensor
    """[N, H·W + 1] logits, the pass last; far below zero off the board."""
    value: Tensor
    """[N, 3] logits of win, loss, no result."""
    misc: Tensor
    """[N, 4]: score mean / 20, softplus⁻¹ of the score's deviation / 20, lead / 20, unused."""
    ownership: Tensor
    """[N, H, W] before tanh."""
    short_term: Tensor | None = None
    """[N, 3]: logits that the side to move wins, of the short-term values; where the network has
    them."""


class Board:
    """Where the points of a batch are, and how large each board is."""

    def __init__(self, mask: Tensor) -> None:
        """``mask`` [N, 1, H, W]: 1 on the board."""
        self.full = bool(mask.all())
        self.mask = mask
        self.area = mask.sum(dim=(2, 3))
        side = self.area.sqrt() - 14.0
        self.size_first = side / 10.0
        self.size_second = side.square() / 100.0 - 0.1

    def clear(self, x: Tensor) -> Tensor:
        """Zero off the board."""
        return x if self.full else x * self.mask

    def pool(self, x: Tensor) -> Tensor:
        """[N, 3C]: mean, mean scaled by the board's size, maximum."""
        x = x.float()
        if self.full:
            mean, highest = x.mean(dim=(2, 3)), x.amax(dim=(2, 3))
        else:
            mean = (x * self.mask).sum(dim=(2, 3)) / self.area
            highest = (x + (self.mask - 1.0) * 1e4).amax(dim=(2, 3))
        return torch.cat((mean, mean * self.size_first, highest), dim=1)

    def pool_for_value(self, x: Tensor) -> Tensor:
        """[N, 3C]: mean, and mean scaled by the board's size in two ways."""
        mean = self.clear(x.float()).sum(dim=(2, 3)) / self.area
        return torch.cat((mean, mean * self.size_first, mean * self.size_second), dim=1)


class Convolution(nn.Module):
    """A convolution that keeps the board's size, its weights a matrix [out, in · size²]."""

    def __init__(self, inputs: int, outputs: int, size: int = 3, gain: float = 2.0) -> None:
        super().__init__()
        self.inputs, self.outputs, self.size = inputs, outputs, size
        fan = inputs * size * size
        self.weight = nn.Parameter(torch.randn(outputs, fan) * math.sqrt(gain / fan))

    def kernel(self) -> Tensor:
        """[out, in, size, size]."""
        return self.weight.view(self.outputs, self.inputs, self.size, self.size)

    def forward(self, x: Tensor, bias: Tensor | None = None) -> Tensor:
        return functional.conv2d(x, self.kernel(), bias, padding=self.size // 2)


class Matrix(nn.Module):
    """A matrix product without bias, weights [out, in]."""

    def __init__(self, inputs: int, outputs: int, gain: float = 2.0) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outputs, inputs) * math.sqrt(gain / inputs))

    def forward(self, x: Tensor, bias: Tensor | None = None) -> Tensor:
        return functional.linear(x, self.weight, bias)


def _bias(channels: int) -> nn.Parameter:
    return nn.Parameter(torch.zeros(channels))


def _per_channel(x: Tensor) -> Tensor:
    return x[:, :, None, None]


def _shifted(x: Tensor, bias: Tensor) -> Tensor:
    # In x's own number format: a float32 bias would make float32 of everything after it.
    return x + bias.to(x.dtype)[:, None, None]


class ResidualBlock(nn.Module):
    """Bias, ReLU, convolution, bias, ReLU, convolution, added to what came in."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.pre_bias = _bias(channels)
        self.first = Convolution(channels, channels)
        self.mid_bias = _bias(channels)
        self.last = Convolution(channels, channels, gain=0.0)

    def forward(self, x: Tensor, board: Board) -> Tensor:
        y = board.clear(functional.relu(_shifted(x, self.pre_bias)))
        y = board.clear(functional.relu(self.first(y, self.mid_bias)))
        change: Tensor = self.last(y)
        return x + change


class PoolingBlock(nn.Module):
    """A residual block in which some channels tell all points about the whole board."""

    def __init__(self, channels: int, regular: int, pooled: int) -> None:
        super().__init__()
        self.pre_bias = _bias(channels)
        self.first = Convolution(channels, regular)
        self.pooled = Convolution(channels, pooled)
        self.pooled_bias = _bias(pooled)
        self.pooled_to_bias = Matrix(3 * pooled, regular, gain=0.2)
        self.mid_bias = _bias(regular)
        self.last = Convolution(regular, channels, gain=0.0)

    def forward(self, x: Tensor, board: Board) -> Tensor:
        y = board.clear(functional.relu(_shifted(x, self.pre_bias)))
        summary = board.pool(functional.relu(self.pooled(y, self.pooled_bias)))
        board_bias = self.pooled_to_bias(summary, self.mid_bias)
        y = self.first(y)
        y = y + _per_channel(board_bias).to(y.dtype)
        change: Tensor = self.last(board.clear(functional.relu(y)))
        return x + change


class Tower(nn.Module):
    """The residual tower: [N, planes, H, W] and numbers [N, G] to [N, C, H, W]."""

    def __init__(self, architecture: Architecture, planes: int, numbers: int) -> None:
        super().__init__()
        channels = architecture.channels
        self.spatial = Convolution(planes, channels)
        self.numbers = Matrix(numbers, channels, gain=0.5) if numbers else None
        self.blocks = nn.ModuleList(
            PoolingBlock(channels, architecture.regular_channels, architecture.pooled_channels)
            if architecture.pools(block)
            else ResidualBlock(channels)
            for block in range(architecture.blocks)
        )
        self.tip_bias = _bias(channels)

    def forward(self, planes: Tensor, numbers: Tensor | None, board: Board) -> Tensor:
        x = self.spatial(planes)
        if self.numbers is not None and numbers is not None:
            x = x + _per_channel(self.numbers(numbers)).to(x.dtype)
        for block in self.blocks:
            x = block(x, board)
        return board.clear(functional.relu(_shifted(x, self.tip_bias)))


class PolicyHead(nn.Module):
    """[N, C, H, W] to logits of every point and of the pass, [N, H·W + 1]."""

    def __init__(self, channels: int, head_channels: int) -> None:
        super().__init__()
        self.points = Convolution(channels, head_channels, size=1)
        self.pooled = Convolution(channels, head_channels, size=1)
        self.pooled_bias = _bias(head_channels)
        self.pooled_to_bias = Matrix(3 * head_channels, head_channels, gain=0.2)
        self.points_bias = _bias(head_channels)
        self.logits = Convolution(head_channels, 1, size=1, gain=0.3)
        self.passing = Matrix(3 * head_channels, 1, gain=0.1)

    def forward(self, x: Tensor, board: Board) -> Tensor:
        summary = board.pool(functional.relu(self.pooled(x, self.pooled_bias)))
        board_bias = self.pooled_to_bias(summary, self.points_bias)
        y = self.points(x)
        y = y + _per_channel(board_bias).to(y.dtype)
        logits = self.logits(functional.relu(y)).float()
        if not board.full:
            logits = logits + (board.mask - 1.0) * 1e4
        return torch.cat((logits.flatten(1), self.passing(summary).float()), dim=1)


class ValueHead(nn.Module):
    """[N, C, H, W] to the outcome [N, 3], the score [N, 4], the ownership [N, H, W] and, where it
    has them, the short-term values [N, 3]."""

    def __init__(
        self, channels: int, head_channels: int, hidden: int, *, short_term: bool = False
    ) -> None:
        super().__init__()
        self.points = Convolution(channels, head_channels, size=1)
        self.points_bias = _bias(head_channels)
        self.hidden = Matrix(3 * head_channels, hidden)
        self.hidden_bias = _bias(hidden)
        self.value = Matrix(hidden, 3, gain=0.1)
        self.value_bias = _bias(3)
        self.misc = Matrix(hidden, MISC_OUTPUTS, gain=0.1)
        self.misc_bias = _bias(MISC_OUTPUTS)
        self.ownership = Convolution(head_channels, 1, size=1, gain=0.1)
        self.short_term = Matrix(hidden, SHORT_TERMS, gain=0.1) if short_term else None

    def forward(self, x: Tensor, board: Board) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
        points = board.clear(functional.relu(self.points(x, self.points_bias)))
        hidden = functional.relu(self.hidden(board.pool_for_value(points), self.hidden_bias))
        return (
            self.value(hidden, self.value_bias).float(),
            self.misc(hidden, self.misc_bias).float(),
            self.ownership(points).float()[:, 0],
            None if self.short_term is None else self.short_term(hidden).float(),
        )


class GoNetwork(nn.Module):
    """KataGo's 22 planes and 19 numbers to all of KataGo's outputs, on boards of any size.

    :func:`honte.training.katago_export.to_katago` makes a network file of it that honte and
    KataGo run.
    """

    def __init__(self, architecture: Architecture) -> None:
        super().__init__()
        self.architecture = architecture
        self.tower = Tower(architecture, SPATIAL_PLANES, GLOBAL_FEATURES)
        self.policy_head = PolicyHead(architecture.channels, architecture.head_channels)
        self.value_head = ValueHead(
            architecture.channels,
            architecture.head_channels,
            architecture.value_hidden,
            short_term=architecture.short_term,
        )

    def forward(self, spatial: Tensor, numbers: Tensor) -> NetworkOutputs:
        """``spatial`` [N, 22, H, W] and ``numbers`` [N, 19], as the core writes them."""
        board = Board(spatial[:, :1])
        x = self.tower(spatial, numbers, board)
        return NetworkOutputs(self.policy_head(x, board), *self.value_head(x, board))
