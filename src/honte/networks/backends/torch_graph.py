"""From an ONNX graph to a graph of PyTorch operations.

Shapes are fixed, so whatever follows from shapes and weights alone is computed once, here, in
float32 on the CPU; what is left depends on the inputs and becomes one ``torch.fx`` module, which
forgets each value after its last use.

In a short number format planes and rows of points (three dimensions or more) are computed in it,
and what describes a whole board (two or fewer: pooled features, the value head) stays float32: it
costs nothing, and those are the numbers that people read.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper

from honte.errors import HonteError
from honte.networks.backends.base import Shapes
from honte.networks.backends.torch_operators import OPERATORS, Operator

_PLANES = 3
"""From so many dimensions on a value is made of points rather than of whole boards."""


def translated(
    model: onnx.ModelProto, shapes: Shapes, network: str, dtype: torch.dtype, device: torch.device
) -> torch.fx.GraphModule:
    """A module from the graph's inputs, in the order of ``shapes``, to a tuple of its outputs.

    Inputs and outputs are float32 on ``device``; ``network`` is what error messages call it.
    Raises HonteError, naming the operator, for one that is not translated or cannot be applied.
    """
    return _Translation(model, network, dtype, device).run(shapes)


@dataclass(frozen=True)
class _Known:
    """A value that no input changes."""

    tensor: torch.Tensor


@dataclass(frozen=True)
class _Computed:
    """A value that is computed for each batch; ``like`` has its shape and format and no data."""

    node: torch.fx.Node
    like: torch.Tensor


_Value = _Known | _Computed | None


class _Translation:
    def __init__(
        self, model: onnx.ModelProto, network: str, dtype: torch.dtype, device: torch.device
    ) -> None:
        self._model = model
        self._network = network
        self._dtype = dtype
        self._device = device
        self._root = torch.nn.Module()
        self._graph = torch.fx.Graph()
        self._stored: dict[tuple[int, torch.dtype], torch.fx.Node] = {}
        self._values: dict[str, _Value] = {"": None}  # ONNX names an absent input so

    def run(self, shapes: Shapes) -> torch.fx.GraphModule:
        graph = self._model.graph
        for tensor in graph.initializer:
            self._values[tensor.name] = _Known(_tensor(tensor))
        for name, shape in shapes.items():
            like = torch.empty(shape, dtype=torch.float32, device="meta")
            self._values[name] = _Computed(self._graph.placeholder(f"input_{name}"), like)
        for node in graph.node:
            self._translate(node)
        outputs = tuple(
            self._argument(self._value(output.name), torch.float32)[0] for output in graph.output
        )
        self._graph.output(outputs)
        return torch.fx.GraphModule(self._root, self._graph)

    def _translate(self, node: onnx.NodeProto) -> None:
        attributes = {entry.name: _attribute(entry) for entry in node.attribute}
        inputs = [self._value(name) for name in node.input]
        if node.op_type == "Constant" and not node.domain:
            self._values[node.output[0]] = _Known(_constant(attributes))
            return
        if node.op_type == "Shape" and not node.domain:
            source = inputs[0]
            assert source is not None
            shape = (source.tensor if isinstance(source, _Known) else source.like).shape
            part = list(shape)[attributes.get("start", 0) : attributes.get("end")]
            self._values[node.output[0]] = _Known(torch.tensor(part, dtype=torch.int64))
            return
        known = OPERATORS.get(node.op_type) if node.domain in ("", "ai.onnx") else None
        if known is None:
            name = f"{node.domain}.{node.op_type}" if node.domain else node.op_type
            raise self._refusal(f"its operator {name} is not among those that honte translates")
        try:
            results = self._apply(known, inputs, attributes)
        except HonteError:
            raise
        except Exception as error:  # what does not fit raises whatever it likes inside torch
            text = (str(error).splitlines() or [type(error).__name__])[0][:300].rstrip(".")
            raise self._refusal(f"its operator {node.op_type} cannot be applied: {text}") from error
        self._values.update(zip(node.output, results, strict=False))

    def _apply(
        self, known: Operator, inputs: Sequence[_Value], attributes: dict[str, Any]
    ) -> list[_Value]:
        numbers = {
            place: _numbers(value) for place, value in enumerate(inputs) if place in known.numbers
        }
        tensors = [value for place, value in enumerate(inputs) if place not in numbers]
        if all(value is None or isinstance(value, _Known) for value in tensors):
            constants = [
                numbers[place]
                if place in numbers
                else value.tensor
                if isinstance(value, _Known)
                else None
                for place, value in enumerate(inputs)
            ]
            found = known.run(*constants, **attributes)
            return [_Known(result) for result in _each(found)]
        dtype = self._working_format(tensors)
        nodes: list[Any] = []
        likes: list[Any] = []
        for place, value in enumerate(inputs):
            node, like = (
                (numbers[place], numbers[place])
                if place in numbers
                else self._argument(value, dtype)
            )
            nodes.append(node)
            likes.append(like)
        like = known.run(*likes, **attributes)
        node = self._graph.call_function(known.run, tuple(nodes), attributes)
        if isinstance(like, torch.Tensor):
            return [_Computed(node, like)]
        return [
            _Computed(self._graph.call_function(operator.getitem, (node, place)), part)
            for place, part in enumerate(like)
        ]

    def _working_format(self, values: Sequence[_Value]) -> torch.dtype:
        dimensions = max(value.like.dim() for value in values if isinstance(value, _Computed))
        return self._dtype if dimensions >= _PLANES else torch.float32

    def _argument(self, value: _Value, dtype: torch.dtype) -> tuple[Any, Any]:
        """What a call reads, floating-point numbers in ``dtype``: a node, and its likeness."""
        if value is None:
            return None, None
        if isinstance(value, _Known):
            tensor = value.tensor.to(dtype) if value.tensor.is_floating_point() else value.tensor
            return self._stored_constant(value.tensor, tensor), tensor.to("meta")
        if not value.like.is_floating_point() or value.like.dtype == dtype:
            return value.node, value.like
        return self._graph.call_method("to", (value.node, dtype)), value.like.to(dtype)

    def _stored_constant(self, original: torch.Tensor, tensor: torch.Tensor) -> torch.fx.Node:
        key = (id(original), tensor.dtype)
        node = self._stored.get(key)
        if node is None:
            name = f"constant_{len(self._stored)}"
            placed = tensor.to(self._device)
            if placed.dim() == 4:
                # Convolutions in short formats want channels last, and follow their weights.
                placed = placed.contiguous(memory_format=torch.channels_last)
            self._root.register_buffer(name, placed)
            node = self._stored[key] = self._graph.get_attr(name)
        return node

    def _value(self, name: str) -> _Value:
        try:
            return self._values[name]
        except KeyError:
            raise self._refusal(f"nothing gives its value {name!r}") from None

    def _refusal(self, why: str) -> HonteError:
        return HonteError(f"PyTorch cannot run the network {self._network}: {why}.")


def _numbers(value: _Value) -> tuple[int, ...] | None:
    """What torch wants as plain numbers: axes, shapes, bounds."""
    if value is None:
        return None
    if not isinstance(value, _Known):
        raise ValueError("axes, shapes and bounds must not depend on the inputs")
    return tuple(value.tensor.reshape(-1).tolist())


def _each(found: Any) -> Sequence[torch.Tensor]:
    return [found] if isinstance(found, torch.Tensor) else found


def _tensor(tensor: onnx.TensorProto) -> torch.Tensor:
    values = numpy_helper.to_array(tensor)
    if values.dtype.kind == "f":
        values = values.astype(np.float32)
    return torch.from_numpy(np.array(values))


def _constant(attributes: dict[str, Any]) -> torch.Tensor:
    (value,) = attributes.values()
    if isinstance(value, torch.Tensor):
        return value
    return torch.tensor(value, dtype=torch.float32 if _is_float(value) else torch.int64)


def _is_float(value: Any) -> bool:
    return isinstance(value[0] if isinstance(value, list) and value else value, float)


def _attribute(entry: onnx.AttributeProto) -> Any:
    value = helper.get_attribute_value(entry)
    if isinstance(value, onnx.TensorProto):
        return _tensor(value)
    return value.decode() if isinstance(value, bytes) else value
