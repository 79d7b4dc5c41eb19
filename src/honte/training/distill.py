"""Supervised learning and distillation: a network of Go from shards, with or without a teacher."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from honte.errors import HonteError
from honte.networks import from_katago, load
from honte.networks.katago_writer import write_katago
from honte.networks.network import Network
from honte.training.architecture import Architecture
from honte.training.batches import BatchStream, Place, make_batch
from honte.training.checkpoint import load_checkpoint, previous_of, save_checkpoint
from honte.training.katago_export import to_katago
from honte.training.learner import Learner, OptimiserOptions, has_fast_bfloat16
from honte.training.losses import LossWeights, Targets, losses, masked_logits, targets_of
from honte.training.networks import GoNetwork
from honte.training.runs import RunFolder
from honte.training.schedule import Schedule
from honte.training.shards import Shard, held_out_paths, shard_paths
from honte.training.teacher import label_shards, labels_path

FREE_TO_CHANGE = frozenset({"steps", "workers", "checkpoint_every", "samples"})
"""What a resumed run may be asked for anew: it changes the schedule or the speed alone."""


@dataclass(frozen=True, slots=True)
class DistillOptions:
    """A run of supervised learning; with a teacher, of distillation."""

    samples: Path
    """Folder of shards."""
    teacher: Path | None = None
    architecture: Architecture = field(default_factory=Architecture)
    optimiser: OptimiserOptions = field(default_factory=OptimiserOptions)
    weights: LossWeights = field(default_factory=LossWeights)
    steps: int = 6000
    batch_size: int = 128
    seed: int = 0
    checkpoint_every: int = 200
    """Steps between checkpoints, measurements and exports."""
    measured_rows: int = 4096
    """Held-out positions that the measurement along the way looks at."""

    def __post_init__(self) -> None:
        if self.batch_size % self.optimiser.workers:
            raise HonteError(
                f"A batch of {self.batch_size} cannot be shared by {self.optimiser.workers} "
                "workers: give a multiple."
            )
        if self.steps < 1 or self.batch_size < 1 or self.checkpoint_every < 1:
            raise HonteError("steps, batch_size and checkpoint_every are at least 1.")

    def as_config(self) -> dict[str, Any]:
        """What the run folder keeps, to notice a changed configuration."""
        optimiser = asdict(self.optimiser)
        workers = optimiser.pop("workers")
        return {
            "kind": "supervised" if self.teacher is None else "distill",
            "samples": str(self.samples),
            "teacher": None if self.teacher is None else self.teacher.name,
            "steps": self.steps,
            "batch_size": self.batch_size,
            "seed": self.seed,
            "checkpoint_every": self.checkpoint_every,
            "workers": workers,
            **{f"architecture.{name}": value for name, value in asdict(self.architecture).items()},
            **{f"optimiser.{name}": value for name, value in optimiser.items()},
            **{f"weights.{name}": value for name, value in asdict(self.weights).items()},
        }


@dataclass(frozen=True, slots=True)
class Progress:
    """What a live line shows."""

    step: int
    steps: int
    samples_per_second: float
    losses: dict[str, float]
    """Means since the last report."""
    held_out: dict[str, float] | None
    """Of the last measurement: ``top1``, the share of played moves that the policy ranks first;
    ``value``, the share of winners it names; at the end of the run also both ``…_of_all`` held-out
    positions."""
    waiting: float
    """The share of the time that training waited for data."""


def run_distill(
    folder: Path,
    options: DistillOptions,
    *,
    use_previous: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
) -> Network:
    """Train to the end, or go on with a run that was interrupted; returns the network.

    The folder holds the run: its checkpoint, metrics and ``network.bin.gz``, the latest export.
    ``use_previous`` goes on from the checkpoint before the last. Raises HonteError where the run
    in the folder has another configuration, or a file is missing or damaged.
    """
    torch.set_num_threads(1)
    if options.teacher is not None:
        load(options.teacher)  # a file that is no network is refused here, in one sentence
    run = RunFolder(folder)
    run.open(options.as_config(), FREE_TO_CHANGE)
    shards = shard_paths(options.samples)
    held_out = _HeldOut(options)
    torch.manual_seed(options.seed)
    learner: Learner[GoNetwork, Targets] = Learner(
        GoNetwork(options.architecture),
        options.optimiser,
        partial(_loss, options.weights),
        autocast=has_fast_bfloat16(),
    )
    place = Place()
    if run.checkpoint.exists():
        path = previous_of(run.checkpoint) if use_previous else run.checkpoint
        saved = load_checkpoint(path)
        learner.restore(saved["learner"])
        place = Place(*saved["place"])
        run.forget_after(learner.steps)
    labeller = _start_labelling(options, shards)
    teacher = options.teacher
    stream = BatchStream(
        shards,
        options.batch_size,
        options.seed,
        labels_of=None if teacher is None else lambda shard: labels_path(shard, teacher),
        alive=lambda: labeller is not None and labeller.is_alive(),
        start=place,
    )
    try:
        _train(run, options, learner, stream, place, held_out, on_progress)
    finally:
        stream.close()
        if labeller is not None:
            labeller.terminate()
    return export(learner.mean, folder.name, folder / "network.bin.gz")


def export(network: GoNetwork, name: str, path: Path) -> Network:
    """Write a trained network as a KataGo file; returns it as honte runs it."""
    model = to_katago(network, name)
    write_katago(model, path)
    return from_katago(model, file_size=path.stat().st_size)


def _loss(weights: LossWeights, network: GoNetwork, part: Targets) -> dict[str, Tensor]:
    outputs = network(part.spatial, part.numbers)
    with torch.autocast("cpu", enabled=False):
        return losses(outputs, part, weights)


def _start_labelling(
    options: DistillOptions, shards: list[Path]
) -> multiprocessing.process.BaseProcess | None:
    """A process that asks the teacher, in the order in which training will read."""
    if options.teacher is None:
        return None
    missing = [path for path in shards if not labels_path(path, options.teacher).exists()]
    if not missing:
        return None
    order = np.random.Generator(np.random.Philox(key=[options.seed, 0])).permutation(len(shards))
    process = multiprocessing.get_context("spawn").Process(
        target=label_shards,
        args=([shards[place] for place in order], options.teacher, os.getpid()),
        daemon=True,
    )
    process.start()
    return process


def _train(
    run: RunFolder,
    options: DistillOptions,
    learner: Learner[GoNetwork, Targets],
    stream: BatchStream,
    place: Place,
    held_out: _HeldOut,
    on_progress: Callable[[Progress], None] | None,
) -> None:
    schedule = Schedule(options.optimiser.learning_rate, options.steps)
    workers = options.optimiser.workers
    rows = options.batch_size // workers
    sums: dict[str, float] = {}
    counted = 0
    began, waited = time.perf_counter(), stream.waited
    measured: dict[str, float] | None = None

    def report() -> None:
        nonlocal counted, began, waited
        if on_progress is None or not counted:
            return
        seconds = time.perf_counter() - began
        means = {name: total / counted for name, total in sums.items()}
        speed = counted * options.batch_size / seconds
        share = (stream.waited - waited) / seconds
        on_progress(Progress(learner.steps, options.steps, speed, means, measured, share))

    while learner.steps < options.steps:
        batch, place = stream.next()
        targets = targets_of(batch, options.weights)
        parts = [targets.part(slice(w * rows, (w + 1) * rows)) for w in range(workers)]
        found = learner.step(parts, schedule.rate(learner.steps))
        for name, value in found.items():
            sums[name] = sums.get(name, 0.0) + value
        counted += 1
        if learner.steps % options.checkpoint_every == 0 or learner.steps == options.steps:
            last = learner.steps == options.steps
            measured = held_out.measure(learner.mean, options.measured_rows)
            if last:
                whole = held_out.measure(learner.mean, None)
                measured |= {f"{name}_of_all": value for name, value in whole.items()}
            save_checkpoint(
                run.checkpoint,
                {"learner": learner.state(), "place": [place.epoch, place.window, place.batch]},
            )
            export(learner.mean, run.path.name, run.path / "network.bin.gz")
            means = {f"loss/{name}": total / counted for name, total in sums.items()}
            seconds = time.perf_counter() - began
            run.log(
                learner.steps,
                {
                    **means,
                    **{f"held_out/{name}": value for name, value in measured.items()},
                    "speed/samples_per_second": counted * options.batch_size / seconds,
                    "speed/waiting": (stream.waited - waited) / seconds,
                    "learning_rate": schedule.rate(learner.steps - 1),
                },
            )
            report()
            sums, counted = {}, 0
            began, waited = time.perf_counter(), stream.waited
        elif counted % 10 == 0:
            report()


class _HeldOut:
    """Positions of games that training never sees."""

    def __init__(self, options: DistillOptions) -> None:
        self._shards = [Shard.load(path) for path in held_out_paths(options.samples)]

    def measure(self, network: GoNetwork, most: int | None) -> dict[str, float]:
        """Top-1 accuracy of the played moves and accuracy of the winner, where there are such.

        ``most`` rows, always the same ones drawn from all, or every one.
        """
        right = rows = winners = games = 0
        total = sum(map(len, self._shards))
        draw = np.random.Generator(np.random.Philox(key=[0, total]))
        for shard in self._shards:
            chosen = np.arange(len(shard))
            if most is not None and most < total:
                share = round(most * len(shard) / total)
                chosen = np.sort(draw.choice(chosen, share, replace=False))
            for start in range(0, len(chosen), 256):
                part = shard.take(chosen[start : start + 256])
                batch = make_batch(part, None, np.zeros(len(part), np.int64))
                targets = targets_of(batch, LossWeights())
                with (
                    torch.no_grad(),
                    torch.autocast("cpu", dtype=torch.bfloat16, enabled=has_fast_bfloat16()),
                ):
                    outputs = network(targets.spatial, targets.numbers)
                best = masked_logits(outputs, targets.spatial).argmax(dim=1)
                right += int((best == targets.action).sum())
                rows += int((targets.action >= 0).sum())
                known = np.isfinite(part.value) & (part.value != 0)
                said = (outputs.value[:, 0] > outputs.value[:, 1]).numpy()
                winners += int((said == (part.value > 0))[known].sum())
                games += int(known.sum())
        found = {}
        if rows:
            found["top1"] = right / rows
        if games:
            found["value"] = winners / games
        return found
