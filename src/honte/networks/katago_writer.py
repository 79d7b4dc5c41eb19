"""From layers to a KataGo network file: the reader's mirror."""

from __future__ import annotations

import gzip
import io
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from honte.errors import HonteError
from honte.networks.layers import (
    GLOBAL_FEATURES,
    META_FEATURES,
    SPATIAL_PLANES,
    ActivationLayer,
    AttentionBlock,
    BatchNorm,
    Bias,
    Block,
    Convolution,
    FeedForwardBlock,
    GlobalPoolingBlock,
    KataGoModel,
    LearnedRope,
    Linear,
    MetaEncoder,
    NestedBottleneckBlock,
    OrdinaryBlock,
    PolicyHead,
    RmsNorm,
    TipRmsNorm,
    Trunk,
    ValueHead,
)


def write_katago(model: KataGoModel, path: Path) -> None:
    """Write a network file that KataGo and honte read.

    The name decides the form: ``.bin.gz`` and ``.txt.gz`` are compressed, ``.bin`` and ``.txt``
    are not; ``.bin`` holds binary weights, ``.txt`` decimals. The file appears whole or not at all.
    Raises :class:`honte.errors.HonteError` for another name.
    """
    name = path.name.lower()
    unpacked = name.removesuffix(".gz")
    if not unpacked.endswith((".bin", ".txt")):
        raise HonteError(f"{path} should end in .bin.gz, .txt.gz, .bin or .txt.")
    content = katago_bytes(model, binary=unpacked.endswith(".bin"))
    if name.endswith(".gz"):
        content = gzip.compress(content, mtime=0)
    temporary = path.with_name(path.name + ".part")
    try:
        temporary.write_bytes(content)
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise HonteError(f"The network cannot be written to {path}: {error}.") from None


def katago_bytes(model: KataGoModel, *, binary: bool) -> bytes:
    """The uncompressed content of the file."""
    writer = _Writer(model.version, binary)
    writer.model(model)
    return writer.content.getvalue()


