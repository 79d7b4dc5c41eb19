"""ONNX Runtime: runs wherever Python does, and on CUDA devices where its GPU build is installed."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

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
from honte.networks.backends.cuda import driver_present

if TYPE_CHECKING:
    import onnx


def cuda_available() -> bool:
    """Whether the installed ONNX Runtime was built for CUDA, and there is a driver for it."""
    import onnxruntime

    return driver_present() and "CUDAExecutionProvider" in onnxruntime.get_available_providers()


class OnnxRuntimeBackend(Backend):
    """ONNX Runtime in float32: one-thread streams on the CPU, or one CUDA device."""

    kind = BackendKind.ONNXRUNTIME
    precision = Precision.FLOAT32

    def __init__(self, options: BackendOptions) -> None:
        import onnxruntime

        if options.precision not in (None, Precision.FLOAT32):
            raise HonteError(
                "ONNX Runtime multiplies in float32 only here: use OpenVINO or PyTorch for "
                f"{options.precision.value}."
            )
        if options.device is Device.CUDA and not cuda_available():
            raise HonteError(
                "The installed ONNX Runtime has no CUDA support, or there is no driver for it: "
                "check NVIDIA's driver, and install `onnxruntime-gpu` in place of `onnxruntime`."
            )
        self.name = "ONNX Runtime " + ".".join(onnxruntime.__version__.split(".")[:2])
        self.device = options.device or (Device.CUDA if cuda_available() else Device.CPU)
        # Two streams let a GPU compute while the next batch is being copied to it.
        self.streams = options.streams or (usable_cores() if self.device is Device.CPU else 2)
        self._threads = ThreadPoolExecutor(self.streams, thread_name_prefix="honte-onnxruntime")

    @property
    def batch_gain(self) -> int:
        return 2 if self.device is Device.CPU else 64

    def compile(self, model: onnx.ModelProto, shapes: Shapes, network: str) -> CompiledNetwork:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        providers = ["CPUExecutionProvider"]
        if self.device is Device.CUDA:
            providers.insert(0, "CUDAExecutionProvider")
        try:
            session = onnxruntime.InferenceSession(
                model.SerializeToString(), options, providers=providers
            )
        except Exception as error:  # the library's own errors share no useful base class
            raise HonteError(
                f"{self.name} cannot run the network {network}: {_first_line(error)}"
            ) from error
        if self.device is Device.CUDA and "CUDAExecutionProvider" not in session.get_providers():
            raise HonteError(
                f"{self.name} found no usable CUDA device for the network {network}: check the "
                "driver, or choose the CPU."
            )
        return _Compiled(session, dict(shapes), network, self._threads)


class _Compiled(CompiledNetwork):
    def __init__(
        self,
        session: Any,
        shapes: dict[str, tuple[int, ...]],
        network: str,
        threads: ThreadPoolExecutor,
    ) -> None:
        self._session = session
        self._shapes = shapes
        self._network = network
        self._threads = threads
        names = [output.name for output in session.get_outputs()]
        try:
            # One run on zeros tells the outputs' shapes, which a graph need not declare.
            answers = session.run(
                names, {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
            )
        except Exception as error:
            raise HonteError(
                f"ONNX Runtime cannot run the network {network} on inputs {dict(shapes)}: "
                f"{_first_line(error)}"
            ) from error
        self._outputs = {
            name: tuple(answer.shape) for name, answer in zip(names, answers, strict=True)
        }

    def new_slot(self) -> RequestSlot:
        return _Slot(self._session, self._shapes, self._outputs, self._network, self._threads)


class _Slot(RequestSlot):
    def __init__(
        self,
        session: Any,
        inputs: dict[str, tuple[int, ...]],
        outputs: dict[str, tuple[int, ...]],
        network: str,
        threads: ThreadPoolExecutor,
    ) -> None:
        self.inputs = {name: np.zeros(shape, np.float32) for name, shape in inputs.items()}
        self.outputs = {name: np.zeros(shape, np.float32) for name, shape in outputs.items()}
        self._session = session
        self._network = network
        self._threads = threads
        self._binding = session.io_binding()
        for name, array in self.inputs.items():
            self._binding.bind_input(name, "cpu", 0, np.float32, array.shape, array.ctypes.data)
        for name, array in self.outputs.items():
            self._binding.bind_output(name, "cpu", 0, np.float32, array.shape, array.ctypes.data)
        self._running: Future[None] | None = None

    def start(self) -> None:
        self._running = self._threads.submit(self._session.run_with_iobinding, self._binding)

    def wait(self) -> None:
        running, self._running = self._running, None
        if running is None:
            return
        try:
            running.result()
        except Exception as error:
            raise HonteError(
                f"ONNX Runtime failed while running the network {self._network}: "
                f"{_first_line(error)}"
            ) from error


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:300]
