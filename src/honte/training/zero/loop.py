"""The loop: play, learn, measure; at any moment it can be killed and goes on.

An iteration is a round of games, kept as one file, and then the steps of learning that its samples
are worth. What there is to do next follows from the files alone: the rounds on disk and the steps
in the checkpoint. A round is a function of the seed and the network, and a step of the seed and the
rounds, so a run that was interrupted makes the same network as one that was not.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import onnx
from torch import nn

from honte.evaluation import Evaluator, Rollout
from honte.networks.layers import GLOBAL_FEATURES
from honte.training.checkpoint import load_checkpoint, previous_of, save_checkpoint
from honte.training.runs import RunFolder
from honte.training.zero.arena import Side
from honte.training.zero.config import MeasuringTable, ZeroConfig
from honte.training.zero.game import ZeroGame, open_game
from honte.training.zero.learning import (
    evaluator_of,
    export,
    model_of,
    network_file,
)
from honte.training.zero.lessons import (
    STEPS_BETWEEN_CHECKPOINTS,
    Lesson,
    TakeSteps,
    new_learner,
    steps_here,
)
from honte.training.zero.measuring import ELO_NAME, Measuring
from honte.training.zero.replay import Replay, ZeroSamples
from honte.training.zero.self_play import OnProgress, SelfPlayReport, play_games

FREE_TO_CHANGE = frozenset(
    {"iterations", "training.workers"}
    | {f"measuring.{name}" for name in MeasuringTable.model_fields}
)


@dataclass(frozen=True, slots=True)
class ZeroProgress:
    """What a live line shows."""

    iteration: int
    iterations: int
    doing: str
    games: int
    """Of the whole run."""
    positions_per_second: float
    """Evaluations a second of the last round of self-play; playouts, where it was of those."""
    utilisation: float | None
    """Those over what the backend alone answers in a second; None before it was measured, and of
    playouts."""
    samples_per_second: float
    """Learned from in the last iteration."""
    waiting: float
    """The share of that time in which batches were drawn and nothing was learned."""
    losses: dict[str, float]
    elo: float | None
    """Of the last measurement; the fixed opponent has 0."""


PlayRound = Callable[[nn.Module, str, range, OnProgress], tuple[ZeroSamples, SelfPlayReport]]
"""Plays games of a network with itself: gets the network, its name, the numbers of the games and
whom to tell; gives the samples in the games' order."""


def run_zero(
    folder: Path,
    config: ZeroConfig,
    *,
    use_previous: bool = False,
    on_progress: Callable[[ZeroProgress], None] | None = None,
    play_round: PlayRound | None = None,
    take_steps: TakeSteps | None = None,
) -> Path:
    """Run to the last iteration, or go on; returns the file of the network.

    ``play_round`` plays the games, ``take_steps`` learns from them; None: this process does.

    Raises HonteError where the folder holds a run of another configuration, a checkpoint is
    damaged (the last good one is named), or the disk is full.
    """
    loop = _Loop(folder, config, use_previous, on_progress, play_round, take_steps)
    return loop.run()


