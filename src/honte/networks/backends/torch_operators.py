"""ONNX operators as PyTorch operations.

Each function takes an operator's inputs in ONNX's order and its attributes under ONNX's names; an
attribute that a function does not have is one that cannot be honoured. Inputs listed in an
operator's ``numbers`` come as tuples of plain integers (or None), all others as tensors.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from onnx import TensorProto
from torch import Tensor
from torch.nn import functional

Numbers = Sequence[int]

_FORMATS: dict[int, torch.dtype] = {
    TensorProto.FLOAT: torch.float32,
    TensorProto.FLOAT16: torch.float32,  # which format is worked in is the backend's choice
    TensorProto.BFLOAT16: torch.float32,
    TensorProto.DOUBLE: torch.float32,
    TensorProto.INT32: torch.int32,
    TensorProto.INT64: torch.int64,
    TensorProto.BOOL: torch.bool,
}


@dataclass(frozen=True)
class Operator:
    """``run`` computes the operator; ``numbers`` are the places of inputs that it wants plain."""

    run: Callable[..., Any]
    numbers: tuple[int, ...] = ()


# Layers.


def _convolution(
    x: Tensor,
    weights: Tensor,
    bias: Tensor | None = None,
    *,
    kernel_shape: Numbers = (),
    strides: Numbers = (1, 1),
    pads: Numbers = (0, 0, 0, 0),
    dilations: Numbers = (1, 1),
    group: int = 1,
    auto_pad: str = "NOTSET",
) -> Tensor:
    _refuse_automatic_padding(auto_pad)
    x, padding = _padded(x, pads)
    return functional.conv2d(x, weights, bias, list(strides), padding, list(dilations), group)


def _padded(x: Tensor, pads: Numbers, value: float = 0.0) -> tuple[Tensor, list[int]]:
    """Padding that a layer can do itself, after what it cannot is done here."""
    top, left, bottom, right = pads
    if (top, left) == (bottom, right):
        return x, [top, left]
    return functional.pad(x, (left, right, top, bottom), value=value), [0, 0]


def _refuse_automatic_padding(auto_pad: str) -> None:
    if auto_pad not in ("NOTSET", "VALID"):
        raise ValueError(f"its padding {auto_pad} is not written out in numbers")


def _gemm(
    a: Tensor,
    b: Tensor,
    c: Tensor | None = None,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    transA: int = 0,
    transB: int = 0,
) -> Tensor:
    product = torch.matmul(a.T if transA else a, b.T if transB else b)
    if alpha != 1.0:
        product = product * alpha
    if c is None:
        return product
    return product + (c if beta == 1.0 else c * beta)


def _batch_normalization(
    x: Tensor,
    scale: Tensor,
    bias: Tensor,
    mean: Tensor,
    variance: Tensor,
    *,
    epsilon: float = 1e-5,
    momentum: float = 0.9,
    training_mode: int = 0,
) -> Tensor:
    if training_mode:
        raise ValueError("it is in training mode: export the network for inference")
    return functional.batch_norm(x, mean, variance, scale, bias, False, 0.0, epsilon)


def _layer_normalization(
    x: Tensor,
    scale: Tensor,
    bias: Tensor | None = None,
    *,
    axis: int = -1,
    epsilon: float = 1e-5,
    stash_type: int = 1,
) -> Tensor:
    return functional.layer_norm(x, x.shape[axis:], scale, bias, epsilon)


def _maximum_pooling(
    x: Tensor,
    *,
    kernel_shape: Numbers,
    strides: Numbers = (1, 1),
    pads: Numbers = (0, 0, 0, 0),
    dilations: Numbers = (1, 1),
    ceil_mode: int = 0,
    storage_order: int = 0,
    auto_pad: str = "NOTSET",
) -> Tensor:
    _refuse_automatic_padding(auto_pad)
    x, padding = _padded(x, pads, float("-inf"))
    return functional.max_pool2d(
        x, list(kernel_shape), list(strides), padding, list(dilations), bool(ceil_mode)
    )


def _average_pooling(
    x: Tensor,
    *,
    kernel_shape: Numbers,
    strides: Numbers = (1, 1),
    pads: Numbers = (0, 0, 0, 0),
    ceil_mode: int = 0,
    count_include_pad: int = 0,
    auto_pad: str = "NOTSET",
) -> Tensor:
    _refuse_automatic_padding(auto_pad)
    top, left, bottom, right = pads
    if (top, left) != (bottom, right):
        raise ValueError(f"its padding {list(pads)} is not the same on both sides")
    return functional.avg_pool2d(
        x, list(kernel_shape), list(strides), [top, left], bool(ceil_mode), bool(count_include_pad)
    )


def _global_average_pooling(x: Tensor) -> Tensor:
    return x.mean(tuple(range(2, x.dim())), keepdim=True)


def _global_maximum_pooling(x: Tensor) -> Tensor:
    return x.amax(tuple(range(2, x.dim())), keepdim=True)


# Sums, means and maxima over axes, which are an attribute in old graphs and an input in new ones.


def _reduction(reduce: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def run(
        x: Tensor,
        places: Numbers | None = None,
        *,
        axes: Numbers | None = None,
        keepdims: int = 1,
        noop_with_empty_axes: int = 0,
    ) -> Tensor:
        over = tuple(places or axes or ())
        if not over and noop_with_empty_axes:
            return x
        result = reduce(x, over or tuple(range(x.dim())), bool(keepdims))
        # Few numbers come out, each of many: they keep what a short format would lose.
        return result.float() if result.is_floating_point() else result

    return run


def _sum(x: Tensor, axes: tuple[int, ...], keep: bool) -> Tensor:
    return x.sum(axes, keep, dtype=torch.float32 if x.is_floating_point() else x.dtype)


def _mean(x: Tensor, axes: tuple[int, ...], keep: bool) -> Tensor:
    return x.mean(axes, keep, dtype=torch.float32)


def _root_of_squares(x: Tensor, axes: tuple[int, ...], keep: bool) -> Tensor:
    return x.float().square().sum(axes, keep).sqrt()


# Arithmetic.


def _divided(x: Tensor, y: Tensor) -> Tensor:
    if x.is_floating_point() or y.is_floating_point():
        return x / y
    return torch.div(x, y, rounding_mode="trunc")


def _modulo(x: Tensor, y: Tensor, *, fmod: int = 0) -> Tensor:
    return torch.fmod(x, y) if fmod else torch.remainder(x, y)


def _over_all(run: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., Tensor]:
    return lambda *tensors: functools.reduce(run, tensors)


def _clipped(
    x: Tensor,
    least: Tensor | None = None,
    most: Tensor | None = None,
    *,
    min: float | None = None,
    max: float | None = None,
) -> Tensor:
    least = least if least is not None else None if min is None else x.new_tensor(min)
    most = most if most is not None else None if max is None else x.new_tensor(max)
    return x if least is None and most is None else torch.clamp(x, least, most)


def _cast(x: Tensor, *, to: int, saturate: int = 1) -> Tensor:
    if to not in _FORMATS:
        raise ValueError(f"its number format {TensorProto.DataType.Name(to)} is not known")
    return x.to(_FORMATS[to])


def _gelu(x: Tensor, *, approximate: str = "none") -> Tensor:
    return functional.gelu(x, approximate=approximate)


def _leaky_relu(x: Tensor, *, alpha: float = 0.01) -> Tensor:
    return functional.leaky_relu(x, alpha)


def _elu(x: Tensor, *, alpha: float = 1.0) -> Tensor:
    return functional.elu(x, alpha)


def _hard_sigmoid(x: Tensor, *, alpha: float = 0.2, beta: float = 0.5) -> Tensor:
    return torch.clamp(x * alpha + beta, 0.0, 1.0)


def _swish(x: Tensor, *, alpha: float = 1.0) -> Tensor:
    return x * torch.sigmoid(x if alpha == 1.0 else x * alpha)


def _parametric_relu(x: Tensor, slope: Tensor) -> Tensor:
    return torch.where(x < 0, x * slope, x)


def _softmax(x: Tensor, *, axis: int = -1) -> Tensor:
    return torch.softmax(x, axis)


def _log_softmax(x: Tensor, *, axis: int = -1) -> Tensor:
    return torch.log_softmax(x, axis)


# Shapes.


def _reshape(x: Tensor, shape: Numbers, *, allowzero: int = 0) -> Tensor:
    if allowzero:
        return x.reshape(tuple(shape))
    return x.reshape(
        tuple(x.shape[place] if size == 0 else size for place, size in enumerate(shape))
    )


def _flatten(x: Tensor, *, axis: int = 1) -> Tensor:
    axis = axis + x.dim() if axis < 0 else axis
    rows = 1
    for size in x.shape[:axis]:
        rows *= size
    return x.reshape(rows, -1)


def _transpose(x: Tensor, *, perm: Numbers | None = None) -> Tensor:
    return x.permute(tuple(perm) if perm is not None else tuple(reversed(range(x.dim()))))


def _unsqueeze(x: Tensor, places: Numbers | None = None, *, axes: Numbers | None = None) -> Tensor:
    new = list(places or axes or ())
    dimensions = x.dim() + len(new)
    for place in sorted(axis % dimensions for axis in new):
        x = x.unsqueeze(place)
    return x


def _squeeze(x: Tensor, places: Numbers | None = None, *, axes: Numbers | None = None) -> Tensor:
    gone = tuple(places or axes or ())
    return x.squeeze(gone) if gone else x.squeeze()


def _concatenated(*tensors: Tensor, axis: int) -> Tensor:
    return torch.cat(tensors, axis)


def _slice(
    x: Tensor,
    starts: Numbers,
    ends: Numbers,
    axes: Numbers | None = None,
    steps: Numbers | None = None,
) -> Tensor:
    part = [slice(None)] * x.dim()
    for place, axis in enumerate(axes if axes is not None else range(len(starts))):
        part[axis] = slice(starts[place], ends[place], steps[place] if steps else 1)
    return x[tuple(part)]


def _split(
    x: Tensor,
    parts: Numbers | None = None,
    *,
    axis: int = 0,
    split: Numbers | None = None,
    num_outputs: int = 0,
) -> tuple[Tensor, ...]:
    sizes = list(parts or split or ())
    if not sizes and not num_outputs:
        raise ValueError("it does not say how many parts it makes")
    return torch.split(x, sizes or -(-x.shape[axis] // num_outputs), axis)


def _gathered(x: Tensor, indices: Tensor, *, axis: int = 0) -> Tensor:
    axis %= x.dim()
    size = x.shape[axis]
    places = torch.where(indices < 0, indices + size, indices)
    found = x.index_select(axis, places.reshape(-1))
    return found.reshape((*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :]))


def _expanded(x: Tensor, shape: Numbers) -> Tensor:
    expanded: Tensor = torch.broadcast_tensors(x, x.new_empty(1).expand(tuple(shape)))[0]
    return expanded


def _padded_by(
    x: Tensor,
    pads: Numbers,
    value: Sequence[float] | None = None,
    axes: Numbers | None = None,
    *,
    mode: str = "constant",
) -> Tensor:
    if mode != "constant":
        raise ValueError(f"its mode {mode} is not known")
    places = list(axes) if axes is not None else list(range(x.dim()))
    before_and_after = [0] * (2 * x.dim())
    for place, axis in enumerate(places):
        last_first = x.dim() - 1 - axis % x.dim()
        before_and_after[2 * last_first] = pads[place]
        before_and_after[2 * last_first + 1] = pads[place + len(places)]
    return functional.pad(x, before_and_after, value=value[0] if value else 0.0)


def _range(start: Tensor, limit: Tensor, step: Tensor) -> Tensor:
    return torch.arange(start.item(), limit.item(), step.item(), dtype=start.dtype)


def _filled(shape: Numbers, *, value: Tensor | None = None) -> Tensor:
    one = torch.zeros(1) if value is None else value
    return one.reshape(()).expand(tuple(shape)).clone()


def _first(x: Tensor, *_: Any, **__: Any) -> Tensor:
    return x


OPERATORS: dict[str, Operator] = {
    "Abs": Operator(torch.abs),
    "Add": Operator(torch.add),
    "And": Operator(torch.logical_and),
    "AveragePool": Operator(_average_pooling),
    "BatchNormalization": Operator(_batch_normalization),
    "Cast": Operator(_cast),
    "Clip": Operator(_clipped),
    "Concat": Operator(_concatenated),
    "ConstantOfShape": Operator(_filled, (0,)),
    "Conv": Operator(_convolution),
    "Cos": Operator(torch.cos),
    "Div": Operator(_divided),
    "Dropout": Operator(_first),
    "Elu": Operator(_elu),
    "Equal": Operator(torch.eq),
    "Erf": Operator(torch.erf),
    "Exp": Operator(torch.exp),
    "Expand": Operator(_expanded, (1,)),
    "Flatten": Operator(_flatten),
    "Gather": Operator(_gathered),
    "Gelu": Operator(_gelu),
    "Gemm": Operator(_gemm),
    "GlobalAveragePool": Operator(_global_average_pooling),
    "GlobalMaxPool": Operator(_global_maximum_pooling),
    "Greater": Operator(torch.gt),
    "GreaterOrEqual": Operator(torch.ge),
    "HardSigmoid": Operator(_hard_sigmoid),
    "HardSwish": Operator(functional.hardswish),
    "Identity": Operator(_first),
    "LayerNormalization": Operator(_layer_normalization),
    "LeakyRelu": Operator(_leaky_relu),
    "Less": Operator(torch.lt),
    "LessOrEqual": Operator(torch.le),
    "Log": Operator(torch.log),
    "LogSoftmax": Operator(_log_softmax),
    "MatMul": Operator(torch.matmul),
    "Max": Operator(_over_all(torch.maximum)),
    "MaxPool": Operator(_maximum_pooling),
    "Min": Operator(_over_all(torch.minimum)),
    "Mish": Operator(functional.mish),
    "Mod": Operator(_modulo),
    "Mul": Operator(torch.mul),
    "Neg": Operator(torch.neg),
    "Not": Operator(torch.logical_not),
    "Or": Operator(torch.logical_or),
    "PRelu": Operator(_parametric_relu),
    "Pad": Operator(_padded_by, (1, 2, 3)),
    "Pow": Operator(torch.pow),
    "Range": Operator(_range),
    "Reciprocal": Operator(torch.reciprocal),
    "ReduceL2": Operator(_reduction(_root_of_squares), (1,)),
    "ReduceMax": Operator(_reduction(torch.amax), (1,)),
    "ReduceMean": Operator(_reduction(_mean), (1,)),
    "ReduceMin": Operator(_reduction(torch.amin), (1,)),
    "ReduceSum": Operator(_reduction(_sum), (1,)),
    "Relu": Operator(torch.relu),
    "Reshape": Operator(_reshape, (1,)),
    "Sigmoid": Operator(torch.sigmoid),
    "Sin": Operator(torch.sin),
    "Slice": Operator(_slice, (1, 2, 3, 4)),
    "Softmax": Operator(_softmax),
    "Softplus": Operator(functional.softplus),
    "Split": Operator(_split, (1,)),
    "Sqrt": Operator(torch.sqrt),
    "Squeeze": Operator(_squeeze, (1,)),
    "Sub": Operator(torch.sub),
    "Swish": Operator(_swish),
    "Tanh": Operator(torch.tanh),
    "Transpose": Operator(_transpose),
    "Unsqueeze": Operator(_unsqueeze, (1,)),
    "Where": Operator(torch.where),
}
