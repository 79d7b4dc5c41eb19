"""A KataGo network as data: the layers of the file, in the order of the file.

Nothing here computes. :mod:`honte.networks.katago_reader` fills these classes,
:mod:`honte.networks.katago_writer` writes them back, :mod:`honte.networks.katago_graph` turns them
into an ONNX graph.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float32]

OLDEST_VERSION = 8
NEWEST_VERSION = 17
SPATIAL_PLANES = 22
GLOBAL_FEATURES = 19
META_FEATURES = 192
"""Length of the description of the players that a human-style network also reads."""


class Activation(Enum):
    """An activation by the name the file gives it; version 10 and older have ReLU alone."""

    IDENTITY = "ACTIVATION_IDENTITY"
    RELU = "ACTIVATION_RELU"
    MISH = "ACTIVATION_MISH"
    SILU = "ACTIVATION_SILU"


@dataclass(frozen=True, slots=True, eq=False)
class ActivationLayer:
    name: str
    kind: Activation


@dataclass(frozen=True, slots=True, eq=False)
class Convolution:
    """A convolution without bias that keeps the board's size."""

    name: str
    weights: Float
    """[out, in, ky, kx], ky and kx odd."""
    dilation: tuple[int, int] = (1, 1)

    @property
    def inputs(self) -> int:
        return int(self.weights.shape[1])

    @property
    def outputs(self) -> int:
        return int(self.weights.shape[0])

    @property
    def is_pointwise(self) -> bool:
        """Whether a point's output depends on that point alone."""
        return self.weights.shape[2:] == (1, 1)


