"""KataGo networks in plain numpy, float64, one board at a time: an oracle for the ONNX graphs.

It knows neither masks nor folded normalisations: a board is computed at its own size, layer by
layer as the file lists them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from honte.networks.layers import (
    Activation,
    ActivationLayer,
    AttentionBlock,
    BatchNorm,
    Block,
    Convolution,
    FeedForwardBlock,
    GlobalPoolingBlock,
    KataGoModel,
    LearnedRope,
    NestedBottleneckBlock,
    OrdinaryBlock,
    RmsNorm,
    TipRmsNorm,
)

Array = NDArray[np.float64]


def convolve(layer: Convolution, x: Array) -> Array:
    """[C, H, W] to [K, H, W]."""
    _, height, width = x.shape
    outputs, _, ky, kx = layer.weights.shape
    dy, dx = layer.dilation
    py, px = dy * (ky // 2), dx * (kx // 2)
    padded = np.pad(x, ((0, 0), (py, py), (px, px)))
    out = np.zeros((outputs, height, width))
    for y in range(ky):
        for z in range(kx):
            shifted = padded[:, y * dy : y * dy + height, z * dx : z * dx + width]
            out += np.einsum("oi,ihw->ohw", layer.weights[:, :, y, z].astype(np.float64), shifted)
    return out


def normalise(layer: BatchNorm, x: Array) -> Array:
    def column(values: NDArray[np.float32] | None, default: float) -> Array:
        full = np.full(layer.channels, default) if values is None else values.astype(np.float64)
        return full[:, None, None]

    centred = (x - column(layer.mean, 0)) / np.sqrt(column(layer.variance, 1) + layer.epsilon)
    return centred * column(layer.scale, 1) + column(layer.bias, 0)


def activate(layer: ActivationLayer, x: Array) -> Array:
    match layer.kind:
        case Activation.IDENTITY:
            return x
        case Activation.RELU:
            return np.maximum(x, 0)
        case Activation.SILU:
            return x / (1 + np.exp(-x))
        case Activation.MISH:
            return x * np.tanh(np.log1p(np.exp(x)))


def side_scale(x: Array) -> float:
    return (np.sqrt(x.shape[1] * x.shape[2]) - 14) / 10


def pool(x: Array) -> Array:
    mean = x.mean(axis=(1, 2))
    return np.concatenate([mean, mean * side_scale(x), x.max(axis=(1, 2))])


def rms(layer: RmsNorm, x: Array) -> Array:
    return x / np.sqrt(np.mean(x**2, axis=0) + layer.epsilon) * layer.weight[:, None, None]


def rotate(pairs: Array, block: AttentionBlock, shared_head: int, width: int) -> Array:
    """[points, size]: each pair (2i, 2i + 1) as a complex number, turned by its angle."""
    points, size = pairs.shape
    if block.rope is None:
        return pairs
    half = size // 2
    turned = np.empty_like(pairs)
    for s in range(points):
        y, x = divmod(s, width)
        for p in range(half):
            if isinstance(block.rope, LearnedRope):
                fx, fy = block.rope.frequencies[shared_head, p]
                angle = x * float(fx) + y * float(fy)
            elif p < half // 2:
                angle = y * block.rope.theta ** (-2 * p / half)
            else:
                angle = x * block.rope.theta ** (-2 * (p - half // 2) / half)
            number = complex(pairs[s, 2 * p], pairs[s, 2 * p + 1]) * np.exp(1j * angle)
            turned[s, 2 * p], turned[s, 2 * p + 1] = number.real, number.imag
    return turned


def attend(block: AttentionBlock, x: Array) -> Array:
    channels, height, width = x.shape
    rows = rms(block.norm, x).reshape(channels, -1).T
    q, k, v = (rows @ m.weights.astype(np.float64) for m in (block.query, block.key, block.value))
    heads = []
    for head in range(block.heads):
        shared = head * block.key_value_heads // block.heads
        qs, vs = block.query_size, block.value_size
        query = rotate(q[:, head * qs : (head + 1) * qs], block, shared, width)
        key = rotate(k[:, shared * qs : (shared + 1) * qs], block, shared, width)
        weights = np.exp(query @ key.T / np.sqrt(qs))
        weights /= weights.sum(axis=1, keepdims=True)
        heads.append(weights @ v[:, shared * vs : (shared + 1) * vs])
    out = np.concatenate(heads, axis=1) @ block.output.weights.astype(np.float64)
    return out.T.reshape(channels, height, width)


def feed_forward(block: FeedForwardBlock, x: Array) -> Array:
    channels, height, width = x.shape
    rows = rms(block.norm, x).reshape(channels, -1).T
    first = rows @ block.first.weights.astype(np.float64)
    hidden = first / (1 + np.exp(-first)) * (rows @ block.gate.weights.astype(np.float64))
    return (hidden @ block.last.weights.astype(np.float64)).T.reshape(channels, height, width)


def run_block(block: Block, x: Array) -> Array:
    match block:
        case AttentionBlock():
            return x + attend(block, x)
        case FeedForwardBlock():
            return x + feed_forward(block, x)
    before = activate(block.pre_activation, normalise(block.pre_norm, x))
    match block:
        case OrdinaryBlock():
            middle = convolve(block.first, before)
        case GlobalPoolingBlock():
            pooled = normalise(block.pooled_norm, convolve(block.pooled, before))
            summary = pool(activate(block.pooled_activation, pooled))
            bias = summary @ block.pooled_to_bias.weights.astype(np.float64)
            middle = convolve(block.first, before) + bias[:, None, None]
        case NestedBottleneckBlock():
            inner = convolve(block.narrow, before)
            for nested in block.blocks:
                inner = run_block(nested, inner)
            after = activate(block.post_activation, normalise(block.post_norm, inner))
            return x + convolve(block.widen, after)
    middle = activate(block.mid_activation, normalise(block.mid_norm, middle))
    return x + convolve(block.last, middle)


def run_network(
    model: KataGoModel, planes: Array, globals_: Array, meta: Array | None = None
) -> tuple[Array, Array, Array, Array]:
    """Policy [K, H·W + 1], value [3], misc [4 or 6], ownership [H, W] of one board."""
    trunk = model.trunk
    bias = globals_ @ trunk.globals.weights
    if trunk.meta is not None:
        encoder, hidden = trunk.meta, meta
        hidden = hidden @ encoder.first.weights + encoder.first_bias.values
        hidden = activate(encoder.first_activation, hidden)
        hidden = hidden @ encoder.second.weights + encoder.second_bias.values
        hidden = activate(encoder.second_activation, hidden)
        bias = bias + hidden @ encoder.third.weights
    x = convolve(trunk.spatial, planes) + bias[:, None, None]
    for block in trunk.blocks:
        x = run_block(block, x)
    norm = trunk.tip_norm
    if isinstance(norm, TipRmsNorm):
        mean_square = np.mean(x**2) if norm.spatial else np.mean(x**2, axis=0)
        x = x / np.sqrt(mean_square + norm.epsilon)
        x = x * norm.gamma[:, None, None] + norm.beta[:, None, None]
    else:
        x = normalise(norm, x)
    x = activate(trunk.tip_activation, x)

    policy = model.policy
    summary = pool(
        activate(
            policy.pooled_activation, normalise(policy.pooled_norm, convolve(policy.pooled, x))
        )
    )
    points = convolve(policy.points, x) + (summary @ policy.pooled_to_bias.weights)[:, None, None]
    points = activate(policy.points_activation, normalise(policy.points_norm, points))
    logits = convolve(policy.logits, points)
    passing = summary @ policy.passing.weights
    if policy.passing_bias and policy.passing_activation and policy.passing_second:
        passing = activate(policy.passing_activation, passing + policy.passing_bias.values)
        passing = passing @ policy.passing_second.weights
    both = np.concatenate([logits.reshape(policy.outputs, -1), passing[:, None]], axis=1)

    value = model.value
    points = activate(
        value.points_activation, normalise(value.points_norm, convolve(value.points, x))
    )
    mean, scale = points.mean(axis=(1, 2)), side_scale(points)
    hidden = np.concatenate([mean, mean * scale, mean * (scale**2 - 0.1)])
    hidden = activate(
        value.hidden_activation, hidden @ value.hidden.weights + value.hidden_bias.values
    )
    return (
        both,
        hidden @ value.value.weights + value.value_bias.values,
        hidden @ value.misc.weights + value.misc_bias.values,
        convolve(value.ownership, points)[0],
    )
