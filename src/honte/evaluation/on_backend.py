"""What every evaluator has whose answers come from a backend."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from honte.errors import HonteError
from honte.evaluation.program import chosen_backend
from honte.networks.backends import Backend, BackendKind, BackendOptions, Device, Precision

if TYPE_CHECKING:
    import onnx


class OnBackend:
    """A network, called by ``title``, that runs in batches on a chosen backend.

    ``shapes`` gives the network's input shapes for a number of rows. Raises HonteError for a batch
    of none, or if the backend cannot do what is asked.
    """

    def __init__(
        self,
        model: onnx.ModelProto,
        title: str,
        shapes: Callable[[int], dict[str, tuple[int, ...]]],
        *,
        backend: Backend | BackendKind | None,
        device: Device | None,
        precision: Precision | None,
        streams: int | None,
        batch_size: int | None,
    ) -> None:
        if batch_size is not None and batch_size < 1:
            raise HonteError(f"A batch of {batch_size} positions is none: give at least 1.")
        if isinstance(backend, Backend):
            opened, kind = backend, BackendKind.AUTOMATIC
        else:
            opened, kind = None, BackendKind.AUTOMATIC if backend is None else backend
        options = BackendOptions(kind, device, precision, streams)
        self.backend = chosen_backend(opened, options, model, title, shapes)
        self._title = title
        self._batch_size = batch_size or self.backend.batch_gain

    @property
    def name(self) -> str:
        """What messages call it: the network, and what it runs on."""
        return f"network {self._title} ({self.backend.describe()})"

    @property
    def streams(self) -> int:
        """How many batches the backend works on at once."""
        return self.backend.streams

    @property
    def preferred_batch_size(self) -> int:
        """How many leaves a search should send at once for full speed."""
        return self._batch_size

    @property
    def precision(self) -> Precision:
        """The number format of the network's arithmetic."""
        return self.backend.precision

    @property
    def device(self) -> Device:
        """Where the network runs."""
        return self.backend.device

    @property
    def backend_name(self) -> str:
        """The library that runs it, with its version."""
        return self.backend.name

    def describe(self) -> str:
        """One line for people: the network, the library, the device and the precision."""
        return f"{self._title}: {self.backend.describe()}, batches of {self._batch_size}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.describe()})"
