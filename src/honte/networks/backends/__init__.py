"""Running a network: OpenVINO and ONNX Runtime behind one interface, chosen at run time."""

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
    "measured_backend",
    "open_backend",
]
