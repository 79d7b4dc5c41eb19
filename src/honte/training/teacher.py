"""A teacher's answers to the samples of shards, through honte's own backends."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import numpy as np

from honte.evaluation.network import no_result_possible
from honte.evaluation.program import Program
from honte.networks import Network, RawOutputs, interpret, load
from honte.networks.backends import BackendOptions, open_backend
from honte.networks.layers import GLOBAL_FEATURES, SPATIAL_PLANES
from honte.training.shards import Shard, TeacherLabels


def labels_path(shard: Path, teacher: Path) -> Path:
    """Where a teacher's labels of a shard are kept: named by the content of its file."""
    with open(teacher, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()[:12]
    return shard.parent / "labels" / digest / shard.name


class Teacher:
    """A network that says what it thinks of samples."""

    def __init__(self, network: Network | Path, *, streams: int = 1, batch_size: int = 32) -> None:
        self.network = network if isinstance(network, Network) else load(network)
        self._backend = open_backend(BackendOptions(streams=streams))
        self._model = self.network.model()
        self._batch_size = batch_size
        self._programs: dict[tuple[int, int], Program] = {}

    def label(self, shard: Shard) -> TeacherLabels:
        """The teacher's view of every row, from its side to move.

        Occupied points and points banned by ko get no probability; a move that only the ban of
        suicide forbids may keep the little that the teacher gives it.
        """
        height, width = shape = shard.board_shape
        program = self._program(shape)
        starts = range(0, len(shard), self._batch_size)
        parts: list[dict[str, Any]] = []
        waiting: list[tuple[int, Any, int]] = []

        def receive() -> None:
            size, slot, rows = waiting.pop(0)
            slot.wait()
            parts.append({name: np.array(out[:rows]) for name, out in slot.outputs.items()})
            program.give_back(size, slot)

        for start in starts:
            part = shard.take(np.arange(start, min(len(shard), start + self._batch_size)))
            size, slot = program.take(len(part))
            slot.inputs["spatial"][: len(part)] = part.spatial()
            slot.inputs["global"][: len(part)] = part.numbers
            slot.start()
            waiting.append((size, slot, len(part)))
            if len(waiting) > self._backend.streams:
                receive()
        while waiting:
            receive()
        raw = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        spatial = shard.spatial()
        closed = (spatial[:, 1] | spatial[:, 2] | spatial[:, 6]).reshape(len(shard), -1)
        legal = np.concatenate((closed == 0, np.ones((len(shard), 1), np.bool_)), axis=1)
        said = interpret(
            RawOutputs(**{n: raw[n] for n in ("policy", "value", "misc", "ownership")}),
            scales=self.network.output_scales,
            legal=legal,
            on_board=np.ones((len(shard), height, width), np.bool_),
            no_result_possible=no_result_possible(shard.numbers),
        )
        values = said.values
        return TeacherLabels(
            policy=said.policy.astype(np.float16),
            value=np.stack((values.win, values.loss, values.no_result), axis=1).astype(np.float16),
            score=np.stack((values.score_mean, values.score_stdev, values.lead), axis=1),
            ownership=np.rint(said.ownership * 127).astype(np.int8),
        )

    def _program(self, shape: tuple[int, int]) -> Program:
        if shape not in self._programs:
            self._programs[shape] = Program(
                self._backend,
                self._model,
                self.network.name,
                lambda rows: {
                    "spatial": (rows, SPATIAL_PLANES, *shape),
                    "global": (rows, GLOBAL_FEATURES),
                },
                self._batch_size,
            )
        return self._programs[shape]


def label_shards(shards: list[Path], teacher: Path, parent: int | None = None) -> None:
    """Label every shard that has no labels yet, in this order; what is there stays.

    Runs in a process of its own beside training; it ends when the process ``parent`` is gone.
    """
    model: Teacher | None = None
    for path in shards:
        target = labels_path(path, teacher)
        if target.exists():
            continue
        if parent is not None and os.getppid() != parent:
            return
        if model is None:
            model = Teacher(teacher)
        target.parent.mkdir(parents=True, exist_ok=True)
        model.label(Shard.load(path)).save(target)
