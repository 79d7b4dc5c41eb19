"""From a trained network of Go to the layers of a KataGo network file (version 8).

honte runs such a file, and so does KataGo: there is one way for every network of Go.
"""

from __future__ import annotations

import numpy as np
from torch import Tensor

from honte.networks.layers import (
    Activation,
    ActivationLayer,
    BatchNorm,
    Bias,
    Block,
    Float,
    GlobalPoolingBlock,
    KataGoModel,
    Linear,
    OrdinaryBlock,
    OutputScales,
    PolicyHead,
    Trunk,
    ValueHead,
)
from honte.networks.layers import Convolution as KataGoConvolution
from honte.training import networks

VERSION = 8
_NO_EPSILON = 1e-20  # with a variance of 1 the normalisation is exactly its bias


def to_katago(network: networks.GoNetwork, name: str) -> KataGoModel:
    """The network's layers as they are now; ``name`` is written into the file."""
    architecture = network.architecture
    tower = network.tower
    assert tower.numbers is not None
    blocks = tuple(
        _block(f"trunk/block{number}", block) for number, block in enumerate(tower.blocks)
    )
    trunk = Trunk(
        name="trunk",
        mid_channels=architecture.channels,
        regular_channels=architecture.regular_channels,
        # KataGo wants these to be positive, and a block with pooling has its own.
        dilated_channels=architecture.pooled_channels,
        pooled_channels=architecture.pooled_channels,
        spatial=_convolution("trunk/spatial", tower.spatial),
        globals=_linear("trunk/global", tower.numbers),
        meta=None,
        blocks=blocks,
        tip_norm=_norm("trunk/tip/norm", tower.tip_bias),
        tip_activation=_relu("trunk/tip/act"),
    )
    return KataGoModel(
        name=name,
        version=VERSION,
        scales=OutputScales(VERSION),
        meta_encoder_version=0,
        pass_alive_as_if_suicide=False,
        trunk=trunk,
        policy=_policy_head(network.policy_head),
        value=_value_head(network.value_head),
    )


def _values(tensor: Tensor) -> Float:
    return np.array(tensor.detach().cpu().float().numpy(), dtype=np.float32)


def _convolution(name: str, layer: networks.Convolution) -> KataGoConvolution:
    return KataGoConvolution(name, _values(layer.kernel()))


def _linear(name: str, layer: networks.Matrix) -> Linear:
    return Linear(name, np.ascontiguousarray(_values(layer.weight).T))


def _norm(name: str, bias: Tensor) -> BatchNorm:
    zeros = np.zeros(len(bias), np.float32)
    return BatchNorm(name, _NO_EPSILON, zeros, zeros + 1, None, _values(bias))


def _relu(name: str) -> ActivationLayer:
    return ActivationLayer(name, Activation.RELU)


def _block(name: str, block: object) -> Block:
    if isinstance(block, networks.ResidualBlock):
        return OrdinaryBlock(
            name,
            _norm(f"{name}/norm1", block.pre_bias),
            _relu(f"{name}/act1"),
            _convolution(f"{name}/conv1", block.first),
            _norm(f"{name}/norm2", block.mid_bias),
            _relu(f"{name}/act2"),
            _convolution(f"{name}/conv2", block.last),
        )
    assert isinstance(block, networks.PoolingBlock)
    return GlobalPoolingBlock(
        name,
        _norm(f"{name}/norm1", block.pre_bias),
        _relu(f"{name}/act1"),
        _convolution(f"{name}/conv1r", block.first),
        _convolution(f"{name}/conv1g", block.pooled),
        _norm(f"{name}/normg", block.pooled_bias),
        _relu(f"{name}/actg"),
        _linear(f"{name}/gtor", block.pooled_to_bias),
        _norm(f"{name}/norm2", block.mid_bias),
        _relu(f"{name}/act2"),
        _convolution(f"{name}/conv2", block.last),
    )


def _policy_head(head: networks.PolicyHead) -> PolicyHead:
    return PolicyHead(
        name="policy",
        points=_convolution("policy/conv1", head.points),
        pooled=_convolution("policy/convg", head.pooled),
        pooled_norm=_norm("policy/normg", head.pooled_bias),
        pooled_activation=_relu("policy/actg"),
        pooled_to_bias=_linear("policy/gtop", head.pooled_to_bias),
        points_norm=_norm("policy/norm1", head.points_bias),
        points_activation=_relu("policy/act1"),
        logits=_convolution("policy/conv2", head.logits),
        passing=_linear("policy/pass", head.passing),
        passing_bias=None,
        passing_activation=None,
        passing_second=None,
    )


def _value_head(head: networks.ValueHead) -> ValueHead:
    return ValueHead(
        name="value",
        points=_convolution("value/conv1", head.points),
        points_norm=_norm("value/norm1", head.points_bias),
        points_activation=_relu("value/act1"),
        hidden=_linear("value/hidden", head.hidden),
        hidden_bias=Bias("value/hidden/bias", _values(head.hidden_bias)),
        hidden_activation=_relu("value/act2"),
        value=_linear("value/outcome", head.value),
        value_bias=Bias("value/outcome/bias", _values(head.value_bias)),
        misc=_linear("value/score", head.misc),
        misc_bias=Bias("value/score/bias", _values(head.misc_bias)),
        ownership=_convolution("value/ownership", head.ownership),
    )
