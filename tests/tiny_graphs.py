"""ONNX graphs small enough to work out by hand."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def _weights(name: str, values: np.ndarray) -> onnx.TensorProto:
    return numpy_helper.from_array(values.astype(np.float32), name)


def _value(name: str, shape: list[int | str | None]) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def _model(graph: onnx.GraphProto) -> onnx.ModelProto:
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.checker.check_model(model)
    return model


def linear_network(observation: tuple[int, ...], actions: int, seed: int = 0) -> onnx.ModelProto:
    """``policy`` = x · W and ``value`` = tanh(x · v) of the flattened observation x."""
    random = np.random.default_rng(seed)
    size = int(np.prod(observation))
    nodes = [
        helper.make_node("Flatten", ["observation"], ["x"], axis=1),
        helper.make_node("MatMul", ["x", "W"], ["policy"]),
        helper.make_node("MatMul", ["x", "v"], ["xv"]),
        helper.make_node("Tanh", ["xv"], ["value"]),
    ]
    graph = helper.make_graph(
        nodes,
        "linear",
        [_value("observation", ["N", *observation])],
        [_value("policy", ["N", actions]), _value("value", ["N", 1])],
        [
            _weights("W", random.normal(size=(size, actions)) / np.sqrt(size)),
            _weights("v", random.normal(size=(size, 1)) / np.sqrt(size)),
        ],
    )
    return _model(graph)


def logarithm_network(actions: int = 3) -> onnx.ModelProto:
    """``policy`` = the first numbers of x, ``value`` = log of x's first: NaN where it is negative,
    −∞ where it is 0."""
    nodes = [
        helper.make_node("Slice", ["observation", "zero", "actions", "one"], ["policy"]),
        helper.make_node("Slice", ["observation", "zero", "one", "one"], ["first"]),
        helper.make_node("Log", ["first"], ["value"]),
    ]
    numbers = [
        numpy_helper.from_array(np.array([value]), name)
        for name, value in (("zero", 0), ("one", 1), ("actions", actions))
    ]
    graph = helper.make_graph(
        nodes,
        "logarithm",
        [_value("observation", ["N", actions])],
        [_value("policy", ["N", actions]), _value("value", ["N", 1])],
        numbers,
    )
    return _model(graph)


def unknown_operator() -> onnx.ModelProto:
    """A graph with an operator that no library knows."""
    graph = helper.make_graph(
        [helper.make_node("Divine", ["observation"], ["policy"], domain="none.such")],
        "divination",
        [_value("observation", ["N", 3])],
        [_value("policy", ["N", 3])],
    )
    return helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid("none.such", 1)],
        ir_version=9,
    )
