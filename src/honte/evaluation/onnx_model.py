"""The evaluation of any game by a network of the user's own, as an ONNX graph."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from honte.errors import HonteError
from honte.evaluation.contract import Evaluation, LeafBatch
from honte.evaluation.on_backend import OnBackend
from honte.evaluation.program import Program
from honte.networks.backends import Backend, BackendKind, Device, Precision, RequestSlot

if TYPE_CHECKING:
    import onnx


class OnnxEvaluator(OnBackend):
    """Answers leaves with an ONNX graph over the game's own observation planes.

    The graph has one float32 input [B, …], which is filled with the game's observation in the
    order of its numbers, and two outputs named ``policy`` (logits [B, A]) and ``value`` ([B] or
    [B, 1], in [−1, 1], from the side to move). ``observation_shape`` is the input's shape without
    the batch, for graphs that leave it open. The other arguments are those of
    :class:`~honte.evaluation.NetworkEvaluator`.

    Raises HonteError for a file that is not such a graph, or if the backend cannot do what is
    asked.
    """

    def __init__(
        self,
        model: onnx.ModelProto | str | Path,
        *,
        observation_shape: tuple[int, ...] | None = None,
        backend: Backend | BackendKind | None = None,
        device: Device | None = None,
        precision: Precision | None = None,
        streams: int | None = None,
        batch_size: int | None = None,
    ) -> None:
        if isinstance(model, (str, Path)):
            title = Path(model).name
            model = _read(Path(model))
        else:
            title = model.graph.name or "of the model given"
        self._input, shape = _observation_input(model, title, observation_shape)
        self._size = math.prod(shape)

        def shapes(rows: int) -> dict[str, tuple[int, ...]]:
            return {self._input: (rows, *shape)}

        super().__init__(
            model,
            title,
            shapes,
            backend=backend,
            device=device,
            precision=precision,
            streams=streams,
            batch_size=batch_size,
        )
        self._program = Program(self.backend, model, title, shapes, self._batch_size)

    def submit(self, batch: LeafBatch) -> PendingOnnx:
        """Start the network on the batch's observations.

        Raises HonteError if the game's observations do not fit the graph's input.
        """
        rows = batch.size
        observations = batch.observations()
        if observations.shape[1] != self._size:
            raise HonteError(
                f"The network {self._title} takes {self._size} numbers for a position and the game "
                f"gives {observations.shape[1]}."
            )
        size, slot = self._program.take(rows)
        slot.inputs[self._input].reshape(size, self._size)[:rows] = observations
        slot.start()
        return PendingOnnx(self, size, slot, rows, batch.num_actions)

    def __call__(self, batch: LeafBatch) -> Evaluation:
        return self.submit(batch).result()


class PendingOnnx:
    """A batch that a network works on."""

    __slots__ = ("_actions", "_evaluator", "_rows", "_size", "_slot")

    def __init__(
        self, evaluator: OnnxEvaluator, size: int, slot: RequestSlot, rows: int, actions: int
    ) -> None:
        self._evaluator = evaluator
        self._size = size
        self._slot = slot
        self._rows = rows
        self._actions = actions

    def result(self) -> Evaluation:
        """Wait for the answer, once. Raises HonteError for a policy of another size than the
        game's.

        Numbers are passed on as they are: the search refuses what is not finite, row by row.
        """
        evaluator, rows = self._evaluator, self._rows
        try:
            self._slot.wait()
            policy = np.array(self._slot.outputs["policy"][:rows])
            value = np.array(self._slot.outputs["value"][:rows]).reshape(-1)
        finally:
            evaluator._program.give_back(self._size, self._slot)
        if policy.shape != (rows, self._actions) or value.shape != (rows,):
            raise HonteError(
                f"The network {evaluator._title} gives a policy of shape {list(policy.shape)} and "
                f"{value.size} values for {rows} positions of a game with {self._actions} actions."
            )
        return Evaluation(value=value, policy_logits=policy)


def _read(path: Path) -> onnx.ModelProto:
    import onnx
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped]

    try:
        return onnx.load_model(path)
    except FileNotFoundError:
        raise HonteError(f"There is no network file at {path}.") from None
    except (OSError, DecodeError, onnx.checker.ValidationError) as error:
        raise HonteError(f"{path} cannot be read as an ONNX network: {error}.") from None


def _observation_input(
    model: onnx.ModelProto, name: str, observation_shape: tuple[int, ...] | None
) -> tuple[str, tuple[int, ...]]:
    """The graph's one input, and its shape without the batch."""
    weights = {tensor.name for tensor in model.graph.initializer}
    inputs = [value for value in model.graph.input if value.name not in weights]
    outputs = {value.name for value in model.graph.output}
    if len(inputs) != 1 or not {"policy", "value"} <= outputs:
        raise HonteError(
            f"The network {name} needs one input and the outputs 'policy' and 'value'; it has the "
            f"inputs {[value.name for value in inputs]} and the outputs {sorted(outputs)}."
        )
    dimensions = inputs[0].type.tensor_type.shape.dim[1:]
    if observation_shape is None:
        observation_shape = tuple(dimension.dim_value for dimension in dimensions)
    if len(observation_shape) != len(dimensions) or any(
        size < 1 or (dimension.HasField("dim_value") and dimension.dim_value != size)
        for size, dimension in zip(observation_shape, dimensions, strict=False)
    ):
        stated = [dimension.dim_value or "open" for dimension in dimensions]
        raise HonteError(
            f"The network {name} has the input {inputs[0].name} of shape [B, "
            f"{', '.join(map(str, stated))}]: give an observation_shape that fits it."
        )
    return inputs[0].name, observation_shape
