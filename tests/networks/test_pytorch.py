"""PyTorch computes ONNX graphs as ONNX Runtime does, and is chosen where it alone has CUDA."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

from honte.errors import HonteError
from honte.networks import load
from honte.networks.backends import (
    BackendKind,
    BackendOptions,
    Device,
    Precision,
    choice,
    onnxruntime,
    open_backend,
)
from shared_data import shared_file
from tiny_graphs import unknown_operator

torch = pytest.importorskip("torch", reason="needs PyTorch (pip install torch)")
pytest.importorskip("onnxruntime", reason="needs ONNX Runtime to compare with")

SHAPE = (2, 4, 5, 6)
Node = tuple[str, tuple[object, ...], dict[str, object]]


def weights(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32) * 0.5


def positive(*shape: int) -> np.ndarray:
    return np.abs(weights(*shape)) + 0.5


def chain(*nodes: Node, opset: int = 18) -> ModelProto:
    """A graph that sends ``x`` through one operator after the other; arrays become weights."""
    made, constants = [], []
    value = "x"
    for number, (operation, inputs, attributes) in enumerate(nodes):
        names = [value]
        for place, given in enumerate(inputs):
            if isinstance(given, np.ndarray):
                constants.append(numpy_helper.from_array(given, f"w{number}.{place}"))
                names.append(f"w{number}.{place}")
            else:
                names.append(str(given))
        last = number == len(nodes) - 1
        made.append(
            helper.make_node(operation, names, ["y" if last else f"v{number}"], **attributes)
        )
        value = f"v{number}"
    graph = helper.make_graph(
        made,
        "chain",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", *SHAPE[1:]])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        constants,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)


def answers(
    kind: BackendKind,
    model: ModelProto,
    inputs: dict[str, np.ndarray],
    precision: Precision = Precision.FLOAT32,
) -> dict[str, np.ndarray]:
    backend = open_backend(BackendOptions(kind, Device.CPU, precision, streams=1))
    shapes = {name: array.shape for name, array in inputs.items()}
    slot = backend.compile(model, shapes, "tiny").new_slot()
    for name, array in inputs.items():
        slot.inputs[name][:] = array
    slot.start()
    slot.wait()
    return {name: output.copy() for name, output in slot.outputs.items()}


def integers(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


FLAT = int(np.prod(SHAPE[1:]))
POOLED: Node = ("ReduceMean", (integers(2, 3),), {"keepdims": 0})
CASES: dict[str, list[Node]] = {
    "convolution": [("Conv", (weights(3, 4, 3, 3), weights(3)), {"pads": [1, 1, 1, 1]})],
    "one-sided padding": [("Conv", (weights(3, 4, 2, 2),), {"pads": [1, 0, 0, 1]})],
    "dilated, strided, grouped": [
        ("Conv", (weights(4, 2, 3, 3),), {"dilations": [2, 1], "strides": [1, 2], "group": 2}),
    ],
    "batch normalisation": [
        ("BatchNormalization", (weights(4), weights(4), weights(4), positive(4)), {}),
    ],
    "flattened layer": [
        ("Flatten", (), {"axis": 1}),
        ("Gemm", (weights(7, FLAT), weights(7)), {"transB": 1, "alpha": 0.5}),
        ("Tanh", (), {}),
    ],
    "pooled layer": [
        ("GlobalAveragePool", (), {}),
        ("Flatten", (), {}),
        ("LayerNormalization", (weights(4), weights(4)), {"axis": -1}),
        ("MatMul", (weights(4, 3),), {}),
        ("Softmax", (), {"axis": -1}),
    ],
    "maximum pooling": [
        ("MaxPool", (), {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "strides": [2, 2]}),
    ],
    "average pooling": [("AveragePool", (), {"kernel_shape": [2, 2], "pads": [1, 1, 1, 1]})],
    "reductions": [("ReduceSum", (integers(1),), {}), ("ReduceMax", (integers(-1),), {})],
    "reduction of everything": [("ReduceMin", (), {"keepdims": 0})],
    "length of rows": [("ReduceL2", (integers(1),), {"keepdims": 0})],
    "slices": [
        ("Slice", (integers(1, -4), integers(99, -1), integers(1, 3), integers(2, 1)), {}),
    ],
    "gathered planes": [("Gather", (integers(2, 0, -1),), {"axis": 1})],
    "one plane": [("Gather", (np.array(1),), {"axis": 1}), ("Unsqueeze", (integers(1, -1),), {})],
    "turned": [("Transpose", (), {"perm": [0, 3, 1, 2]}), ("Reshape", (integers(0, -1, 2),), {})],
    "expanded": [
        ("Slice", (integers(0), integers(1), integers(1)), {}),
        ("Expand", (integers(3, 1, 1),), {}),
    ],
    "padded": [("Pad", (integers(1, 0, 2, 0), np.array(0.5, np.float32), integers(3, 2)), {})],
    "clipped": [("Clip", (np.array(-0.5, np.float32), ""), {})],
    "squeezed": [POOLED, ("Unsqueeze", (integers(1),), {}), ("Squeeze", (integers(1),), {})],
    "powers": [("Abs", (), {}), ("Pow", (np.array(1.5, np.float32),), {}), ("Reciprocal", (), {})],
    "roots": [("Exp", (), {}), ("Sqrt", (), {}), ("Log", (), {}), ("Neg", (), {})],
    "waves": [("Sin", (), {}), ("Cos", (), {}), ("Erf", (), {})],
    "softplus": [("Softplus", (), {}), ("LogSoftmax", (), {"axis": 1})],
    "rectifiers": [
        ("LeakyRelu", (), {"alpha": 0.3}),
        ("PRelu", (weights(4, 1, 1),), {}),
        ("Elu", (), {"alpha": 0.7}),
        ("Relu", (), {}),
    ],
    "hard activations": [("HardSwish", (), {}), ("HardSigmoid", (), {"alpha": 0.3})],
    "smooth activations": [("Mish", (), {}), ("Sigmoid", (), {})],
    "arithmetic": [
        ("Add", (weights(4, 1, 1),), {}),
        ("Mul", (weights(1, 6),), {}),
        ("Sub", (weights(5, 6),), {}),
        ("Div", (positive(6),), {}),
        ("Max", (weights(6), weights(5, 1)), {}),
        ("Min", (weights(6, seed=1),), {}),
        ("Mod", (np.array(0.3, np.float32),), {"fmod": 1}),
    ],
    "joined": [("Concat", (weights(2, 1, 5, 6),), {"axis": 1}), ("Identity", (), {})],
    "cast there and back": [("Cast", (), {"to": TensorProto.INT32}), ("Cast", (), {"to": 1})],
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_an_operator_means_what_onnx_runtime_means_by_it(name: str) -> None:
    model = chain(*CASES[name])
    inputs = {"x": weights(*SHAPE, seed=7)}
    expected = answers(BackendKind.ONNXRUNTIME, model, inputs)["y"]
    found = answers(BackendKind.PYTORCH, model, inputs)["y"]
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_a_comparison_chooses_between_values() -> None:
    nodes = [
        helper.make_node("Greater", ["x", "zero"], ["up"]),
        helper.make_node("Not", ["up"], ["down"]),
        helper.make_node("Where", ["down", "zero", "x"], ["chosen"]),
        helper.make_node("Split", ["chosen", "sizes"], ["first", "rest"], axis=1),
        helper.make_node("ReduceSum", ["rest", "axes"], ["summed"]),
        helper.make_node("Add", ["first", "summed"], ["y"]),
    ]
    constants = [
        numpy_helper.from_array(np.zeros(1, np.float32), "zero"),
        numpy_helper.from_array(integers(1, 3), "sizes"),
        numpy_helper.from_array(integers(1), "axes"),
    ]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes,
        "choices",
        [value("x", TensorProto.FLOAT, list(SHAPE))],
        [value("y", TensorProto.FLOAT, None)],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    inputs = {"x": weights(*SHAPE, seed=3)}
    found = answers(BackendKind.PYTORCH, model, inputs)["y"]
    np.testing.assert_allclose(
        found, answers(BackendKind.ONNXRUNTIME, model, inputs)["y"], atol=1e-5
    )


def test_axes_may_be_attributes_as_in_older_graphs() -> None:
    model = chain(
        ("ReduceMean", (), {"axes": [2], "keepdims": 0}),
        ("Unsqueeze", (), {"axes": [0]}),
        ("Squeeze", (), {"axes": [0]}),
        opset=11,
    )
    x = weights(*SHAPE)
    np.testing.assert_allclose(
        answers(BackendKind.PYTORCH, model, {"x": x})["y"], x.mean(axis=2), atol=1e-6
    )


NETWORKS = ("g170-b6c96-s175395328-d26788732.bin.gz", "b7c96h3tfrs-test5-cnorm.bin.gz")


def boards(rows: int, height: int, width: int) -> dict[str, np.ndarray]:
    """Stones at random; every second board is smaller than the batch's."""
    random = np.random.default_rng(1)
    spatial = (random.random((rows, 22, height, width)) < 0.2).astype(np.float32)
    spatial[:, 0] = 1
    spatial[1::2, :, :, width - 2 :] = 0
    return {"spatial": spatial, "global": random.random((rows, 19)).astype(np.float32)}


