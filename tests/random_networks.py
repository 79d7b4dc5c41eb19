"""Tiny KataGo networks with random weights: every version and every kind of block."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from honte.networks.layers import (
    GLOBAL_FEATURES,
    META_FEATURES,
    SPATIAL_PLANES,
    Activation,
    ActivationLayer,
    AttentionBlock,
    BatchNorm,
    Bias,
    Block,
    Convolution,
    FeedForwardBlock,
    FixedRope,
    GlobalPoolingBlock,
    KataGoModel,
    LearnedRope,
    Linear,
    MetaEncoder,
    NestedBottleneckBlock,
    OrdinaryBlock,
    OutputScales,
    PolicyHead,
    RmsNorm,
    TipRmsNorm,
    Trunk,
    ValueHead,
)


class RandomLayers:
    """Draws layers whose outputs stay of the order of one."""

    def __init__(self, version: int, seed: int, activation: Activation) -> None:
        self.version = version
        self.random = np.random.default_rng(seed)
        self.activation = activation if version >= 11 else Activation.RELU
        self.count = 0

    def name(self, kind: str) -> str:
        self.count += 1
        return f"{kind}{self.count}"

    def floats(self, *shape: int, scale: float = 1.0) -> NDArray[np.float32]:
        return (self.random.standard_normal(shape) * scale).astype(np.float32)

    def conv(self, inputs: int, outputs: int, size: int = 3, dilation: int = 1) -> Convolution:
        weights = self.floats(outputs, inputs, size, size, scale=(inputs * size * size) ** -0.5)
        return Convolution(self.name("conv"), weights, (dilation, dilation))

    def norm(self, channels: int) -> BatchNorm:
        has_scale, has_bias = self.random.integers(0, 2, 2).astype(bool)
        return BatchNorm(
            self.name("norm"),
            1e-3,
            self.floats(channels, scale=0.3),
            self.random.uniform(0.5, 2, channels).astype(np.float32),
            1 + self.floats(channels, scale=0.2) if has_scale else None,
            self.floats(channels, scale=0.3) if has_bias else None,
        )

    def act(self) -> ActivationLayer:
        return ActivationLayer(self.name("act"), self.activation)

    def linear(self, inputs: int, outputs: int) -> Linear:
        return Linear(self.name("matrix"), self.floats(inputs, outputs, scale=inputs**-0.5))

    def bias(self, channels: int) -> Bias:
        return Bias(self.name("bias"), self.floats(channels, scale=0.3))

    def rms(self, channels: int) -> RmsNorm:
        return RmsNorm(self.name("rms"), 1e-6, 1 + self.floats(channels, scale=0.2))

    def ordinary(self, channels: int, middle: int) -> OrdinaryBlock:
        return OrdinaryBlock(
            self.name("block"), self.norm(channels), self.act(), self.conv(channels, middle),
            self.norm(middle), self.act(), self.conv(middle, channels, dilation=2),
        )  # fmt: skip

    def gpool(self, channels: int, regular: int, pooled: int) -> GlobalPoolingBlock:
        return GlobalPoolingBlock(
            self.name("block"), self.norm(channels), self.act(), self.conv(channels, regular),
            self.conv(channels, pooled), self.norm(pooled), self.act(),
            self.linear(3 * pooled, regular), self.norm(regular), self.act(),
            self.conv(regular, channels),
        )  # fmt: skip

    def nested(self, channels: int, narrow: int, *inner: Block) -> NestedBottleneckBlock:
        return NestedBottleneckBlock(
            self.name("block"), self.norm(channels), self.act(), self.conv(channels, narrow, 1),
            tuple(inner), self.norm(narrow), self.act(), self.conv(narrow, channels, 1),
        )  # fmt: skip

    def attention(
        self, channels: int, heads: int, shared: int, query: int, value: int, rope: str
    ) -> AttentionBlock:
        frequencies = self.floats(shared, query // 2, 2, scale=0.5)
        ropes = {
            "none": None,
            "fixed": FixedRope(self.name("theta"), 100.0),
            "learned": LearnedRope(self.name("frequencies"), frequencies),
        }
        return AttentionBlock(
            self.name("block"), heads, shared, query, value, self.rms(channels),
            self.linear(channels, heads * query), self.linear(channels, shared * query),
            self.linear(channels, shared * value), self.linear(heads * value, channels),
            ropes[rope],
        )  # fmt: skip

    def feed_forward(self, channels: int, hidden: int) -> FeedForwardBlock:
        return FeedForwardBlock(
            self.name("block"), self.rms(channels), self.linear(channels, hidden),
            self.linear(channels, hidden), self.linear(hidden, channels),
        )  # fmt: skip

    def meta(self, channels: int) -> MetaEncoder:
        return MetaEncoder(
            self.name("meta"), self.linear(META_FEATURES, 7), self.bias(7), self.act(),
            self.linear(7, 5), self.bias(5), self.act(), self.linear(5, channels),
        )  # fmt: skip

    def trunk(self, channels: int, blocks: tuple[Block, ...], *, meta: bool, tip: str) -> Trunk:
        tips = {
            "norm": lambda: self.norm(channels),
            "rms": lambda: TipRmsNorm(
                self.name("tip"), 1e-6, False, self.floats(channels), self.floats(channels)
            ),
            "spatial rms": lambda: TipRmsNorm(
                self.name("tip"), 1e-6, True, self.floats(channels), self.floats(channels)
            ),
        }
        return Trunk(
            self.name("trunk"), channels, 4, 2, 2, self.conv(SPATIAL_PLANES, channels, 5),
            self.linear(GLOBAL_FEATURES, channels), self.meta(channels) if meta else None, blocks,
            tips[tip](), self.act(),
        )  # fmt: skip

    def policy(self, channels: int, outputs: int) -> PolicyHead:
        points, pooled = 5, 3
        deep = self.version >= 15
        return PolicyHead(
            self.name("policy"), self.conv(channels, points, 1), self.conv(channels, pooled, 1),
            self.norm(pooled), self.act(), self.linear(3 * pooled, points), self.norm(points),
            self.act(), self.conv(points, outputs, 1),
            self.linear(3 * pooled, points if deep else outputs),
            self.bias(points) if deep else None, self.act() if deep else None,
            self.linear(points, outputs) if deep else None,
        )  # fmt: skip

    def value(self, channels: int) -> ValueHead:
        points, hidden, misc = 4, 6, 4 if self.version == 8 else 6
        return ValueHead(
            self.name("value"), self.conv(channels, points, 1), self.norm(points), self.act(),
            self.linear(3 * points, hidden), self.bias(hidden), self.act(), self.linear(hidden, 3),
            self.bias(3), self.linear(hidden, misc), self.bias(misc), self.conv(points, 1, 1),
        )  # fmt: skip


def random_network(
    version: int,
    *,
    seed: int = 0,
    activation: Activation = Activation.MISH,
    transformer: bool = False,
    rope: str = "learned",
    meta: bool = False,
    tip: str = "norm",
) -> KataGoModel:
    """A network of 8 channels with every kind of block that its version may have.

    Tips other than "norm", and the description of the players, need version 15 or newer.
    """
    layers = RandomLayers(version, seed, activation)
    c = 8
    blocks: tuple[Block, ...] = (
        layers.ordinary(c, 6),
        layers.gpool(c, 4, 3),
        layers.nested(c, 4, layers.ordinary(4, 4), layers.gpool(4, 3, 2)),
    )
    if transformer:
        blocks = (
            layers.attention(c, 4, 2, 4, 3, rope),
            layers.feed_forward(c, 12),
            *blocks,
            layers.nested(c, 4, layers.attention(4, 2, 2, 8, 2, rope), layers.ordinary(4, 4)),
            layers.feed_forward(c, 5),
        )
    outputs = 1 if version < 12 else 4 if version == 16 else 2
    scales = OutputScales(version)
    if version >= 13:
        scales = OutputScales(version, 20.0, 21.0, 19.0, 22.0, 35.0, 0.3, 120.0)
    return KataGoModel(
        f"random-v{version}", version, scales, int(meta), version == 17,
        layers.trunk(c, blocks, meta=meta, tip=tip), layers.policy(c, outputs), layers.value(c),
    )  # fmt: skip
