"""The learner of a run on a machine of a cluster: one with a GPU where there is one.

The driver keeps what is learned. It sends the rounds that are new, and has the state back with
every checkpoint; a learner that is lost is begun anew from there on another machine.
"""

from __future__ import annotations

import io
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from honte.cluster.connection import Cluster, Machine, on
from honte.cluster.workforce import GPU_OF_LEARNER, MOST_LOSSES, PATIENCE
from honte.errors import HonteError
from honte.training.zero.config import ZeroConfig
from honte.training.zero.game import open_game
from honte.training.zero.replay import Replay, ZeroSamples

if TYPE_CHECKING:
    from honte.training.zero.lessons import Lesson, Step, ZeroLearner

LOOK_UP = 2.0
"""Seconds of learning between two signs of life."""


@dataclass(frozen=True, slots=True)
class Task:
    """Steps for a learner elsewhere, and what it does not know yet."""

    lesson: Lesson
    window: range
    """The rounds to learn from."""
    rounds: dict[int, bytes]
    """Those of them that are new to it: what is in their files."""
    state: bytes | None
    """Where to begin; None: where it is."""
    report_at: int
    """The step at which its state is wanted back."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of it so far."""

    steps: tuple[Step, ...]
    """Those since the last answer."""
    state: bytes | None = None
    """At the step where it was wanted."""
    failure: str | None = None
    """Why it cannot go on; a sentence."""


class LearnerDesk:
    """A learner in a process of a machine. Ray calls one method at a time."""

    def __init__(self, config: ZeroConfig) -> None:
        self._config = config
        self._rounds: dict[int, ZeroSamples] = {}
        self._window: tuple[range, ZeroSamples] | None = None
        self._learner: ZeroLearner | None = None

    def greet(self) -> tuple[str, str | None]:
        """Set everything up: PyTorch's name of where it learns, and why it cannot, if so."""
        try:
            import torch

            from honte.training.zero.lessons import new_learner
        except ImportError:
            return "", "has no PyTorch: pip install 'honte[cluster,train]'"
        device = "cuda" if torch.cuda.is_available() else "cpu"
        try:
            self._learner = new_learner(self._config, device)
        except HonteError as error:
            return device, f"cannot learn: {error}"
        return device, None

    def learn(self, task: Task) -> Taken:
        """Take steps for a while, or to where the state is wanted."""
        from honte.training.zero.lessons import steps

        assert self._learner is not None
        done: list[Step] = []
        began = time.monotonic()
        try:
            if task.state is not None:
                self._learner.restore(unpacked_state(task.state))
            window = self._samples(task)
            game = open_game(self._config.game)
            for step in steps(self._learner, window, game, self._config, task.lesson):
                done.append(step)
                if self._learner.steps == task.report_at:
                    return Taken(tuple(done), packed_state(self._learner))
                if time.monotonic() > began + LOOK_UP:
                    break
        except HonteError as error:
            return Taken(tuple(done), failure=str(error))
        return Taken(tuple(done))

    def _samples(self, task: Task) -> ZeroSamples:
        for number, content in task.rounds.items():
            with tempfile.TemporaryDirectory(prefix="honte-") as folder:
                path = Path(folder) / f"{number}.npz"
                path.write_bytes(content)
                self._rounds[number] = ZeroSamples.load(path)
        if self._window is None or self._window[0] != task.window:
            self._rounds = {number: self._rounds[number] for number in task.window}
            self._window = task.window, ZeroSamples.join(self._rounds.values())
        return self._window[1]


def packed_state(learner: ZeroLearner) -> bytes:
    """A learner's state as it travels."""
    import torch

    buffer = io.BytesIO()
    torch.save(learner.state(), buffer)
    return buffer.getvalue()


def unpacked_state(content: bytes) -> dict[str, Any]:
    """The inverse of :func:`packed_state`."""
    import torch

    state: dict[str, Any] = torch.load(io.BytesIO(content), weights_only=True, map_location="cpu")
    return state


@dataclass(eq=False)
class _Elsewhere:
    """The process that learns, and what it knows."""

    machine: Machine
    actor: Any
    synced: int | None = None
    """The step at which it was told, or told us, its state."""
    steps: list[Step] = field(default_factory=list)
    """Its steps since then."""
    rounds: frozenset[int] = frozenset()


