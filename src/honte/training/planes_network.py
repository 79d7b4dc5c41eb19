"""AlphaGo Zero's network for any game: observation planes in, policy and value out.

The tower is that of :mod:`honte.training.networks`; the heads are fully connected, since the
actions of a game need not be the points of its board.
"""

from __future__ import annotations

import math

import numpy as np
import onnx
import torch
from torch import Tensor, nn
from torch.nn import functional

from honte.networks.graph_builder import GraphBuilder
from honte.training.architecture import Architecture
from honte.training.networks import (
    Board,
    Convolution,
    Matrix,
    PoolingBlock,
    ResidualBlock,
    Tower,
)


class PlanesNetwork(nn.Module):
    """[N, C, H, W] to policy logits [N, A] and a value [N] in [−1, 1], from the side to move."""

    def __init__(
        self, architecture: Architecture, shape: tuple[int, int, int], actions: int
    ) -> None:
        super().__init__()
        planes, height, width = shape
        self.architecture = architecture
        self.shape = shape
        self.actions = actions
        channels, head = architecture.channels, architecture.head_channels
        self.tower = Tower(architecture, planes, 0)
        self.policy_points = Convolution(channels, head, size=1)
        self.policy_points_bias = nn.Parameter(torch.zeros(head))
        self.policy = Matrix(head * height * width, actions, gain=0.1)
        self.policy_bias = nn.Parameter(torch.zeros(actions))
        self.value_points = Convolution(channels, head, size=1)
        self.value_points_bias = nn.Parameter(torch.zeros(head))
        self.value_hidden = Matrix(head * height * width, architecture.value_hidden)
        self.value_hidden_bias = nn.Parameter(torch.zeros(architecture.value_hidden))
        self.value = Matrix(architecture.value_hidden, 1, gain=0.1)
        self.value_bias = nn.Parameter(torch.zeros(1))

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Policy logits [N, A] and the value [N]."""
        board = Board(torch.ones((1, 1, *self.shape[1:])))
        x = self.tower(observation, None, board)
        points = functional.relu(self.policy_points(x, self.policy_points_bias))
        policy = self.policy(points.flatten(1), self.policy_bias).float()
        points = functional.relu(self.value_points(x, self.value_points_bias))
        hidden = functional.relu(self.value_hidden(points.flatten(1), self.value_hidden_bias))
        return policy, self.value(hidden, self.value_bias).float()[:, 0].tanh()


def to_onnx(network: PlanesNetwork, name: str) -> onnx.ModelProto:
    """The network as the graph that :class:`honte.evaluation.OnnxEvaluator` runs."""
    return _Writer(network).model(name)


class _Writer:
    def __init__(self, network: PlanesNetwork) -> None:
        self.network = network
        self.graph = GraphBuilder()

    def model(self, name: str) -> onnx.ModelProto:
        graph, network = self.graph, self.network
        x = graph.input("observation", ["N", *network.shape])
        x = self._convolution(network.tower.spatial, x)
        for block in network.tower.blocks:
            x = graph.node("Add", x, self._block(block, x))
        x = self._shifted_relu(x, network.tower.tip_bias)
        points = self._convolution(network.policy_points, x, network.policy_points_bias)
        points = graph.node("Flatten", graph.node("Relu", points), axis=1)
        policy = self._matrix(network.policy, points, network.policy_bias)
        graph.output(policy, "policy", ["N", network.actions])
        points = self._convolution(network.value_points, x, network.value_points_bias)
        points = graph.node("Flatten", graph.node("Relu", points), axis=1)
        hidden = self._matrix(network.value_hidden, points, network.value_hidden_bias)
        value = self._matrix(network.value, graph.node("Relu", hidden), network.value_bias)
        graph.output(graph.node("Tanh", value), "value", ["N", 1])
        return graph.model(name, "Policy and value from the side to move, by honte.")

    def _constant(self, tensor: Tensor) -> str:
        return self.graph.constant(np.array(tensor.detach().float().numpy(), np.float32))

    def _convolution(self, layer: Convolution, x: str, bias: Tensor | None = None) -> str:
        pad = layer.size // 2
        inputs = [x, self._constant(layer.kernel())]
        if bias is not None:
            inputs.append(self._constant(bias))
        return self.graph.node("Conv", *inputs, pads=[pad] * 4)

    def _matrix(self, layer: Matrix, x: str, bias: Tensor) -> str:
        return self.graph.node(
            "Gemm", x, self._constant(layer.weight), self._constant(bias), transB=1
        )

    def _shifted_relu(self, x: str, bias: Tensor) -> str:
        shifted = self.graph.node("Add", x, self._constant(bias[:, None, None]))
        return self.graph.node("Relu", shifted)

    def _block(self, block: nn.Module, x: str) -> str:
        graph = self.graph
        if isinstance(block, ResidualBlock):
            y = self._shifted_relu(x, block.pre_bias)
            y = graph.node("Relu", self._convolution(block.first, y, block.mid_bias))
            return self._convolution(block.last, y)
        assert isinstance(block, PoolingBlock)
        y = self._shifted_relu(x, block.pre_bias)
        pooled = graph.node("Relu", self._convolution(block.pooled, y, block.pooled_bias))
        mean = graph.node("ReduceMean", pooled, axes=[2, 3], keepdims=0)
        side = math.sqrt(self.network.shape[1] * self.network.shape[2]) - 14.0
        scaled = graph.node("Mul", mean, graph.floats(side / 10.0))
        highest = graph.node("ReduceMax", pooled, axes=[2, 3], keepdims=0)
        summary = graph.node("Concat", mean, scaled, highest, axis=1)
        board_bias = self._matrix(block.pooled_to_bias, summary, block.mid_bias)
        board_bias = graph.node("Unsqueeze", board_bias, graph.integers(2, 3))
        y = graph.node("Relu", graph.node("Add", self._convolution(block.first, y), board_bias))
        return self._convolution(block.last, y)
