"""A network compiled for the batches that come: request slots by shape, made when first needed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from honte.errors import HonteError
from honte.networks.backends import (
    Backend,
    BackendKind,
    BackendOptions,
    CompiledNetwork,
    RequestSlot,
    measured_backend,
    open_backend,
)

if TYPE_CHECKING:
    import onnx

InputShapes = Callable[[int], dict[str, tuple[int, ...]]]
"""The full shape of each input for a number of rows."""


_MEASURED_ROWS = 8


def chosen_backend(
    choice: Backend | None,
    options: BackendOptions,
    model: onnx.ModelProto,
    network: str,
    shapes: InputShapes,
) -> Backend:
    """``choice`` if one is open already, else what the options ask for on this network.

    Raises HonteError if both are given, or the options cannot be met.
    """
    if choice is not None:
        if options != BackendOptions():
            raise HonteError(
                "An open backend has its device, precision and streams: give either the backend "
                "or those."
            )
        return choice
    if options.kind is BackendKind.MEASURED:
        return measured_backend(options, model, shapes(_MEASURED_ROWS), network)
    return open_backend(options)


def padded_rows(rows: int, batch_size: int) -> int:
    """The compiled batch that serves ``rows``: a power of two, then multiples of the batch size.

    A function of the number of rows alone, so that a search finds the same numbers whichever
    batches went before.
    """
    power = 1 << (rows - 1).bit_length()
    if power <= batch_size:
        return power
    return -(-rows // batch_size) * batch_size


class Program:
    """One network on one backend, for inputs whose only open dimension is the batch.

    Batches of different sizes are compiled on demand and kept. Several threads may use it.
    """

    def __init__(
        self,
        backend: Backend,
        model: onnx.ModelProto,
        network: str,
        shapes: InputShapes,
        batch_size: int,
    ) -> None:
        self._backend = backend
        self._model = model
        self._network = network
        self._shapes = shapes
        self._batch_size = batch_size
        self._free: dict[int, list[RequestSlot]] = {}
        self._lock = threading.Lock()
        self._compiled: dict[int, CompiledNetwork] = {}

    def take(self, rows: int) -> tuple[int, RequestSlot]:
        """A free slot for at least ``rows`` rows, and its number of rows; give it back after."""
        size = padded_rows(rows, self._batch_size)
        free = self._free.get(size)
        if free:
            try:
                return size, free.pop()
            except IndexError:  # another thread was quicker
                pass
        with self._lock:
            if size not in self._compiled:
                self._compiled[size] = self._backend.compile(
                    self._model, self._shapes(size), self._network
                )
                self._free[size] = []
            return size, self._compiled[size].new_slot()

    def give_back(self, size: int, slot: RequestSlot) -> None:
        """Return a slot that is not in flight."""
        self._free[size].append(slot)
