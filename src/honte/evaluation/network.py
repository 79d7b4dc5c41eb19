"""The evaluation of Go positions by a KataGo network."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honte import _core
from honte.errors import HonteError
from honte.evaluation.contract import Evaluation, Float, LeafBatch
from honte.evaluation.on_backend import OnBackend
from honte.evaluation.program import Program
from honte.networks import Network, Outputs, RawOutputs, interpret, load
from honte.networks.backends import Backend, BackendKind, Device, Precision
from honte.networks.layers import META_FEATURES
from honte.networks.outputs import mixed_policy_logits

SPATIAL_PLANES = 22
GLOBAL_FEATURES = 19
_SIMPLE_KO, _TERRITORY = 6, 9  # the globals that tell whether a game can end without result


class NetworkEvaluator(OnBackend):
    """Answers leaves of Go with a KataGo network; several batches can be under way at once.

    Boards of every size share one evaluator: for each board shape and batch size that comes, the
    network is compiled once. Batches are padded to the next power of two of rows.

    ``network``: a :class:`~honte.networks.Network`, or the path of its file.
    ``backend``: a :class:`~honte.networks.backends.BackendKind` (``MEASURED`` times every installed
    library on this network first), a :class:`~honte.networks.backends.Backend` that is open
    already, or None for the best guess. ``device``, ``precision`` and ``streams`` are None for the
    machine's best: on a CPU bfloat16 where the processor has it, and a stream a core.
    ``batch_size`` is what a search is asked to send at once.
    ``policy_optimism``, from 0 to 1, moves the policy towards the optimistic one of networks that
    have it.

    Raises HonteError for a bad file or argument, or if the backend cannot do what is asked.
    """

    def __init__(
        self,
        network: Network | str | Path,
        *,
        backend: Backend | BackendKind | None = None,
        device: Device | None = None,
        precision: Precision | None = None,
        streams: int | None = None,
        batch_size: int | None = None,
        policy_optimism: float = 0.0,
    ) -> None:
        self.network = network if isinstance(network, Network) else load(network)
        if not 0.0 <= policy_optimism <= 1.0:
            raise HonteError(f"Policy optimism is from 0 to 1, not {policy_optimism}.")
        self.policy_optimism = policy_optimism
        self._as_if_suicide = self.network.description.pass_alive_as_if_suicide
        scales = self.network.output_scales
        self._scales = scales
        self._value_scales = _core.ValueScales(
            scales.version,
            scales.score_mean,
            scales.score_stdev,
            scales.lead,
            scales.short_term_value,
        )
        self._knows_errors = self.network.description.has_short_term_errors
        self._model = self.network.model()
        super().__init__(
            self._model,
            self.network.name,
            lambda rows: self.input_shapes(rows, (19, 19)),
            backend=backend,
            device=device,
            precision=precision,
            streams=streams,
            batch_size=batch_size,
        )
        self._programs: dict[tuple[int, int], Program] = {}
        self._lock = threading.Lock()

    def warm_up(self, board_shape: tuple[int, int]) -> None:
        """Compile for boards of (height, width) now, so that no search has to wait for it."""
        for _ in self.warm_up_steps(board_shape):
            pass

    def warm_up_steps(self, board_shape: tuple[int, int]) -> Iterator[None]:
        """As :meth:`warm_up`, one size of batch a step, so that a caller may turn to other work."""
        program = self._program(board_shape)
        rows = 1
        while rows <= self._batch_size:
            size, slot = program.take(rows)
            program.give_back(size, slot)
            yield
            rows *= 2

    def submit(self, batch: LeafBatch) -> PendingNetwork:
        """Encode the batch's positions and start the network on them.

        ``result()`` of what this returns waits for the answer; its arrays are the caller's own.
        Raises ``TypeError`` for positions of any other game than Go.
        """
        program = self._program(batch.board_shape)
        rows = batch.size
        size, slot = program.take(rows)
        inputs = slot.inputs
        try:
            batch.write_katago_features(inputs["spatial"], inputs["global"], self._as_if_suicide)
        except BaseException:
            program.give_back(size, slot)
            raise
        slot.start()
        return PendingNetwork(self, program, size, slot, rows, batch.wants_ownership)

    def __call__(self, batch: LeafBatch) -> Evaluation:
        return self.submit(batch).result()

    def evaluate(self, states: Sequence[Any], symmetries: Sequence[int] | None = None) -> Outputs:
        """Everything the network says of Go positions, for tools.

        ``states`` are N :class:`honte.games.go.GoState` of one board shape (H, W), none of them a
        finished game. Each is shown to the network under its symmetry (KataGo's numbers; none: as
        it is) and the answer is turned back. All values are from the side to move. Raises
        HonteError if the shapes differ, a symmetry does not keep the board's shape, or the
        network's numbers are not finite.
        """
        states = list(states)
        if not states:
            raise HonteError("There is no position to evaluate: give at least one.")
        symmetries = [0] * len(states) if symmetries is None else list(symmetries)
        if len(symmetries) != len(states):
            raise HonteError(
                f"{len(states)} positions need as many symmetries, not {len(symmetries)}."
            )
        height, width = states[0].height, states[0].width
        for state, symmetry in zip(states, symmetries, strict=True):
            if (state.height, state.width) != (height, width):
                raise HonteError(
                    f"Positions that are evaluated together need one board shape, not "
                    f"{width}×{height} and {state.width}×{state.height}."
                )
            if not 0 <= symmetry < state.num_symmetries():
                raise HonteError(
                    f"A {width}×{height} board has the symmetries 0 to "
                    f"{state.num_symmetries() - 1}, not {symmetry}."
                )
        actions = height * width + 1
        program = self._program((height, width))
        answers = []
        for first in range(0, len(states), self._batch_size):
            part = slice(first, first + self._batch_size)
            rows = len(states[part])
            size, slot = program.take(rows)
            spatial, globals_ = slot.inputs["spatial"], slot.inputs["global"]
            for row, (state, symmetry) in enumerate(
                zip(states[part], symmetries[part], strict=True)
            ):
                spatial[row], globals_[row] = _core.katago_features(
                    state, width, height, symmetry, self._as_if_suicide
                )
            slot.start()
            slot.wait()
            raw = {name: output[:rows].copy() for name, output in slot.outputs.items()}
            self._refuse_if_not_finite(raw)
            for row, (state, symmetry) in enumerate(
                zip(states[part], symmetries[part], strict=True)
            ):
                shown = [state.transform_action(action, symmetry) for action in range(actions)]
                raw["policy"][row] = raw["policy"][row][:, shown]
                raw["ownership"][row] = (
                    raw["ownership"][row].reshape(-1)[shown[:-1]].reshape(height, width)
                )
            answers.append((raw, no_result_possible(globals_[:rows])))
            program.give_back(size, slot)
        legal = np.zeros((len(states), actions), np.bool_)
        for row, state in enumerate(states):
            legal[row, state.legal_actions()] = True
        joined = {
            name: np.concatenate([raw[name] for raw, _ in answers])
            for name in ("policy", "value", "misc", "ownership")
        }
        return interpret(
            RawOutputs(**joined),
            scales=self._scales,
            legal=legal,
            on_board=np.ones((len(states), height, width), np.bool_),
            no_result_possible=np.concatenate([possible for _, possible in answers]),
            policy_optimism=self.policy_optimism,
        )

    def _program(self, board_shape: tuple[int, int]) -> Program:
        program = self._programs.get(board_shape)
        if program is None:
            with self._lock:
                program = self._programs.setdefault(
                    board_shape,
                    Program(
                        self.backend,
                        self._model,
                        self.network.name,
                        lambda rows: self.input_shapes(rows, board_shape),
                        self._batch_size,
                    ),
                )
        return program

    def _refuse_if_not_finite(self, raw: dict[str, Float]) -> None:
        for name, output in raw.items():
            if not np.isfinite(output).all():
                raise HonteError(
                    f"The {self.name} answered with a number that is not finite in its output "
                    f"{name}: the file is damaged, or the precision too low for it."
                )

    def input_shapes(self, rows: int, board_shape: tuple[int, int]) -> dict[str, tuple[int, ...]]:
        """The full shape of each of the network's inputs for a number of rows."""
        shapes: dict[str, tuple[int, ...]] = {
            "spatial": (rows, SPATIAL_PLANES, *board_shape),
            "global": (rows, GLOBAL_FEATURES),
        }
        if self.network.description.reads_players:
            # Left at zero: nothing is said of the players.
            shapes["meta"] = (rows, META_FEATURES)
        return shapes