class _Loop:
    def __init__(
        self,
        folder: Path,
        config: ZeroConfig,
        use_previous: bool,
        on_progress: Callable[[ZeroProgress], None] | None,
        play_round: PlayRound | None,
        take_steps: TakeSteps | None,
    ) -> None:
        self.config = config
        self.game: ZeroGame = open_game(config.game)
        self.folder = RunFolder(folder)
        self.folder.open(
            {"kind": "zero", **_flat(config.model_dump(mode="json"))},
            FREE_TO_CHANGE,
            _flat(ZeroConfig().model_dump(mode="json")),
        )
        self.replay = Replay(folder / "games")
        self.on_progress = on_progress
        self._play_round = play_round or self._play_here
        self.learner = new_learner(config)
        self._take_steps = take_steps or steps_here(config)
        self.playing = copy.deepcopy(self.learner.mean) if config.gating.games else None
        """With gating: the network that plays until a new one beats it."""
        self.counts: list[int] = []
        """Samples of each round."""
        self.iteration = 0
        """Iterations learned from in full."""
        self.losses: dict[str, float] = {}
        self.measuring = Measuring(self.game, config, folder)
        self.speed = self.learning_speed = self.waiting = 0.0
        self.utilisation: float | None = None
        self._processor_before = 0.0
        """Processor time of the run's earlier starts, as far as they were saved, seconds."""
        self._began = time.process_time()
        checkpoint = self.folder.checkpoint
        if checkpoint.exists():
            saved = load_checkpoint(previous_of(checkpoint) if use_previous else checkpoint)
            self.learner.restore(saved["learner"])
            self.iteration = int(saved["iteration"])
            self.counts = [int(count) for count in saved["counts"]]
            self._processor_before = float(saved.get("processor", 0.0))
            if self.playing is not None:
                self.playing.load_state_dict(saved["playing"])
            self.folder.forget_after(self.iteration)
        measured = [line[ELO_NAME] for line in self.folder.metrics() if ELO_NAME in line]
        self.elo: float | None = measured[-1] if measured else None

    def run(self) -> Path:
        file = network_file(self.folder.path, self.learner.mean, self.game)
        while self.iteration < self.config.iterations:
            if len(self.counts) <= self.iteration:
                self._play()
            self._learn()
            export(self._best, self.folder.path.name, file)
        if not file.exists():
            export(self._best, self.folder.path.name, file)
        return file

    @property
    def _processor(self) -> float:
        """Seconds of processor time, of all cores and every start of the run."""
        return self._processor_before + time.process_time() - self._began

    @property
    def _best(self) -> nn.Module:
        """The network that plays."""
        return self.learner.mean if self.playing is None else self.playing

    def _play(self) -> None:
        """One round of games, unless the disk has it already."""
        iteration = self.iteration
        if not self.replay.path(iteration).exists():
            first = iteration * self.config.self_play.games
            by_playouts = iteration < self.config.self_play.playout_rounds
            play_round = self._play_by_playouts if by_playouts else self._play_round
            samples, made = play_round(
                self._best,
                f"{self.folder.path.name}-{iteration}",
                range(first, first + self.config.self_play.games),
                self._hear_of_games,
            )
            self.speed = made.evaluations / max(1e-9, made.seconds)
            self._log_round(iteration, made, len(samples))
            self.replay.add(iteration, samples)
        self.counts.append(len(self.replay.load(iteration)))
        self._save()

    def _hear_of_games(self, done: int, games: int, so_far: SelfPlayReport) -> None:
        self.speed = so_far.evaluations / max(1e-9, so_far.seconds)
        self._tell(f"playing {done}/{games}")

    def _play_here(
        self, network: nn.Module, name: str, numbers: range, on_progress: OnProgress
    ) -> tuple[ZeroSamples, SelfPlayReport]:
        table = self.config.self_play
        evaluator = evaluator_of(network, name, self.game, table.batch_size)
        samples, made = play_games(
            self.game,
            table,
            evaluator,
            numbers.start,
            self.config.seed,
            on_progress=on_progress,
        )
        model = model_of(network, name)
        if model is not None:
            speed = made.evaluations / max(1e-9, made.seconds)
            self.utilisation = speed / backend_speed(evaluator, model, self.game)
        return samples, made

    def _play_by_playouts(
        self, network: nn.Module, name: str, numbers: range, on_progress: OnProgress
    ) -> tuple[ZeroSamples, SelfPlayReport]:
        """Games of random playouts, which need no network and no other machine."""
        self.utilisation = None
        return play_games(
            self.game,
            self.config.self_play,
            Rollout(),
            numbers.start,
            self.config.seed,
            on_progress=on_progress,
        )

    def _log_round(self, iteration: int, made: SelfPlayReport, samples: int) -> None:
        self.folder.log(
            iteration,
            {
                "self_play/samples": float(samples),
                "self_play/moves_a_game": made.moves / made.games,
                "self_play/first_player_wins": made.first_wins / made.games,
                "self_play/draws": made.draws / made.games,
                "self_play/evaluations_per_second": self.speed,
                **({} if self.utilisation is None else {"self_play/utilisation": self.utilisation}),
                "self_play/resigned": float(made.resigned),
                "self_play/wrongly_resigned": float(made.wrongly_resigned),
            },
        )

    def _learn(self) -> None:
        """The steps that the rounds so far are worth."""
        training = self.config.training
        lesson = Lesson(
            counts=tuple(self.counts),
            until=int(sum(self.counts) * training.uses / training.batch_size),
            rate=learning_rate(self.config, self.iteration),
        )
        sums: dict[str, float] = {}
        began, clock, waited = self.learner.steps, time.perf_counter(), 0.0
        for done, step in enumerate(self._take_steps(self.learner, self.replay, lesson), 1):
            for name, value in step.losses.items():
                sums[name] = sums.get(name, 0.0) + value
            self.losses = {name: total / done for name, total in sums.items()}
            waited += step.waited
            taken = time.perf_counter() - clock
            self.learning_speed = done * training.batch_size / taken
            self.waiting = waited / taken
            if (began + done) % 10 == 0:
                self._tell("learning")
            if done % STEPS_BETWEEN_CHECKPOINTS == 0:
                self._save()
        self.iteration += 1
        values = {f"loss/{name}": value for name, value in self.losses.items()}
        values["learning/samples_per_second"] = round(self.learning_speed, 1)
        values["learning/waiting"] = round(self.waiting, 4)
        values["run/processor_seconds"] = round(self._processor, 1)
        if self.playing is not None:
            values.update(self._gate(self.playing))
        every = self.config.measuring.every
        if every and self.iteration % every == 0:
            self._tell("measuring")
            earlier = [line for line in self.folder.metrics() if line["step"] < self.iteration]
            values.update(self.measuring.measure(self._best, self.iteration, earlier))
            self.elo = values[ELO_NAME]
        self._save()
        self.folder.log(self.iteration, values)

    def _gate(self, playing: nn.Module) -> dict[str, float]:
        """Let the new network play if it beats the one that does."""
        self._tell("gating")
        table = self.config.gating
        search = self.measuring.search
        new, old = (
            Side(search, self._evaluator(network), table.visits)
            for network in (self.learner.mean, playing)
        )
        wins, draws, _ = self.measuring.play(new, old, table.games, self._seed_of_gate())
        score = (wins + draws / 2) / table.games
        if score >= table.share:
            playing.load_state_dict(self.learner.mean.state_dict())
        return {"gating/score": score, "gating/taken_over": float(score >= table.share)}

    def _seed_of_gate(self) -> int:
        # Other games than those of the measurement at the same iteration.
        return self.config.seed + (1 << 32) + self.iteration

    def _evaluator(self, network: nn.Module) -> Evaluator:
        name = f"{self.folder.path.name}-{self.iteration}"
        return evaluator_of(network, name, self.game, self.config.self_play.batch_size)

    def _save(self) -> None:
        save_checkpoint(
            self.folder.checkpoint,
            {
                "learner": self.learner.state(),
                "iteration": self.iteration,
                "counts": self.counts,
                "processor": self._processor,
                **({} if self.playing is None else {"playing": self.playing.state_dict()}),
            },
        )

    def _tell(self, doing: str) -> None:
        if self.on_progress is not None:
            games = (self.iteration + (len(self.counts) > self.iteration)) * (
                self.config.self_play.games
            )
            self.on_progress(
                ZeroProgress(
                    self.iteration,
                    self.config.iterations,
                    doing,
                    games,
                    self.speed,
                    self.utilisation,
                    self.learning_speed,
                    self.waiting,
                    self.losses,
                    self.elo,
                )
            )


