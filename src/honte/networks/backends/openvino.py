"""OpenVINO: the fastest known on x86 and ARM processors."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from honte.errors import HonteError
from honte.networks.backends.base import (
    Backend,
    BackendKind,
    BackendOptions,
    CompiledNetwork,
    Device,
    Precision,
    RequestSlot,
    Shapes,
)
from honte.networks.backends.cores import usable_cores

if TYPE_CHECKING:
    import onnx

_HINTS = {Precision.FLOAT32: "f32", Precision.BFLOAT16: "bf16"}


@cache
def _core() -> Any:
    """The library's own root object; making it scans for devices, so once is enough."""
    import openvino

    return openvino.Core()


def supports_bfloat16() -> bool:
    """Whether this processor multiplies bfloat16 natively (AVX512-BF16 or AMX)."""
    return "BF16" in _core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")


class OpenVinoBackend(Backend):
    """OpenVINO on the CPU: independent one-thread streams, static shapes."""

    kind = BackendKind.OPENVINO
    device = Device.CPU

    def __init__(self, options: BackendOptions) -> None:
        if options.device is Device.CUDA:
            raise HonteError(
                "OpenVINO does not run on CUDA devices: choose ONNX Runtime or PyTorch."
            )
        import openvino

        self.name = "OpenVINO " + ".".join(openvino.__version__.split(".")[:2])
        self.precision = options.precision or (
            Precision.BFLOAT16 if supports_bfloat16() else Precision.FLOAT32
        )
        if self.precision is Precision.BFLOAT16 and not supports_bfloat16():
            raise HonteError(
                "This processor has no bfloat16 arithmetic (AVX512-BF16 or AMX): use float32."
            )
        if self.precision not in _HINTS:
            raise HonteError(
                f"OpenVINO multiplies in float32 or bfloat16 here, not in {self.precision.value}."
            )
        self.streams = options.streams or usable_cores()

    @property
    def batch_gain(self) -> int:
        # AMX tiles hold sixteen rows, which one small board does not fill evenly; without
        # bfloat16 a batch gains almost nothing and only makes the search choose blindly.
        return 8 if self.precision is Precision.BFLOAT16 else 2

    def compile(self, model: onnx.ModelProto, shapes: Shapes, network: str) -> CompiledNetwork:
        settings = {
            "INFERENCE_PRECISION_HINT": _HINTS[self.precision],
            "NUM_STREAMS": self.streams,
            "INFERENCE_NUM_THREADS": self.streams,
            "PERFORMANCE_HINT": "THROUGHPUT",
            # Pinned streams would fight with the searching thread and with other processes.
            "ENABLE_CPU_PINNING": False,
        }
        try:
            graph = _core().read_model(model.SerializeToString())
            graph.reshape({name: list(shape) for name, shape in shapes.items()})
            try:
                compiled = _core().compile_model(graph, "CPU", settings)
            except RuntimeError:
                # Its fused kernels take some graphs on which they then fail, such as a Mish
                # between two small matrices (2026.4); without them these run as well.
                settings["SNIPPETS_MODE"] = "DISABLE"
                compiled = _core().compile_model(graph, "CPU", settings)
        except (RuntimeError, KeyError, TypeError) as error:
            raise HonteError(
                f"{self.name} cannot run the network {network}: {_first_line(error)}"
            ) from error
        names = tuple(output.name for output in model.graph.output)
        return _Compiled(compiled, tuple(shapes), names, network)


class _Compiled(CompiledNetwork):
    def __init__(
        self, compiled: Any, inputs: tuple[str, ...], outputs: tuple[str, ...], network: str
    ) -> None:
        self._compiled = compiled
        self._inputs = inputs
        self._outputs = outputs
        self._network = network

    def new_slot(self) -> RequestSlot:
        return _Slot(self._compiled, self._inputs, self._outputs, self._network)


class _Slot(RequestSlot):
    def __init__(
        self, compiled: Any, inputs: tuple[str, ...], outputs: tuple[str, ...], network: str
    ) -> None:
        import openvino

        self._request = compiled.create_infer_request()
        self._network = network

        def bound(port: Any) -> NDArray[np.float32]:
            array = np.zeros(tuple(port.shape), np.float32)
            self._request.set_tensor(port, openvino.Tensor(array, shared_memory=True))
            return array

        self.inputs = {name: bound(compiled.input(name)) for name in inputs}
        self.outputs = {name: bound(compiled.output(name)) for name in outputs}
        self._start = self._request.start_async
        self._wait = self._request.wait

    def start(self) -> None:
        self._start()

    def wait(self) -> None:
        try:
            self._wait()
        except RuntimeError as error:
            raise HonteError(
                f"OpenVINO failed while running the network {self._network}: {_first_line(error)}"
            ) from error


def _first_line(error: Exception) -> str:
    """What a library's error says, without its source positions."""
    lines = [line.strip() for line in str(error).splitlines()]
    telling = [line for line in lines if line and not line.startswith(("Exception from", "Check"))]
    return (telling or lines or [type(error).__name__])[0][:300]