@pytest.mark.parametrize("file", NETWORKS)
@pytest.mark.parametrize("size", [(9, 9), (5, 7)])
def test_a_real_network_says_the_same_as_on_onnx_runtime(file: str, size: tuple[int, int]) -> None:
    model = load(shared_file("networks", file)).model()
    inputs = boards(3, *size)
    expected = answers(BackendKind.ONNXRUNTIME, model, inputs)
    found = answers(BackendKind.PYTORCH, model, inputs)
    for name, output in expected.items():
        np.testing.assert_allclose(found[name], output, atol=1e-4, rtol=1e-6, err_msg=name)


@pytest.mark.parametrize("file", NETWORKS)
def test_bfloat16_stays_close_to_float32_on_a_real_network(file: str) -> None:
    model = load(shared_file("networks", file)).model()
    inputs = boards(2, 9, 9)
    expected = answers(BackendKind.PYTORCH, model, inputs)
    found = answers(BackendKind.PYTORCH, model, inputs, Precision.BFLOAT16)
    assert found["value"].dtype == np.float32
    difference = np.abs(found["value"] - expected["value"]).max()
    assert 0 < difference < 0.3
    on_board = expected["policy"] > -5000
    np.testing.assert_allclose(found["policy"][on_board], expected["policy"][on_board], atol=1.0)