class _Writer:
    def __init__(self, version: int, binary: bool) -> None:
        self.version = version
        self.binary = binary
        self.content = io.BytesIO()

    def _line(self, *values: object) -> None:
        for value in values:
            text = str(int(value)) if isinstance(value, bool) else str(value)
            self.content.write(text.encode("ascii") + b"\n")

    def _floats(self, values: NDArray[np.float32]) -> None:
        flat = values.reshape(-1)
        if self.binary:
            self.content.write(b"@BIN@" + flat.astype("<f4").tobytes() + b"\n")
        else:
            self.content.write(" ".join(str(value) for value in flat).encode("ascii") + b"\n")

    def model(self, model: KataGoModel) -> None:
        self._line(model.name, model.version, SPATIAL_PLANES, GLOBAL_FEATURES)
        if self.version >= 13:
            scales = model.scales
            self._line(
                scales.td_score, scales.score_mean, scales.score_stdev, scales.lead,
                scales.variance_time, scales.short_term_value, scales.short_term_score,
            )  # fmt: skip
        if self.version >= 15:
            self._line(model.meta_encoder_version, model.pass_alive_as_if_suicide, *[0] * 6)
        self._trunk(model.trunk)
        self._policy_head(model.policy)
        self._value_head(model.value)

    def _convolution(self, layer: Convolution) -> None:
        outputs, inputs, height, width = layer.weights.shape
        self._line(layer.name, height, width, inputs, outputs, *layer.dilation)
        self._floats(layer.weights.transpose(2, 3, 1, 0))

    def _batch_norm(self, layer: BatchNorm) -> None:
        self._line(layer.name, layer.channels, layer.epsilon)
        self._line(layer.scale is not None, layer.bias is not None)
        for values in (layer.mean, layer.variance, layer.scale, layer.bias):
            if values is not None:
                self._floats(values)

    def _activation(self, layer: ActivationLayer) -> None:
        self._line(layer.name)
        if self.version >= 11:
            self._line(layer.kind.value)

    def _linear(self, layer: Linear) -> None:
        self._line(layer.name, layer.inputs, layer.outputs)
        self._floats(layer.weights)

    def _bias(self, layer: Bias) -> None:
        self._line(layer.name, layer.channels)
        self._floats(layer.values)

    def _rms_norm(self, layer: RmsNorm) -> None:
        self._line(layer.name, layer.channels, layer.epsilon)
        self._floats(layer.weight)

    def _trunk(self, trunk: Trunk) -> None:
        self._line(
            trunk.name, len(trunk.blocks), trunk.channels, trunk.mid_channels,
            trunk.regular_channels, trunk.dilated_channels, trunk.pooled_channels,
        )  # fmt: skip
        if self.version >= 15:
            self._line(isinstance(trunk.tip_norm, TipRmsNorm), *[0] * 5)
        self._convolution(trunk.spatial)
        self._linear(trunk.globals)
        if trunk.meta is not None:
            self._meta_encoder(trunk.meta)
        for block in trunk.blocks:
            self._block(block)
        if isinstance(trunk.tip_norm, TipRmsNorm):
            norm = trunk.tip_norm
            self._line(norm.name, norm.channels, norm.epsilon, norm.spatial, 0)
            self._floats(norm.gamma)
            self._floats(norm.beta)
        else:
            self._batch_norm(trunk.tip_norm)
        self._activation(trunk.tip_activation)

    def _meta_encoder(self, meta: MetaEncoder) -> None:
        self._line(meta.name, META_FEATURES)
        self._linear(meta.first)
        self._bias(meta.first_bias)
        self._activation(meta.first_activation)
        self._linear(meta.second)
        self._bias(meta.second_bias)
        self._activation(meta.second_activation)
        self._linear(meta.third)

    def _block(self, block: Block) -> None:
        match block:
            case OrdinaryBlock():
                self._line("ordinary_block", block.name)
                self._batch_norm(block.pre_norm)
                self._activation(block.pre_activation)
                self._convolution(block.first)
                self._batch_norm(block.mid_norm)
                self._activation(block.mid_activation)
                self._convolution(block.last)
            case GlobalPoolingBlock():
                self._line("gpool_block", block.name)
                self._batch_norm(block.pre_norm)
                self._activation(block.pre_activation)
                self._convolution(block.first)
                self._convolution(block.pooled)
                self._batch_norm(block.pooled_norm)
                self._activation(block.pooled_activation)
                self._linear(block.pooled_to_bias)
                self._batch_norm(block.mid_norm)
                self._activation(block.mid_activation)
                self._convolution(block.last)
            case NestedBottleneckBlock():
                self._line("nested_bottleneck_block", block.name, len(block.blocks))
                self._batch_norm(block.pre_norm)
                self._activation(block.pre_activation)
                self._convolution(block.narrow)
                for inner in block.blocks:
                    self._block(inner)
                self._batch_norm(block.post_norm)
                self._activation(block.post_activation)
                self._convolution(block.widen)
            case AttentionBlock():
                self._attention_block(block)
            case FeedForwardBlock():
                self._line("transformer_ffn_block", block.name, block.first.inputs)
                self._line(block.first.outputs, True)
                self._rms_norm(block.norm)
                self._linear(block.first)
                self._linear(block.gate)
                self._linear(block.last)

    def _attention_block(self, block: AttentionBlock) -> None:
        self._line("transformer_attention_block", block.name, block.heads, block.key_value_heads)
        self._line(block.query_size, block.value_size)
        self._line(block.rope is not None, isinstance(block.rope, LearnedRope))
        self._rms_norm(block.norm)
        for matrix in (block.query, block.key, block.value, block.output):
            self._linear(matrix)
        if isinstance(block.rope, LearnedRope):
            self._line(block.rope.name, *block.rope.frequencies.shape)
            self._floats(block.rope.frequencies)
        elif block.rope is not None:
            self._line(block.rope.name, block.rope.theta)

    def _policy_head(self, head: PolicyHead) -> None:
        self._line(head.name)
        if self.version >= 17:
            self._line(head.outputs, 0, 0, 0)
        self._convolution(head.points)
        self._convolution(head.pooled)
        self._batch_norm(head.pooled_norm)
        self._activation(head.pooled_activation)
        self._linear(head.pooled_to_bias)
        self._batch_norm(head.points_norm)
        self._activation(head.points_activation)
        self._convolution(head.logits)
        self._linear(head.passing)
        if head.passing_bias and head.passing_activation and head.passing_second:
            self._bias(head.passing_bias)
            self._activation(head.passing_activation)
            self._linear(head.passing_second)

    def _value_head(self, head: ValueHead) -> None:
        self._line(head.name)
        if self.version >= 17:
            self._line(0, 0, 0)
        self._convolution(head.points)
        self._batch_norm(head.points_norm)
        self._activation(head.points_activation)
        self._linear(head.hidden)
        self._bias(head.hidden_bias)
        self._activation(head.hidden_activation)
        self._linear(head.value)
        self._bias(head.value_bias)
        self._linear(head.misc)
        self._bias(head.misc_bias)
        self._convolution(head.ownership)
