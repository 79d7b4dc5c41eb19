"""Which backend runs a network on this machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

from honte.errors import HonteError
from honte.networks.backends.base import (
    Backend,
    BackendKind,
    BackendOptions,
    CompiledNetwork,
    Device,
    Precision,
    Shapes,
)
from honte.networks.backends.cuda import driver_present

if TYPE_CHECKING:
    import onnx


def _openvino(options: BackendOptions) -> Backend:
    from honte.networks.backends.openvino import OpenVinoBackend

    return OpenVinoBackend(options)


def _onnxruntime(options: BackendOptions) -> Backend:
    from honte.networks.backends.onnxruntime import OnnxRuntimeBackend

    return OnnxRuntimeBackend(options)


def _pytorch(options: BackendOptions) -> Backend:
    from honte.networks.backends.pytorch import PyTorchBackend

    return PyTorchBackend(options)


_MAKERS: dict[BackendKind, Callable[[BackendOptions], Backend]] = {
    BackendKind.OPENVINO: _openvino,
    BackendKind.ONNXRUNTIME: _onnxruntime,
    BackendKind.PYTORCH: _pytorch,
}
_MODULES = {
    BackendKind.OPENVINO: "openvino",
    BackendKind.ONNXRUNTIME: "onnxruntime",
    BackendKind.PYTORCH: "torch",
}
_HOW_TO_INSTALL = {
    BackendKind.OPENVINO: "pip install openvino",
    BackendKind.ONNXRUNTIME: "pip install 'honte[onnxruntime]'",
    BackendKind.PYTORCH: "pip install torch",
}


def installed_backends() -> tuple[BackendKind, ...]:
    """The backends whose library is installed, in the order of preference on a CPU."""
    return tuple(kind for kind, module in _MODULES.items() if find_spec(module) is not None)


def open_backend(options: BackendOptions | None = None) -> Backend:
    """The backend that the options ask for, or the best guess for this machine.

    :attr:`BackendKind.AUTOMATIC` tells the order; ONNX Runtime is passed over where another
    precision than float32 is asked for. Raises HonteError if the library is not installed or cannot
    do what is asked. ``MEASURED`` needs a network: see :func:`measured_backend`.
    """
    options = options or BackendOptions()
    installed = installed_backends()
    if options.streams is not None and options.streams < 1:
        raise HonteError(f"{options.streams} streams cannot run a network: give at least 1.")
    if options.kind is BackendKind.MEASURED:
        raise HonteError("A backend is measured on a network: use measured_backend for that.")
    if options.kind is not BackendKind.AUTOMATIC:
        if options.kind not in installed:
            raise HonteError(
                f"The backend {options.kind.value} is not installed: run "
                f"`{_HOW_TO_INSTALL[options.kind]}`."
            )
        return _MAKERS[options.kind](options)
    if not installed:
        raise HonteError(
            "No library that runs networks is installed: run `pip install openvino` or "
            "`pip install 'honte[onnxruntime]'`."
        )
    if options.device is not Device.CPU and driver_present():
        on_cuda = replace(options, device=Device.CUDA)
        if BackendKind.ONNXRUNTIME in installed and options.precision in (None, Precision.FLOAT32):
            from honte.networks.backends.onnxruntime import cuda_available

            if cuda_available():
                return _MAKERS[BackendKind.ONNXRUNTIME](on_cuda)
        if BackendKind.PYTORCH in installed:
            import torch

            if torch.cuda.is_available():
                return _MAKERS[BackendKind.PYTORCH](on_cuda)
    if options.device is Device.CUDA:
        raise HonteError(
            "No installed library finds a CUDA device: check NVIDIA's driver, and install "
            "`onnxruntime-gpu` or PyTorch with CUDA."
        )
    return _MAKERS[installed[0]](options)


def measured_backend(
    options: BackendOptions,
    model: onnx.ModelProto,
    shapes: Shapes,
    network: str,
    *,
    seconds: float = 0.5,
) -> Backend:
    """The installed backend that runs this network fastest, by timing each.

    ``shapes`` are those of :meth:`Backend.compile`; each candidate runs for about ``seconds``. A
    backend that cannot do what the options ask, or cannot run the network, is passed over.
    Raises HonteError, with the last reason, if none is left.
    """
    best: tuple[float, Backend] | None = None
    refusal: HonteError | None = None
    for kind in installed_backends():
        try:
            backend = open_backend(replace(options, kind=kind))
            speed = batches_per_second(backend, model, shapes, network, seconds=seconds)
        except HonteError as error:
            refusal = error
            continue
        if best is None or speed > best[0]:
            best = (speed, backend)
    if best is None:
        raise refusal or HonteError(
            "No library that runs networks is installed: run `pip install openvino`."
        )
    return best[1]


def batches_per_second(
    backend: Backend,
    model: onnx.ModelProto,
    shapes: Shapes,
    network: str,
    *,
    seconds: float = 1.0,
) -> float:
    """How many batches of these shapes the backend answers, all its streams kept busy.

    Two slots a stream are in flight, so that none waits for Python. Compiling is not counted.
    """
    done, took = kept_busy(backend.compile(model, shapes, network), backend.streams, seconds)
    return done / took


def kept_busy(compiled: CompiledNetwork, streams: int, seconds: float) -> tuple[int, float]:
    """Let all streams work for so long; how many batches they answered, and in how many seconds."""
    slots = [compiled.new_slot() for _ in range(2 * streams)]
    for slot in slots:
        for array in slot.inputs.values():
            # Zeros would be a board without points, and its arithmetic not that of a game.
            array.fill(1)
        slot.start()
    for slot in slots:
        slot.wait()
    done = 0
    begin = time.perf_counter()
    for slot in slots:
        slot.start()
    while time.perf_counter() - begin < seconds:
        slot = slots[done % len(slots)]
        slot.wait()
        slot.start()
        done += 1
    for slot in slots:
        slot.wait()
    return done + len(slots), time.perf_counter() - begin