class PendingNetwork:
    """A batch that a network works on."""

    __slots__ = ("_evaluator", "_program", "_rows", "_size", "_slot", "_wants_ownership")

    def __init__(
        self,
        evaluator: NetworkEvaluator,
        program: Program,
        size: int,
        slot: Any,
        rows: int,
        wants_ownership: bool,
    ) -> None:
        self._evaluator = evaluator
        self._program = program
        self._size = size
        self._slot = slot
        self._rows = rows
        self._wants_ownership = wants_ownership

    def result(self) -> Evaluation:
        """Wait for the answer, once.

        Numbers are passed on as they are: the search refuses what is not finite, row by row.
        """
        slot, rows, evaluator = self._slot, self._rows, self._evaluator
        try:
            slot.wait()
            outputs, scales = slot.outputs, evaluator._value_scales
            ownership = None
            if self._wants_ownership:
                ownership = np.tanh(outputs["ownership"][:rows]).reshape(rows, -1)
            numbers = _core.read_katago_values(
                outputs["value"], outputs["misc"], slot.inputs["global"], rows, scales
            )
            value, score_mean, score_stdev, score_lead, no_result, uncertainty = numbers
            return Evaluation(
                value=value,
                policy_logits=np.array(
                    mixed_policy_logits(outputs["policy"][:rows], evaluator.policy_optimism)
                ),
                score_mean=score_mean,
                score_stdev=score_stdev,
                score_lead=score_lead,
                no_result=no_result,
                uncertainty=uncertainty if evaluator._knows_errors else None,
                ownership=ownership,
            )
        finally:
            self._program.give_back(self._size, slot)


def no_result_possible(globals_: Float) -> NDArray[np.bool_]:
    """Whether a game can end without result in each row of the global features: simple ko, or
    territory scoring."""
    possible: NDArray[np.bool_] = (globals_[:, _SIMPLE_KO] == 0) | (globals_[:, _TERRITORY] != 0)
    return possible
