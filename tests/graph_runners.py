"""Running an ONNX graph in float32, by each of the runtimes that honte knows."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray

Answers = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]
"""Policy, value, misc, ownership."""


def run_onnxruntime(graph: onnx.ModelProto, feeds: dict[str, NDArray[np.float32]]) -> Answers:
    onnxruntime = pytest.importorskip("onnxruntime")
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    return tuple(session.run(["policy", "value", "misc", "ownership"], feeds))


def run_openvino(graph: onnx.ModelProto, feeds: dict[str, NDArray[np.float32]]) -> Answers:
    openvino = pytest.importorskip("openvino")
    core = openvino.Core()
    model = core.read_model(graph.SerializeToString(), b"")
    model.reshape({name: list(values.shape) for name, values in feeds.items()})
    # Without the fused kernels, which fail on a Mish between two small matrices where there is but
    # one core (2026.4).
    settings = {"INFERENCE_PRECISION_HINT": "f32", "SNIPPETS_MODE": "DISABLE"}
    compiled = core.compile_model(model, "CPU", settings)
    results = compiled(feeds)
    return tuple(results[name].copy() for name in ("policy", "value", "misc", "ownership"))


RUNNERS = {"ONNX Runtime": run_onnxruntime, "OpenVINO": run_openvino}
