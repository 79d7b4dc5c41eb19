"""One interface over the libraries that run a network.

A network is an ONNX graph; a backend compiles it for fixed input shapes and hands out *request
slots*. A slot owns its input and output arrays for as long as it lives, bound to the library
once, so that answering a batch copies nothing: fill ``slot.inputs``, ``start()``, do something
else, ``wait()``, read ``slot.outputs``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from honte.errors import HonteError

if TYPE_CHECKING:
    import onnx

Shapes = Mapping[str, tuple[int, ...]]
Arrays = Mapping[str, NDArray[np.float32]]


class Precision(Enum):
    """The number format in which a backend multiplies; inputs and outputs stay float32."""

    FLOAT32 = "float32"
    BFLOAT16 = "bfloat16"
    FLOAT16 = "float16"


class Device(Enum):
    """Where a network runs."""

    CPU = "cpu"
    CUDA = "cuda"


class BackendKind(Enum):
    """Which library runs a network."""

    AUTOMATIC = "automatic"
    """The first that is there of: ONNX Runtime with CUDA, PyTorch with CUDA, OpenVINO, ONNX Runtime
    on the CPU, PyTorch on the CPU. CUDA counts only where NVIDIA's driver is installed."""
    MEASURED = "measured"
    """Every installed one is timed on the network at hand; the fastest is kept."""
    OPENVINO = "openvino"
    ONNXRUNTIME = "onnxruntime"
    PYTORCH = "pytorch"


@dataclass(frozen=True, slots=True)
class BackendOptions:
    """What a user may fix about a backend; None leaves the choice to the machine.

    ``streams`` is how many batches run at once, each on one thread of a CPU: by default as many
    as this process may use cores.
    """

    kind: BackendKind = BackendKind.AUTOMATIC
    device: Device | None = None
    precision: Precision | None = None
    streams: int | None = None

    def __post_init__(self) -> None:
        """Raises HonteError for a name in the place of a kind, which would not be understood."""
        kinds = {"kind": BackendKind, "device": Device, "precision": Precision}
        for name, enum in kinds.items():
            value = getattr(self, name)
            if value is not None and not isinstance(value, enum):
                known = ", ".join(map(str, enum))
                raise HonteError(f"A backend's {name} is one of {known}, not {value!r}.")


class RequestSlot(ABC):
    """One request that can be in flight, with its arrays bound for good.

    Not for two threads at once. ``inputs`` may be written, and ``outputs`` read, only while
    nothing is in flight: before ``start()`` and after ``wait()``.
    """

    inputs: Arrays
    outputs: Arrays

    @abstractmethod
    def start(self) -> None:
        """Begin to work on what ``inputs`` holds; returns at once."""

    @abstractmethod
    def wait(self) -> None:
        """Return when ``outputs`` holds the answer. Raises HonteError if the backend failed."""


class CompiledNetwork(ABC):
    """A network ready to run on inputs of one fixed shape."""

    @abstractmethod
    def new_slot(self) -> RequestSlot:
        """A fresh request slot with its own arrays; input arrays start as zeros."""


class Backend(ABC):
    """A library, a device and a precision. Its ``streams`` slots can be in flight at once."""

    kind: BackendKind
    name: str
    """The library, as a reader would write it: ``OpenVINO``."""
    device: Device
    precision: Precision
    streams: int

    @abstractmethod
    def compile(self, model: onnx.ModelProto, shapes: Shapes, network: str) -> CompiledNetwork:
        """Make ``model`` ready for inputs of these shapes.

        ``shapes`` names every input with its full shape, batch first; ``network`` is what error
        messages call it. Raises HonteError if the library cannot run the graph.
        """

    @property
    @abstractmethod
    def batch_gain(self) -> int:
        """The batch size beyond which rows hardly get cheaper on this device."""

    def describe(self) -> str:
        """One line for people: ``OpenVINO 2026.4 on the CPU in bfloat16, 2 streams``."""
        where = {Device.CPU: "the CPU", Device.CUDA: "a CUDA device"}[self.device]
        plural = "" if self.streams == 1 else "s"
        return f"{self.name} on {where} in {self.precision.value}, {self.streams} stream{plural}"
