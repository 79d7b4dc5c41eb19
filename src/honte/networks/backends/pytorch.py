"""PyTorch: CUDA devices without further libraries; correct on the CPU, where others are faster.

The CPU path is tested against ONNX Runtime. The CUDA path differs from it in where tensors lie, in
pinned buffers and in its streams; it was written by PyTorch's documentation and has not yet been
run on a GPU.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
import torch

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
from honte.networks.backends.torch_graph import translated

if TYPE_CHECKING:
    import onnx

_FORMATS = {
    Precision.FLOAT32: torch.float32,
    Precision.BFLOAT16: torch.bfloat16,
    Precision.FLOAT16: torch.float16,
}


class PyTorchBackend(Backend):
    """PyTorch on one CUDA device, or on the CPU with one-thread streams.

    In bfloat16 by default on CUDA devices that have it (Ampere and later), else in float32.
    """

    kind = BackendKind.PYTORCH

    def __init__(self, options: BackendOptions) -> None:
        if options.device is Device.CUDA and not torch.cuda.is_available():
            raise HonteError(
                "The installed PyTorch finds no usable CUDA device: check the driver and that "
                "PyTorch was installed with CUDA, or choose the CPU."
            )
        self.name = "PyTorch " + ".".join(torch.__version__.split(".")[:2])
        self.device = options.device or (Device.CUDA if torch.cuda.is_available() else Device.CPU)
        self.precision = options.precision or self._best_precision()
        on_cuda = self.device is Device.CUDA
        if self.precision is Precision.FLOAT16 and not on_cuda:
            raise HonteError("PyTorch multiplies in float16 on CUDA devices only: use float32.")
        if self.precision is Precision.FLOAT32 and on_cuda:
            # By default convolutions round to 10 bits here, which is not what float32 says.
            torch.backends.cudnn.allow_tf32 = False
        # Two streams let a GPU compute while the next batch is being copied to it.
        self.streams = options.streams or (2 if on_cuda else usable_cores())
        self._threads = ThreadPoolExecutor(
            self.streams,
            thread_name_prefix="honte-pytorch",
            initializer=torch.set_num_threads,
            initargs=(1,),
        )

    def _best_precision(self) -> Precision:
        if self.device is Device.CUDA and torch.cuda.get_device_capability() >= (8, 0):
            return Precision.BFLOAT16
        return Precision.FLOAT32

    @property
    def batch_gain(self) -> int:
        return 2 if self.device is Device.CPU else 64

    def compile(self, model: onnx.ModelProto, shapes: Shapes, network: str) -> CompiledNetwork:
        device = torch.device(self.device.value)
        module = translated(model, shapes, network, _FORMATS[self.precision], device)
        names = tuple(output.name for output in model.graph.output)
        return _Compiled(module, dict(shapes), names, network, device, self._threads)


class _Compiled(CompiledNetwork):
    def __init__(
        self,
        module: torch.fx.GraphModule,
        shapes: dict[str, tuple[int, ...]],
        names: tuple[str, ...],
        network: str,
        device: torch.device,
        threads: ThreadPoolExecutor,
    ) -> None:
        self._module = module
        self._inputs = shapes
        self._network = network
        self._device = device
        self._threads = threads
        try:
            with torch.inference_mode():
                # One run on zeros tells the outputs' shapes, which a graph need not declare.
                answers = module(*(torch.zeros(shape, device=device) for shape in shapes.values()))
        except RuntimeError as error:
            raise HonteError(
                f"PyTorch cannot run the network {network}: {_first_line(error)}"
            ) from error
        self._outputs = {
            name: tuple(answer.shape) for name, answer in zip(names, answers, strict=True)
        }

    def new_slot(self) -> RequestSlot:
        make = _CpuSlot if self._device.type == "cpu" else _CudaSlot
        return make(self._module, self._inputs, self._outputs, self._network, self._threads)


class _Slot(RequestSlot):
    """A request on one of the backend's threads; what moves the numbers is the device's."""

    def __init__(
        self,
        module: torch.fx.GraphModule,
        inputs: dict[str, tuple[int, ...]],
        outputs: dict[str, tuple[int, ...]],
        network: str,
        threads: ThreadPoolExecutor,
    ) -> None:
        self._module = module
        self._network = network
        self._threads = threads
        self._given = [self._host(shape) for shape in inputs.values()]
        self._found = [self._host(shape) for shape in outputs.values()]
        self.inputs = dict(zip(inputs, map(_array, self._given), strict=True))
        self.outputs = dict(zip(outputs, map(_array, self._found), strict=True))
        self._running: Future[None] | None = None

    def _host(self, shape: tuple[int, ...]) -> torch.Tensor:
        """Memory that a caller's array and the device's copies share."""
        return torch.zeros(shape)

    @abstractmethod
    def _run(self) -> None:
        """Answer what ``inputs`` holds, on one of the threads."""

    def start(self) -> None:
        self._running = self._threads.submit(self._run)

    def wait(self) -> None:
        running, self._running = self._running, None
        if running is None:
            return
        try:
            running.result()
        except RuntimeError as error:
            raise HonteError(
                f"PyTorch failed while running the network {self._network}: {_first_line(error)}"
            ) from error


class _CpuSlot(_Slot):
    def _run(self) -> None:
        with torch.inference_mode():
            _copy_each(self._module(*self._given), self._found)


class _CudaSlot(_Slot):
    """Pinned host memory and a stream of its own, so that copies and arithmetic of several slots
    overlap."""

    def __init__(
        self,
        module: torch.fx.GraphModule,
        inputs: dict[str, tuple[int, ...]],
        outputs: dict[str, tuple[int, ...]],
        network: str,
        threads: ThreadPoolExecutor,
    ) -> None:
        super().__init__(module, inputs, outputs, network, threads)
        self._stream = torch.cuda.Stream()
        self._on_device = [torch.empty_like(tensor, device="cuda") for tensor in self._given]

    def _host(self, shape: tuple[int, ...]) -> torch.Tensor:
        return torch.zeros(shape, pin_memory=True)

    def _run(self) -> None:
        with torch.inference_mode(), torch.cuda.stream(self._stream):
            _copy_each(self._given, self._on_device)
            _copy_each(self._module(*self._on_device), self._found)
            self._stream.synchronize()


def _copy_each(sources: Sequence[torch.Tensor], targets: Sequence[torch.Tensor]) -> None:
    for source, target in zip(sources, targets, strict=True):
        target.copy_(source, non_blocking=True)


def _array(tensor: torch.Tensor) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return tensor.numpy()


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:300]