@dataclass(frozen=True, slots=True, eq=False)
class BatchNorm:
    """Batch normalisation with the statistics of training."""

    name: str
    epsilon: float
    mean: Float
    variance: Float
    scale: Float | None
    bias: Float | None

    @property
    def channels(self) -> int:
        return int(self.mean.shape[0])

    def as_scale_and_bias(self) -> tuple[Float, Float]:
        """The same thing as ``x * scale + bias``, each [C]."""
        one = np.float64(1.0)
        scale = (one if self.scale is None else self.scale.astype(np.float64)) / np.sqrt(
            self.variance.astype(np.float64) + self.epsilon
        )
        bias = (0.0 if self.bias is None else self.bias.astype(np.float64)) - scale * self.mean
        return scale.astype(np.float32), bias.astype(np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """A matrix product without bias."""

    name: str
    weights: Float
    """[in, out]."""

    @property
    def inputs(self) -> int:
        return int(self.weights.shape[0])

    @property
    def outputs(self) -> int:
        return int(self.weights.shape[1])


@dataclass(frozen=True, slots=True, eq=False)
class Bias:
    name: str
    values: Float

    @property
    def channels(self) -> int:
        return int(self.values.shape[0])


@dataclass(frozen=True, slots=True, eq=False)
class RmsNorm:
    """Root-mean-square normalisation of each point over its channels, with a scale [C]."""

    name: str
    epsilon: float
    weight: Float

    @property
    def channels(self) -> int:
        return int(self.weight.shape[0])


@dataclass(frozen=True, slots=True, eq=False)
class TipRmsNorm:
    """The normalisation at the end of a transformer trunk."""

    name: str
    epsilon: float
    spatial: bool
    """Whether the mean square is taken over the whole board as well as over the channels."""
    gamma: Float
    beta: Float

    @property
    def channels(self) -> int:
        return int(self.gamma.shape[0])


@dataclass(frozen=True, slots=True, eq=False)
class OrdinaryBlock:
    """Pre-activation residual block of two convolutions."""

    name: str
    pre_norm: BatchNorm
    pre_activation: ActivationLayer
    first: Convolution
    mid_norm: BatchNorm
    mid_activation: ActivationLayer
    last: Convolution


@dataclass(frozen=True, slots=True, eq=False)
class GlobalPoolingBlock:
    """Residual block whose first convolution is biased by a summary of the whole board."""

    name: str
    pre_norm: BatchNorm
    pre_activation: ActivationLayer
    first: Convolution
    pooled: Convolution
    pooled_norm: BatchNorm
    pooled_activation: ActivationLayer
    pooled_to_bias: Linear
    mid_norm: BatchNorm
    mid_activation: ActivationLayer
    last: Convolution


@dataclass(frozen=True, slots=True, eq=False)
class NestedBottleneckBlock:
    """Residual block that runs a stack of blocks in fewer channels."""

    name: str
    pre_norm: BatchNorm
    pre_activation: ActivationLayer
    narrow: Convolution
    blocks: tuple[Block, ...]
    post_norm: BatchNorm
    post_activation: ActivationLayer
    widen: Convolution


@dataclass(frozen=True, slots=True, eq=False)
class LearnedRope:
    """Rotary position embedding with learned frequencies."""

    name: str
    frequencies: Float
    """[key-value heads, pairs, 2]: the angle of a pair at (x, y) is x·f[0] + y·f[1]."""


@dataclass(frozen=True, slots=True, eq=False)
class FixedRope:
    """Rotary position embedding: the first half of the pairs turns with y, the rest with x."""

    name: str
    theta: float


@dataclass(frozen=True, slots=True, eq=False)
class AttentionBlock:
    """Residual multi-head attention over the points of the board."""

    name: str
    heads: int
    key_value_heads: int
    query_size: int
    value_size: int
    norm: RmsNorm
    query: Linear
    key: Linear
    value: Linear
    output: Linear
    rope: LearnedRope | FixedRope | None


@dataclass(frozen=True, slots=True, eq=False)
class FeedForwardBlock:
    """Residual SwiGLU layer on each point: ``last(silu(first(x)) · gate(x))``."""

    name: str
    norm: RmsNorm
    first: Linear
    gate: Linear
    last: Linear


Block = (
    OrdinaryBlock | GlobalPoolingBlock | NestedBottleneckBlock | AttentionBlock | FeedForwardBlock
)


@dataclass(frozen=True, slots=True, eq=False)
class MetaEncoder:
    """What turns a description of the players into a bias of the trunk (human-style networks)."""

    name: str
    first: Linear
    first_bias: Bias
    first_activation: ActivationLayer
    second: Linear
    second_bias: Bias
    second_activation: ActivationLayer
    third: Linear


@dataclass(frozen=True, slots=True, eq=False)
class Trunk:
    name: str
    mid_channels: int
    regular_channels: int
    dilated_channels: int
    pooled_channels: int
    spatial: Convolution
    globals: Linear
    meta: MetaEncoder | None
    blocks: tuple[Block, ...]
    tip_norm: BatchNorm | TipRmsNorm
    tip_activation: ActivationLayer

    @property
    def channels(self) -> int:
        return self.spatial.outputs


@dataclass(frozen=True, slots=True, eq=False)
class PolicyHead:
    name: str
    points: Convolution
    pooled: Convolution
    pooled_norm: BatchNorm
    pooled_activation: ActivationLayer
    pooled_to_bias: Linear
    points_norm: BatchNorm
    points_activation: ActivationLayer
    logits: Convolution
    passing: Linear
    passing_bias: Bias | None
    """From version 15 the pass has a hidden layer: bias, activation, second matrix."""
    passing_activation: ActivationLayer | None
    passing_second: Linear | None

    @property
    def outputs(self) -> int:
        return self.logits.outputs


@dataclass(frozen=True, slots=True, eq=False)
class ValueHead:
    name: str
    points: Convolution
    points_norm: BatchNorm
    points_activation: ActivationLayer
    hidden: Linear
    hidden_bias: Bias
    hidden_activation: ActivationLayer
    value: Linear
    value_bias: Bias
    misc: Linear
    misc_bias: Bias
    ownership: Convolution


@dataclass(frozen=True, slots=True)
class OutputScales:
    """How the raw numbers of the value head become points and probabilities.

    Files of version 13 and newer carry these; before that they were the defaults.
    """

    version: int
    """Format version: it decides how the short-term errors are read."""
    td_score: float = 20.0
    score_mean: float = 20.0
    score_stdev: float = 20.0
    lead: float = 20.0
    variance_time: float = 40.0
    short_term_value: float = 0.25
    short_term_score: float = 30.0


@dataclass(frozen=True, slots=True, eq=False)
class KataGoModel:
    """Everything a KataGo network file says."""

    name: str
    version: int
    scales: OutputScales
    meta_encoder_version: int
    """0, or 1 for a network that also reads a description of the players."""
    pass_alive_as_if_suicide: bool
    """Whether its area planes were computed as if suicide were legal under every rule set."""
    trunk: Trunk
    policy: PolicyHead
    value: ValueHead


def parameter_count(layer: object) -> int:
    """How many learned numbers a layer, or a whole model, holds (running statistics are not)."""
    if isinstance(layer, np.ndarray):
        return int(layer.size)
    if isinstance(layer, tuple):
        return sum(parameter_count(item) for item in layer)
    if is_dataclass(layer):
        statistics = {"mean", "variance"} if isinstance(layer, BatchNorm) else set()
        return sum(
            parameter_count(getattr(layer, field.name))
            for field in fields(layer)
            if field.name not in statistics
        )
    return 0