def test_an_operator_that_is_not_translated_is_named() -> None:
    with pytest.raises(HonteError, match=r"cannot run the network tiny: its operator none\.such"):
        answers(BackendKind.PYTORCH, unknown_operator(), {"observation": weights(1, 3)})
    with pytest.raises(HonteError, match="its operator Einsum is not among those"):
        answers(
            BackendKind.PYTORCH,
            chain(("Einsum", (), {"equation": "nchw->nc"})),
            {"x": weights(*SHAPE)},
        )


def test_an_attribute_that_cannot_be_honoured_is_refused_with_its_operator() -> None:
    model = chain(("Conv", (weights(3, 4, 3, 3),), {"auto_pad": "SAME_UPPER"}))
    with pytest.raises(HonteError, match="operator Conv cannot be applied: its padding SAME_UPPER"):
        answers(BackendKind.PYTORCH, model, {"x": weights(*SHAPE)})


def test_float16_and_cuda_are_refused_where_there_is_no_gpu() -> None:
    if torch.cuda.is_available():
        pytest.skip("this machine has a CUDA device")
    with pytest.raises(HonteError, match="float16 on CUDA devices only"):
        open_backend(BackendOptions(BackendKind.PYTORCH, precision=Precision.FLOAT16))
    with pytest.raises(HonteError, match="finds no usable CUDA device"):
        open_backend(BackendOptions(BackendKind.PYTORCH, Device.CUDA))


@pytest.mark.parametrize(
    ("driver", "in_onnxruntime", "in_torch", "options", "expected"),
    [
        (True, True, True, BackendOptions(), BackendKind.ONNXRUNTIME),
        (True, False, True, BackendOptions(), BackendKind.PYTORCH),
        (True, False, False, BackendOptions(), BackendKind.OPENVINO),
        (False, False, True, BackendOptions(), BackendKind.OPENVINO),
        (True, True, True, BackendOptions(device=Device.CPU), BackendKind.OPENVINO),
        (
            True,
            True,
            True,
            BackendOptions(precision=Precision.BFLOAT16),
            BackendKind.PYTORCH,
        ),
    ],
)
def test_the_order_in_which_libraries_are_chosen(
    driver: bool,
    in_onnxruntime: bool,
    in_torch: bool,
    options: BackendOptions,
    expected: BackendKind,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chosen: list[BackendKind] = []
    monkeypatch.setattr(choice, "driver_present", lambda: driver)
    monkeypatch.setattr(onnxruntime, "cuda_available", lambda: in_onnxruntime)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: in_torch)
    monkeypatch.setattr(choice, "installed_backends", lambda: tuple(choice._MAKERS))
    for kind in choice._MAKERS:
        monkeypatch.setitem(choice._MAKERS, kind, lambda _, kind=kind: chosen.append(kind))
    open_backend(options)
    assert chosen == [expected]


def test_a_cuda_device_that_no_library_finds_is_said_to_be_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(choice, "driver_present", lambda: False)
    with pytest.raises(HonteError, match="No installed library finds a CUDA device"):
        open_backend(BackendOptions(device=Device.CUDA))