def learning_rate(config: ZeroConfig, iteration: int) -> float:
    """The rate of an iteration, counted from 0."""
    training = config.training
    left = (config.iterations - 1 - iteration) / config.iterations
    fall = 1.0 if left >= training.falls_over else left / training.falls_over
    return training.learning_rate * max(0.1, fall)


def _flat(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, dict):
            flat.update(_flat(value, f"{prefix}{name}."))
        else:
            flat[f"{prefix}{name}"] = value
    return flat


def batch_shapes(evaluator: Any, game: ZeroGame) -> dict[str, tuple[int, ...]]:
    """The inputs of a network of the game, in batches as the search sends them."""
    rows = int(evaluator.preferred_batch_size)
    if game.is_go:
        return {"spatial": (rows, *game.shape), "global": (rows, GLOBAL_FEATURES)}
    return {"observation": (rows, *game.shape)}


def backend_speed(
    evaluator: Any, model: onnx.ModelProto, game: ZeroGame, seconds: float = 0.3
) -> float:
    """Rows a second of the backend alone on this network, in batches as the search sends them."""
    from honte.networks.backends.choice import batches_per_second

    shapes = batch_shapes(evaluator, game)
    batches = batches_per_second(evaluator.backend, model, shapes, "network", seconds=seconds)
    return int(evaluator.preferred_batch_size) * batches
