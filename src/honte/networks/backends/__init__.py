"""Running a network: OpenVINO, ONNX Runtime and PyTorch behind one interface.

Which one runs is chosen on the machine at hand: ONNX Runtime where it has CUDA, else PyTorch where
it has CUDA, else OpenVINO, else ONNX Runtime on the CPU, else PyTorch on the CPU. Each can be
named, with a device and a precision; ``BackendKind.MEASURED`` times all that are installed.
"""

from honte.networks.backends.base import (
    Backend,
    BackendKind,
    BackendOptions,
    CompiledNetwork,
    Device,
    Precision,
    RequestSlot,
)
from honte.networks.backends.choice import (
    batches_per_second,
    installed_backends,
    kept_busy,
    measured_backend,
    open_backend,
)

__all__ = [
    "Backend",
    "BackendKind",
    "BackendOptions",
    "CompiledNetwork",
    "Device",
    "Precision",
    "RequestSlot",
    "batches_per_second",
    "installed_backends",
    "kept_busy",
    "measured_backend",
    "open_backend",
]