class ClusterLearning:
    """Takes the steps of a run, as :func:`honte.training.zero.loop.run_zero` asks for them.

    ``on_notice`` hears in a sentence where it learns, and of machines that are lost or cannot.
    """

    def __init__(
        self,
        cluster: Cluster,
        config: ZeroConfig,
        on_notice: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        self._cluster = cluster
        self._ray = cluster.ray
        self._config = config
        self._notice = on_notice
        self._elsewhere: _Elsewhere | None = None
        self._losses = 0
        """Processes in a row that ended while their machines lived."""
        self._unfit: dict[str, str] = {}
        """Machines that cannot learn, and why."""
        self._fit: set[str] = set()
        """Machines that have the same honte."""

    @property
    def machine(self) -> Machine | None:
        """Where it learns."""
        return None if self._elsewhere is None else self._elsewhere.machine

    def __call__(self, learner: ZeroLearner, replay: Replay, lesson: Lesson) -> Iterator[Step]:
        """Have the steps of a lesson taken; what came of each.

        Raises HonteError where no machine can learn, or the learning itself goes wrong.
        """
        from honte.training.zero.lessons import STEPS_BETWEEN_CHECKPOINTS

        while learner.steps < lesson.until:
            until = min(lesson.until, learner.steps + STEPS_BETWEEN_CHECKPOINTS)
            yield from self._until(until, learner, replay, lesson)

    def _until(
        self, until: int, learner: ZeroLearner, replay: Replay, lesson: Lesson
    ) -> Iterator[Step]:
        """The steps to the next checkpoint. Where a learner is lost on the way, the next one takes
        them all again, and those that were told are not told twice."""
        told = 0
        while learner.steps < until:
            elsewhere = self._elsewhere or self._begin()
            taken = self._ask(elsewhere, self._task(elsewhere, until, learner, replay, lesson))
            if taken is None:
                continue
            if taken.failure is not None:
                raise HonteError(f"On the machine {elsewhere.machine}: {taken.failure}")
            elsewhere.steps += taken.steps
            news = elsewhere.steps[told:]
            told = max(told, len(elsewhere.steps))
            if taken.state is not None:
                learner.restore(unpacked_state(taken.state))
                elsewhere.synced, elsewhere.steps = learner.steps, []
                self._losses = 0
            yield from news

    def _task(
        self,
        elsewhere: _Elsewhere,
        until: int,
        learner: ZeroLearner,
        replay: Replay,
        lesson: Lesson,
    ) -> Task:
        window = replay.rounds_of_window(lesson.counts, self._config.training)
        new = [number for number in window if number not in elsewhere.rounds]
        state = None
        if elsewhere.synced != learner.steps:
            state = packed_state(learner)
            elsewhere.synced, elsewhere.steps = learner.steps, []
        elsewhere.rounds = frozenset(window)
        rounds = {number: replay.path(number).read_bytes() for number in new}
        return Task(lesson, window, rounds, state, until)

    def _ask(self, elsewhere: _Elsewhere, task: Task) -> Taken | None:
        """What it answers; None if it is lost."""
        errors = self._ray.exceptions
        try:
            taken: Taken = self._ray.get(elsewhere.actor.learn.remote(task))
        except errors.RayTaskError:
            raise  # a fault of honte's own
        except errors.RayError:
            self._lose(elsewhere)
            return None
        return taken

    def _lose(self, elsewhere: _Elsewhere) -> None:
        self._elsewhere = None
        machine = elsewhere.machine
        # A machine that has just gone is still listed for a while: one that answers is there.
        if machine not in self._cluster.look_at([machine]):
            self._fit.discard(machine.identity)
            self._notice(f"The machine {machine}, which learned, is gone; another goes on.")
            return
        self._losses += 1
        if self._losses >= MOST_LOSSES:
            raise HonteError(
                f"{MOST_LOSSES} processes that learned have ended by themselves, the last one on "
                f"the machine {machine}, whose Ray logs may say why. What was learned is kept."
            )
        self._notice(
            f"The process that learned on the machine {machine} has ended; one more goes on."
        )

    def _begin(self) -> _Elsewhere:
        """Start a process that learns where it is done best."""
        reasons = []
        for machine in sorted(self._cluster.machines(), key=self._preference):
            reason = self._unfit.get(machine.identity) or self._start(machine)
            if self._elsewhere is not None:
                return self._elsewhere
            reasons.append(f"The machine {machine} {reason}.")
        raise HonteError(" ".join(["No machine of the cluster can learn.", *reasons]))

    def _start(self, machine: Machine) -> str | None:
        """Start a process that learns there; why it cannot be, if so."""
        ray = self._ray
        if machine.identity not in self._fit:
            looks = self._cluster.look_at([machine])
            if machine not in looks:
                return "does not answer"
            different = looks[machine]
            if different is not None:
                return self._refuse(machine, different)
            self._fit.add(machine.identity)
        actor = ray.remote(LearnerDesk).options(
            num_cpus=0,  # machines do not play while it learns
            num_gpus=GPU_OF_LEARNER if machine.gpus >= 1 else 0,
            max_restarts=0,
            **on(machine),
        )
        started = actor.remote(self._config)
        greeting = started.greet.remote()
        if not ray.wait([greeting], timeout=PATIENCE)[0]:
            ray.kill(started, no_restart=True)
            return "is busy"
        try:
            device, unfit = ray.get(greeting)
        except ray.exceptions.RayTaskError:
            raise  # a fault of honte's own
        except ray.exceptions.RayError:
            self._fit.discard(machine.identity)
            return "is gone"
        if unfit is not None:
            ray.kill(started, no_restart=True)
            return self._refuse(machine, unfit)
        self._elsewhere = _Elsewhere(machine, started)
        where = "processor" if device == "cpu" else "GPU"
        self._notice(f"The machine {machine} learns, on its {where}.")
        return None

    def _refuse(self, machine: Machine, reason: str) -> str:
        """This machine is not asked again."""
        self._unfit[machine.identity] = reason
        self._notice(f"The machine {machine} {reason}; it does not learn.")
        return reason

    def _preference(self, machine: Machine) -> tuple[bool, float, bool]:
        """A GPU first, then many cores, then rather another machine than the driver's."""
        return machine.gpus < 1, -machine.cpus, machine.identity == self._cluster.here()

    def close(self) -> None:
        """End the process that learns."""
        if self._elsewhere is not None:
            self._ray.kill(self._elsewhere.actor, no_restart=True)
            self._elsewhere = None
