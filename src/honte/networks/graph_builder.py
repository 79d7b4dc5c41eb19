"""A little language for writing ONNX graphs: a method adds a node and gives its output's name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

OPSET = 17
IR_VERSION = 8


class GraphBuilder:
    """Collects nodes and weights; names are made unique, so layers may be called what they like."""

    def __init__(self) -> None:
        self._nodes: list[onnx.NodeProto] = []
        self._weights: list[onnx.TensorProto] = []
        self._inputs: list[onnx.ValueInfoProto] = []
        self._outputs: list[onnx.ValueInfoProto] = []
        self._taken: dict[str, int] = {}

    def _unique(self, name: str) -> str:
        count = self._taken.get(name, 0)
        self._taken[name] = count + 1
        return name if count == 0 else f"{name}~{count}"

    def input(self, name: str, shape: Sequence[int | str]) -> str:
        self._inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        return self._unique(name)

    def output(self, value: str, name: str, shape: Sequence[int | str]) -> None:
        """Give ``value`` to the world as ``name``."""
        self._nodes.append(helper.make_node("Identity", [value], [name], name=f"{name}/output"))
        self._outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))

    def constant(self, values: NDArray[Any], name: str = "constant") -> str:
        name = self._unique(name)
        self._weights.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def floats(self, *values: float, shape: Sequence[int] = (), name: str = "constant") -> str:
        return self.constant(np.array(values, dtype=np.float32).reshape(shape), name)

    def integers(self, *values: int) -> str:
        return self.constant(np.array(values, dtype=np.int64))

    def integer(self, value: int) -> str:
        return self.constant(np.array(value, dtype=np.int64))

    def node(self, operation: str, *inputs: str, name: str | None = None, **attributes: Any) -> str:
        output = self._unique(name or operation)
        self._nodes.append(
            helper.make_node(operation, list(inputs), [output], name=output, **attributes)
        )
        return output

    def model(self, name: str, description: str) -> onnx.ModelProto:
        graph = helper.make_graph(
            self._nodes, name, self._inputs, self._outputs, initializer=self._weights
        )
        return helper.make_model(
            graph,
            producer_name="honte",
            doc_string=description,
            ir_version=IR_VERSION,
            opset_imports=[helper.make_opsetid("", OPSET)],
        )
