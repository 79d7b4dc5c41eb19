"""The libraries that run networks agree with each other and say clearly what they cannot do."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from honte.errors import HonteError
from honte.networks.backends import (
    Backend,
    BackendKind,
    BackendOptions,
    Device,
    Precision,
    batches_per_second,
    choice,
    cores,
    installed_backends,
    measured_backend,
    open_backend,
)
from patience import TRIES
from shared_data import shared_file
from tiny_graphs import linear_network, unknown_operator

LIBRARIES = (BackendKind.OPENVINO, BackendKind.ONNXRUNTIME, BackendKind.PYTORCH)
MODULES = {
    BackendKind.OPENVINO: "openvino",
    BackendKind.ONNXRUNTIME: "onnxruntime",
    BackendKind.PYTORCH: "torch",
}
SHAPE = (3, 4, 5)
ACTIONS = 7


def opened(
    kind: BackendKind, precision: Precision = Precision.FLOAT32, streams: int | None = 1
) -> Backend:
    pytest.importorskip(MODULES[kind])
    return open_backend(BackendOptions(kind, Device.CPU, precision, streams))


def observations(rows: int) -> np.ndarray:
    return np.random.default_rng(5).normal(size=(rows, *SHAPE)).astype(np.float32)


def answers(backend: Backend, inputs: np.ndarray) -> dict[str, np.ndarray]:
    shapes = {"observation": inputs.shape}
    slot = backend.compile(linear_network(SHAPE, ACTIONS), shapes, "linear").new_slot()
    slot.inputs["observation"][:] = inputs
    slot.start()
    slot.wait()
    return {name: output.copy() for name, output in slot.outputs.items()}


@pytest.mark.parametrize("kind", LIBRARIES)
def test_a_backend_computes_what_the_graph_says(kind: BackendKind) -> None:
    inputs = observations(6)
    weights = {
        tensor.name: np.frombuffer(tensor.raw_data, np.float32).reshape(tensor.dims)
        for tensor in linear_network(SHAPE, ACTIONS).graph.initializer
    }
    flat = inputs.reshape(6, -1)
    found = answers(opened(kind), inputs)
    np.testing.assert_allclose(found["policy"], flat @ weights["W"], atol=1e-5)
    np.testing.assert_allclose(found["value"], np.tanh(flat @ weights["v"]), atol=1e-5)


@pytest.mark.parametrize("kind", LIBRARIES)
def test_a_row_does_not_depend_on_the_rows_beside_it(kind: BackendKind) -> None:
    inputs = observations(4)
    together = answers(opened(kind), inputs)["policy"]
    for row in range(4):
        alone = answers(opened(kind), inputs[row : row + 1])["policy"][0]
        np.testing.assert_allclose(together[row], alone, atol=1e-5)


@pytest.mark.parametrize("kind", LIBRARIES)
def test_slots_in_flight_together_keep_their_own_answers(kind: BackendKind) -> None:
    backend = opened(kind, streams=2)
    inputs = observations(8)
    compiled = backend.compile(
        linear_network(SHAPE, ACTIONS), {"observation": (1, *SHAPE)}, "linear"
    )
    slots = [compiled.new_slot() for _ in inputs]
    for slot, row in zip(slots, inputs, strict=True):
        slot.inputs["observation"][0] = row
    for slot in slots:
        slot.start()
    for slot in reversed(slots):  # asked for in another order than they were started in
        slot.wait()
    found = np.concatenate([slot.outputs["policy"] for slot in slots])
    np.testing.assert_allclose(found, answers(opened(kind), inputs)["policy"], atol=1e-5)


@pytest.mark.parametrize("kind", LIBRARIES)
def test_a_slots_arrays_stay_the_same_from_batch_to_batch(kind: BackendKind) -> None:
    shapes = {"observation": (1, *SHAPE)}
    slot = opened(kind).compile(linear_network(SHAPE, ACTIONS), shapes, "linear").new_slot()
    before = slot.outputs["policy"]
    seen = []
    for row in observations(2):
        slot.inputs["observation"][0] = row
        slot.start()
        slot.wait()
        seen.append(slot.outputs["policy"].copy())
    assert slot.outputs["policy"] is before
    assert not np.allclose(seen[0], seen[1])


def test_bfloat16_is_close_to_float32_and_not_the_same() -> None:
    from honte.networks.backends.openvino import supports_bfloat16

    if not supports_bfloat16():
        pytest.skip("this processor has no bfloat16 arithmetic")
    inputs = observations(6)
    exact = answers(opened(BackendKind.OPENVINO), inputs)["policy"]
    rounded = answers(opened(BackendKind.OPENVINO, Precision.BFLOAT16), inputs)["policy"]
    assert 0 < np.abs(exact - rounded).max() < 0.05


def test_the_default_on_a_processor_is_bfloat16_where_it_has_it() -> None:
    from honte.networks.backends.openvino import supports_bfloat16

    backend = open_backend(BackendOptions(BackendKind.OPENVINO))
    expected = Precision.BFLOAT16 if supports_bfloat16() else Precision.FLOAT32
    assert backend.precision is expected
    assert backend.streams == cores.usable_cores()


def test_a_backend_says_its_library_device_precision_and_streams() -> None:
    said = opened(BackendKind.OPENVINO, streams=2).describe()
    assert said.startswith("OpenVINO 20")
    assert said.endswith("on the CPU in float32, 2 streams")
    assert opened(BackendKind.ONNXRUNTIME).describe().endswith("in float32, 1 stream")


@pytest.mark.parametrize("kind", LIBRARIES)
def test_a_graph_that_a_library_cannot_run_is_refused_in_one_sentence(kind: BackendKind) -> None:
    with pytest.raises(HonteError, match="cannot run the network divination") as caught:
        opened(kind).compile(unknown_operator(), {"observation": (1, 3)}, "divination")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", LIBRARIES)
def test_inputs_that_do_not_fit_the_graph_are_refused(kind: BackendKind) -> None:
    with pytest.raises(HonteError, match="cannot run the network linear"):
        opened(kind).compile(
            linear_network(SHAPE, ACTIONS), {"observation": (1, 3, 4, 6)}, "linear"
        )


@pytest.mark.parametrize(
    ("kind", "remedy"),
    [
        (BackendKind.OPENVINO, "pip install openvino"),
        (BackendKind.ONNXRUNTIME, "pip install 'honte[onnxruntime]'"),
        (BackendKind.PYTORCH, "pip install torch"),
    ],
)
def test_a_missing_library_is_named_with_the_way_to_install_it(
    kind: BackendKind, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        choice, "find_spec", lambda name: None if name == MODULES[kind] else found(name)
    )
    with pytest.raises(HonteError) as caught:
        open_backend(BackendOptions(kind))
    assert f"{kind.value} is not installed" in str(caught.value)
    assert remedy in str(caught.value)


def test_without_any_library_the_way_out_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "find_spec", lambda name: None)
    assert installed_backends() == ()
    with pytest.raises(HonteError, match="No library that runs networks is installed"):
        open_backend()


def test_without_openvino_the_other_library_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("onnxruntime")
    found = importlib.util.find_spec
    monkeypatch.setattr(
        choice, "find_spec", lambda name: None if name == "openvino" else found(name)
    )
    assert open_backend(BackendOptions(device=Device.CPU)).name.startswith("ONNX Runtime")


def test_what_a_library_cannot_do_is_refused() -> None:
    pytest.importorskip("onnxruntime")
    with pytest.raises(HonteError, match="float32 only"):
        open_backend(BackendOptions(BackendKind.ONNXRUNTIME, precision=Precision.BFLOAT16))
    with pytest.raises(HonteError, match="does not run on CUDA"):
        open_backend(BackendOptions(BackendKind.OPENVINO, device=Device.CUDA))
    with pytest.raises(HonteError, match="not in float16"):
        open_backend(BackendOptions(BackendKind.OPENVINO, precision=Precision.FLOAT16))
    with pytest.raises(HonteError, match="0 streams"):
        open_backend(BackendOptions(streams=0))


def test_measuring_keeps_the_library_that_answers_most(monkeypatch: pytest.MonkeyPatch) -> None:
    for library in (BackendKind.OPENVINO, BackendKind.ONNXRUNTIME):
        pytest.importorskip(MODULES[library])
    monkeypatch.setattr(
        choice,
        "batches_per_second",
        lambda backend, *_, **__: 2.0 if backend.kind is BackendKind.ONNXRUNTIME else 1.0,
    )
    options = BackendOptions(BackendKind.MEASURED, Device.CPU)
    shapes = {"observation": (1, *SHAPE)}
    best = measured_backend(options, linear_network(SHAPE, ACTIONS), shapes, "linear")
    assert best.name.startswith("ONNX Runtime")


def test_measuring_passes_over_what_cannot_run_the_network() -> None:
    options = BackendOptions(BackendKind.MEASURED, Device.CPU)
    with pytest.raises(HonteError, match="cannot run the network divination"):
        measured_backend(options, unknown_operator(), {"observation": (1, 3)}, "divination")


@pytest.mark.parametrize("kind", LIBRARIES)
def test_a_speed_is_measured(kind: BackendKind) -> None:
    shapes = {"observation": (2, *SHAPE)}
    model = linear_network(SHAPE, ACTIONS)
    backend = opened(kind)
    assert any(
        batches_per_second(backend, model, shapes, "linear", seconds=0.05) > 100
        for _ in range(TRIES)
    )


def test_the_libraries_agree_on_a_real_network() -> None:
    from honte.networks import load

    network = load(shared_file("networks", "g170-b6c96-s175395328-d26788732.bin.gz"))
    shapes = {"spatial": (2, 22, 9, 9), "global": (2, 19)}
    random = np.random.default_rng(1)
    spatial = (random.random((2, 22, 9, 9)) < 0.2).astype(np.float32)
    spatial[:, 0] = 1
    found = []
    for kind in (BackendKind.OPENVINO, BackendKind.ONNXRUNTIME):
        slot = opened(kind).compile(network.model(), shapes, network.name).new_slot()
        slot.inputs["spatial"][:] = spatial
        slot.start()
        slot.wait()
        found.append({name: output.copy() for name, output in slot.outputs.items()})
    for name, output in found[0].items():
        np.testing.assert_allclose(output, found[1][name], atol=2e-4, err_msg=name)
