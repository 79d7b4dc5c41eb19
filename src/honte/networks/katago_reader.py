"""From a KataGo network file (``.bin.gz``, ``.txt.gz``, or either unpacked) to its layers.

The order of the file is the order of the methods. Each layer's sizes are checked against what its
neighbours need, so that a model that was read can be turned into a graph without further checks.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from honte.networks.katago_stream import KataGoStream
from honte.networks.layers import (
    GLOBAL_FEATURES,
    META_FEATURES,
    NEWEST_VERSION,
    OLDEST_VERSION,
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

DEEPEST_NESTING = 8
LARGEST_KERNEL = 37


def read_katago(path: Path) -> KataGoModel:
    """Read a network file of format version 8 to 17.

    Whether it is compressed and whether its weights are binary is seen from the content, not from
    the name. Raises :class:`honte.errors.HonteError` with one sentence for anything else.
    """
    with KataGoStream(path) as stream:
        stream.begin()
        model = _Reader(stream).model()
        stream.end()
        return model


class _Reader:
    def __init__(self, stream: KataGoStream) -> None:
        self.stream = stream
        self.version = 0

    def model(self) -> KataGoModel:
        stream = self.stream
        name = stream.name("the network")
        version = stream.token("the network's version")
        if not version.isdigit():
            stream.fail("it does not begin with a network's name and version number")
        self.version = int(version)
        if not OLDEST_VERSION <= self.version <= NEWEST_VERSION:
            stream.fail(
                f"its format version is {self.version}, and versions {OLDEST_VERSION} to "
                f"{NEWEST_VERSION} can be read"
            )
        self._expect(stream.integer("the number of input planes"), SPATIAL_PLANES, "input planes")
        self._expect(
            stream.integer("the number of global inputs"), GLOBAL_FEATURES, "global inputs"
        )
        scales = OutputScales(version=self.version)
        if self.version >= 13:
            scales = OutputScales(
                self.version,
                *(stream.number("an output multiplier", positive=True) for _ in range(7)),
            )
        meta_version = 0
        pass_alive_as_if_suicide = False
        if self.version >= 15:
            meta_version = stream.integer("the version of the encoder of the players", least=0)
            if meta_version > 1:
                stream.fail(f"its encoder of the players has the unknown version {meta_version}")
            pass_alive_as_if_suicide = stream.flag("the rule for pass-alive areas")
            self._zeros(6, "a reserved option of the model")
        trunk = self._trunk(meta_version)
        policy = self._policy_head(trunk.channels)
        value = self._value_head(trunk.channels)
        return KataGoModel(
            name, self.version, scales, meta_version, pass_alive_as_if_suicide, trunk, policy, value
        )

    def _expect(self, found: int, wanted: int, what: str) -> None:
        if found != wanted:
            self.stream.fail(f"it has {found} {what} where {wanted} were expected")

    def _zeros(self, count: int, what: str) -> None:
        for _ in range(count):
            value = self.stream.integer(what)
            if value != 0:
                self.stream.fail(f"{what} is set to {value}, which is not known here")

    def _name(self, what: str) -> str:
        name = self.stream.name(what)
        self.stream.enter(name)
        return name

    def _convolution(self, inputs: int, outputs: int | None = None) -> Convolution:
        stream = self.stream
        name = self._name("a convolution")
        height, width = (stream.integer("a kernel size", least=1) for _ in range(2))
        found_inputs = stream.integer("the number of input channels", least=1)
        found_outputs = stream.integer("the number of output channels", least=1)
        dilation_y, dilation_x = (stream.integer("a dilation", least=1) for _ in range(2))
        if height % 2 == 0 or width % 2 == 0 or max(height, width) > LARGEST_KERNEL:
            stream.fail(f"a kernel of {height} × {width} is not odd or larger than a board")
        if max(dilation_y, dilation_x) > LARGEST_KERNEL:
            stream.fail(f"a dilation of {max(dilation_y, dilation_x)} is larger than a board")
        self._expect(found_inputs, inputs, "input channels")
        if outputs is not None:
            self._expect(found_outputs, outputs, "output channels")
        weights = stream.floats(height * width * found_inputs * found_outputs)
        weights = weights.reshape(height, width, found_inputs, found_outputs)
        return Convolution(
            name, np.ascontiguousarray(weights.transpose(3, 2, 0, 1)), (dilation_y, dilation_x)
        )

    def _batch_norm(self, channels: int) -> BatchNorm:
        stream = self.stream
        name = self._name("a normalisation")
        self._expect(stream.integer("the number of channels", least=1), channels, "channels")
        epsilon = stream.number("the epsilon of a normalisation", positive=True)
        has_scale, has_bias = stream.flag("whether it scales"), stream.flag("whether it has a bias")
        mean = stream.floats(channels)
        variance = stream.floats(channels)
        if not (variance + np.float32(epsilon) > 0).all():
            stream.fail("a variance is negative")
        scale = stream.floats(channels) if has_scale else None
        bias = stream.floats(channels) if has_bias else None
        return BatchNorm(name, epsilon, mean, variance, scale, bias)

    def _activation(self) -> ActivationLayer:
        name = self._name("an activation")
        if self.version < 11:
            return ActivationLayer(name, Activation.RELU)
        kind = self.stream.name("the kind of an activation")
        try:
            return ActivationLayer(name, Activation(kind))
        except ValueError:
            self.stream.fail(f"the activation {kind[:60]!r} is not known here")

    def _linear(self, inputs: int, outputs: int | None = None) -> Linear:
        stream = self.stream
        name = self._name("a matrix")
        found_inputs = stream.integer("the number of input channels", least=1)
        found_outputs = stream.integer("the number of output channels", least=1)
        self._expect(found_inputs, inputs, "input channels")
        if outputs is not None:
            self._expect(found_outputs, outputs, "output channels")
        weights = stream.floats(found_inputs * found_outputs)
        return Linear(name, weights.reshape(found_inputs, found_outputs))

    def _bias(self, channels: int) -> Bias:
        name = self._name("a bias")
        self._expect(self.stream.integer("the number of channels", least=1), channels, "channels")
        return Bias(name, self.stream.floats(channels))

    def _rms_epsilon(self) -> float:
        epsilon = self.stream.number("the epsilon of a normalisation", positive=True)
        if epsilon > 1:
            self.stream.fail(f"the epsilon of a normalisation is {epsilon}, more than 1")
        return epsilon

    def _rms_norm(self, channels: int) -> RmsNorm:
        name = self._name("a normalisation")
        self._expect(self.stream.integer("the number of channels", least=1), channels, "channels")
        epsilon = self._rms_epsilon()
        return RmsNorm(name, epsilon, self.stream.floats(channels))

    def _tip_rms_norm(self, channels: int) -> TipRmsNorm:
        stream = self.stream
        name = self._name("a normalisation")
        self._expect(stream.integer("the number of channels", least=1), channels, "channels")
        epsilon = self._rms_epsilon()
        spatial = stream.flag("whether it runs over the board")
        if stream.integer("the size of a channel group") != 0:
            stream.fail("it normalises in groups of channels, which is not known here")
        return TipRmsNorm(name, epsilon, spatial, stream.floats(channels), stream.floats(channels))

    def _trunk(self, meta_version: int) -> Trunk:
        stream = self.stream
        name = self._name("the trunk")
        count = stream.integer("the number of blocks", least=1)
        channels, mid, regular = (
            stream.integer("a number of channels of the trunk", least=1) for _ in range(3)
        )
        dilated = stream.integer("the number of dilated channels")
        pooled = stream.integer("the number of pooled channels", least=1)
        rms_tip = False
        if self.version >= 15:
            rms_tip = stream.flag("the kind of normalisation")
            self._zeros(5, "a reserved option of the trunk")
        spatial = self._convolution(SPATIAL_PLANES, channels)
        globals_ = self._linear(GLOBAL_FEATURES, channels)
        meta = self._meta_encoder(channels) if meta_version else None
        blocks = self._blocks(count, channels, depth=0)
        tip_norm = self._tip_rms_norm(channels) if rms_tip else self._batch_norm(channels)
        tip_activation = self._activation()
        return Trunk(
            name, mid, regular, dilated, pooled, spatial, globals_, meta, blocks, tip_norm,
            tip_activation,
        )  # fmt: skip

    def _meta_encoder(self, channels: int) -> MetaEncoder:
        name = self._name("the encoder of the players")
        self._expect(self.stream.integer("its number of inputs"), META_FEATURES, "player inputs")
        first = self._linear(META_FEATURES)
        first_bias = self._bias(first.outputs)
        first_activation = self._activation()
        second = self._linear(first.outputs)
        second_bias = self._bias(second.outputs)
        second_activation = self._activation()
        third = self._linear(second.outputs, channels)
        return MetaEncoder(
            name, first, first_bias, first_activation, second, second_bias, second_activation, third
        )

    def _blocks(self, count: int, channels: int, depth: int) -> tuple[Block, ...]:
        return tuple(self._block(channels, depth) for _ in range(count))

    def _block(self, channels: int, depth: int) -> Block:
        kind = self.stream.name("the kind of a block")
        if kind == "nested_bottleneck_block":
            return self._nested_bottleneck_block(channels, depth)
        readers: dict[str, Callable[[int], Block]] = {
            "ordinary_block": self._ordinary_block,
            "gpool_block": self._global_pooling_block,
            "transformer_attention_block": self._attention_block,
            "transformer_ffn_block": self._feed_forward_block,
        }
        if kind not in readers:
            self.stream.fail(f"the block kind {kind[:60]!r} is not known here")
        return readers[kind](channels)

    def _ordinary_block(self, channels: int) -> OrdinaryBlock:
        name = self._name("a block")
        pre_norm, pre_activation = self._batch_norm(channels), self._activation()
        first = self._convolution(channels)
        mid_norm, mid_activation = self._batch_norm(first.outputs), self._activation()
        last = self._convolution(first.outputs, channels)
        return OrdinaryBlock(name, pre_norm, pre_activation, first, mid_norm, mid_activation, last)

    def _global_pooling_block(self, channels: int) -> GlobalPoolingBlock:
        name = self._name("a block")
        pre_norm, pre_activation = self._batch_norm(channels), self._activation()
        first = self._convolution(channels)
        pooled = self._convolution(channels)
        pooled_norm, pooled_activation = self._batch_norm(pooled.outputs), self._activation()
        pooled_to_bias = self._linear(3 * pooled.outputs, first.outputs)
        mid_norm, mid_activation = self._batch_norm(first.outputs), self._activation()
        last = self._convolution(first.outputs, channels)
        return GlobalPoolingBlock(
            name, pre_norm, pre_activation, first, pooled, pooled_norm, pooled_activation,
            pooled_to_bias, mid_norm, mid_activation, last,
        )  # fmt: skip

    def _nested_bottleneck_block(self, channels: int, depth: int) -> NestedBottleneckBlock:
        name = self._name("a block")
        if depth >= DEEPEST_NESTING:
            self.stream.fail(f"its blocks are nested more than {DEEPEST_NESTING} deep")
        count = self.stream.integer("the number of nested blocks", least=1)
        pre_norm, pre_activation = self._batch_norm(channels), self._activation()
        narrow = self._convolution(channels)
        blocks = self._blocks(count, narrow.outputs, depth + 1)
        post_norm, post_activation = self._batch_norm(narrow.outputs), self._activation()
        widen = self._convolution(narrow.outputs, channels)
        return NestedBottleneckBlock(
            name, pre_norm, pre_activation, narrow, blocks, post_norm, post_activation, widen
        )

    def _attention_block(self, channels: int) -> AttentionBlock:
        stream = self.stream
        name = self._name("a block")
        heads, key_value_heads, query_size, value_size = (
            stream.integer(what, least=1)
            for what in ("the number of heads", "the number of key-value heads", "the size of a "
                         "query", "the size of a value")
        )  # fmt: skip
        has_rope, learned = (
            stream.flag("whether it is rotary"),
            stream.flag("whether it is learned"),
        )
        if heads % key_value_heads:
            stream.fail(f"{heads} heads cannot share {key_value_heads} key-value heads evenly")
        if has_rope and query_size % 2:
            stream.fail(f"queries of odd size {query_size} cannot be rotated in pairs")
        norm = self._rms_norm(channels)
        query = self._linear(channels, heads * query_size)
        key = self._linear(channels, key_value_heads * query_size)
        value = self._linear(channels, key_value_heads * value_size)
        output = self._linear(heads * value_size, channels)
        rope: LearnedRope | FixedRope | None = None
        if has_rope and learned:
            rope_name = self._name("the rotary frequencies")
            shape = (key_value_heads, query_size // 2, 2)
            for size in shape:
                self._expect(stream.integer("a size of the frequencies"), size, "frequencies")
            rope = LearnedRope(rope_name, stream.floats(int(np.prod(shape))).reshape(shape))
        elif has_rope:
            rope_name = self._name("the rotary base")
            rope = FixedRope(rope_name, stream.number("the rotary base", positive=True))
        return AttentionBlock(
            name, heads, key_value_heads, query_size, value_size, norm, query, key, value, output,
            rope,
        )  # fmt: skip

    def _feed_forward_block(self, channels: int) -> FeedForwardBlock:
        stream = self.stream
        name = self._name("a block")
        self._expect(stream.integer("the number of channels", least=1), channels, "channels")
        hidden = stream.integer("the number of hidden channels", least=1)
        if not stream.flag("whether it is gated"):
            stream.fail("its feed-forward blocks have no gate, which is not known here")
        norm = self._rms_norm(channels)
        first = self._linear(channels, hidden)
        gate = self._linear(channels, hidden)
        last = self._linear(hidden, channels)
        return FeedForwardBlock(name, norm, first, gate, last)

    def _policy_outputs(self) -> int:
        if self.version < 12:
            return 1
        if self.version < 16:
            return 2
        if self.version == 16:
            return 4
        outputs = self.stream.integer("the number of policy outputs")
        if outputs not in (2, 4):
            self.stream.fail(f"it has {outputs} policy outputs where 2 or 4 were expected")
        self._zeros(3, "a reserved option of the policy head")
        return outputs

    def _policy_head(self, channels: int) -> PolicyHead:
        name = self._name("the policy head")
        outputs = self._policy_outputs()
        points = self._convolution(channels)
        pooled = self._convolution(channels)
        pooled_norm, pooled_activation = self._batch_norm(pooled.outputs), self._activation()
        pooled_to_bias = self._linear(3 * pooled.outputs, points.outputs)
        points_norm, points_activation = self._batch_norm(points.outputs), self._activation()
        logits = self._convolution(points.outputs, outputs)
        passing_bias: Bias | None = None
        passing_activation: ActivationLayer | None = None
        passing_second: Linear | None = None
        if self.version < 15:
            passing = self._linear(3 * pooled.outputs, outputs)
        else:
            passing = self._linear(3 * pooled.outputs, points.outputs)
            passing_bias = self._bias(points.outputs)
            passing_activation = self._activation()
            passing_second = self._linear(points.outputs, outputs)
        return PolicyHead(
            name, points, pooled, pooled_norm, pooled_activation, pooled_to_bias, points_norm,
            points_activation, logits, passing, passing_bias, passing_activation, passing_second,
        )  # fmt: skip

    def _value_head(self, channels: int) -> ValueHead:
        name = self._name("the value head")
        if self.version >= 17:
            self._zeros(3, "a reserved option of the value head")
        points = self._convolution(channels)
        points_norm, points_activation = self._batch_norm(points.outputs), self._activation()
        hidden = self._linear(3 * points.outputs)
        hidden_bias = self._bias(hidden.outputs)
        hidden_activation = self._activation()
        value = self._linear(hidden.outputs, 3)
        value_bias = self._bias(3)
        misc_outputs = 4 if self.version == 8 else 6
        misc = self._linear(hidden.outputs, misc_outputs)
        misc_bias = self._bias(misc_outputs)
        ownership = self._convolution(points.outputs, 1)
        return ValueHead(
            name, points, points_norm, points_activation, hidden, hidden_bias, hidden_activation,
            value, value_bias, misc, misc_bias, ownership,
        )  # fmt: skip
