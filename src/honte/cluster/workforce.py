"""Hands out jobs to the machines of a cluster and takes every result once.

A desk is a process on a machine. It never has more jobs than it works on at once, so what a dead
one had in hand is little; that is given to others. Machines that join while there is work get
desks, and those that go are done without.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from honte.cluster.connection import Cluster, Machine, on
from honte.cluster.desk import Desk, Handed, Recipe
from honte.errors import HonteError

Job = TypeVar("Job")
Result = TypeVar("Result")

CPUS_A_DESK = 4
"""Cores of a machine without GPU that share one process: one thread of Python feeds them."""
GPU_OF_LEARNER = 0.1
"""What processes that play leave of each GPU, as Ray counts, so that a learner may share one."""
MOST_LOSSES = 3
"""Processes that one job, or one place for a desk, may take with it while their machines live."""
PATIENCE = 60.0
"""Seconds in which every desk should be ready; the work begins without those that are not."""
MOURNING = 1.0
"""Seconds after the end of a process in which it shows whether its machine has ended too."""
TICK = 0.5
"""Seconds between looks at what else happens."""
LOOK_AGAIN = 2.0
"""Seconds between looks for machines that have joined."""


@dataclass(eq=False)
class _Seat:
    """A place for a desk, and who sits there now."""

    machine: Machine
    place: int
    desks: int
    actor: Any
    losses: int = 0
    """Processes that ended here since the last result."""
    lost_at: float = 0.0
    """When the last one ended."""
    at_once: int = 0
    """0: it has not greeted yet."""
    held: dict[Hashable, Any] = field(default_factory=dict)
    """Jobs in hand, by key."""
    new: list[Any] = field(default_factory=list)
    """Those of them that it has not been told of."""


class Workforce(Generic[Job, Result]):
    """Desks on all machines of a cluster.

    ``recipe`` says what they do; ``key`` gives a job's name, which its result comes back with.
    ``one_a_machine``: a desk has its machine to itself. ``on_notice`` hears in a sentence of
    machines that are lost or cannot be used.
    """

    def __init__(
        self,
        cluster: Cluster,
        recipe: Recipe,
        key: Callable[[Job], Hashable],
        *,
        one_a_machine: bool = False,
        on_notice: Callable[[str], None] | None = None,
    ) -> None:
        self._cluster = cluster
        self._ray = cluster.ray
        self._recipe = recipe
        self._key = key
        self._one_a_machine = one_a_machine
        self._notice = on_notice or (lambda sentence: None)
        self._seats: list[_Seat] = []
        self._waiting: dict[Any, _Seat] = {}
        """What desks were asked, by the reference to their answer."""
        self._lost_seats: deque[_Seat] = deque()
        """Those whose processes ended a moment ago, the oldest first."""
        self._known: set[str] = set()
        """Machines that were looked at."""
        self._again: deque[Job] = deque()
        """Jobs whose desks were lost."""
        self._losses: dict[Hashable, int] = {}
        self._looked = 0.0
        self._gone: set[Machine] = set()

    @property
    def machines(self) -> int:
        """Machines that work now."""
        return len({seat.machine for seat in self._seats if seat.at_once})

    def open(self) -> None:
        """Put desks on all machines, and wait until each is ready.

        Raises HonteError where a machine has another honte or cannot do the work, or there is
        none.
        """
        machines = self._cluster.machines()
        if not machines:
            raise HonteError("The cluster has no machine with a processor to work on.")
        looks = self._cluster.look_at(machines)
        for machine, what in looks.items():
            if what is not None:
                raise HonteError(f"The machine {machine} {what}: install what this machine has.")
        if not looks:
            raise HonteError("No machine of the cluster answers.")
        self._known.update(machine.identity for machine in machines)
        self._add([machine for machine in machines if machine in looks])
        patient_until = time.monotonic() + PATIENCE
        while self._lost_seats or any(not seat.at_once for seat in self._seats):
            self._replace_lost()
            for answer, seat in self._answers():
                if answer is None:
                    self._lose(seat)
                else:
                    self._greeted(seat, answer)
            if time.monotonic() > patient_until:
                # Others may hold a machine's cores; who is ready begins.
                if self.machines:
                    break
                self._notice("All machines are busy; waiting until one is free.")
                patient_until += PATIENCE
        self._need_somebody()

    def work(self, take: Callable[[], Job | None], deliver: Callable[[Result], bool]) -> None:
        """Have every job done, and deliver each result once, until there are no more jobs or
        ``deliver`` says False.

        Raises HonteError where a job ends every process it is given to, a desk fails, or no
        machine is left.
        """
        while True:
            self._look_for_machines()
            self._replace_lost()
            self._hand_out(take)
            if not any(seat.held for seat in self._seats) and not self._again:
                return
            self._need_somebody()
            for answer, seat in self._answers():
                if answer is None:
                    self._lose(seat)
                elif not seat.at_once:
                    self._greeted(seat, answer)
                elif not self._take_in(seat, answer, deliver):
                    return

    def close(self) -> None:
        """End all desks."""
        for seat in self._seats:
            self._ray.kill(seat.actor, no_restart=True)
        self._seats.clear()
        self._lost_seats.clear()
        self._waiting.clear()

    def _add(self, machines: list[Machine]) -> None:
        for machine in machines:
            desks = 1 if self._one_a_machine else desks_of(machine)
            for place in range(desks):
                self._sit_down(_Seat(machine, place, desks, None))

    def _sit_down(self, seat: _Seat) -> None:
        """Start a process there."""
        machine = seat.machine
        cpus = machine.cpus / seat.desks
        actor = self._ray.remote(Desk).options(
            num_cpus=cpus if cpus < 1 else int(cpus),
            num_gpus=1 - GPU_OF_LEARNER if machine.gpus >= 1 else 0,
            max_restarts=0,
            **on(machine),
        )
        seat.actor = actor.remote(self._recipe, (seat.place, seat.desks))
        seat.at_once = 0
        self._seats.append(seat)
        self._waiting[seat.actor.greet.remote()] = seat

    def _greeted(self, seat: _Seat, answer: tuple[int, str | None]) -> None:
        seat.at_once, failure = answer
        if failure is not None:
            raise HonteError(f"On the machine {seat.machine}: {failure}")

    def _look_for_machines(self) -> None:
        now = time.monotonic()
        if now < self._looked + LOOK_AGAIN:
            return
        self._looked = now
        new = [m for m in self._cluster.machines() if m.identity not in self._known]
        if not new:
            return
        self._known.update(machine.identity for machine in new)
        looks = self._cluster.look_at(new)
        for machine, what in looks.items():
            if what is not None:
                self._notice(f"The machine {machine} {what}, and gets no work.")
        self._add([machine for machine, what in looks.items() if what is None])

    def _hand_out(self, take: Callable[[], Job | None]) -> None:
        """A job to each desk in turn, so that few jobs are shared by all."""
        free = deque(seat for seat in self._seats if len(seat.held) < seat.at_once)
        while free:
            job = self._again.popleft() if self._again else take()
            if job is None:
                break
            seat = free.popleft()
            seat.held[self._key(job)] = job
            seat.new.append(job)
            if len(seat.held) < seat.at_once:
                free.append(seat)
        asked = set(self._waiting.values())
        for seat in self._seats:
            if seat.held and seat not in asked:
                self._waiting[seat.actor.exchange.remote(seat.new)] = seat
                seat.new = []

    def _answers(self) -> Iterator[tuple[Any, _Seat]]:
        """What desks have answered by now; None of one that is lost."""
        ray = self._ray
        if not self._waiting:
            time.sleep(TICK)
            return
        done, _ = ray.wait(list(self._waiting), num_returns=1, timeout=TICK)
        if done:
            # Whatever else has come meanwhile.
            done, _ = ray.wait(list(self._waiting), num_returns=len(self._waiting), timeout=0)
        for reference in done:
            seat = self._waiting.pop(reference)
            try:
                yield ray.get(reference), seat
            except ray.exceptions.RayTaskError:
                raise  # a fault of honte's own
            except ray.exceptions.RayError:
                yield None, seat

    def _take_in(self, seat: _Seat, answer: Handed, deliver: Callable[[Result], bool]) -> bool:
        go_on = True
        for key, result in answer.results:
            del seat.held[key]
            self._losses.pop(key, None)
            seat.losses = 0
            go_on = deliver(result) and go_on
        if answer.failure is not None:
            raise HonteError(f"On the machine {seat.machine}: {answer.failure}")
        return go_on

    def _lose(self, seat: _Seat) -> None:
        """A desk is gone: its jobs are for others."""
        self._seats.remove(seat)
        self._again.extend(seat.held.values())
        seat.lost_at = time.monotonic()
        self._lost_seats.append(seat)

    def _replace_lost(self) -> None:
        """Where a process has ended and its machine lives, another one sits down."""
        while self._lost_seats and time.monotonic() > self._lost_seats[0].lost_at + MOURNING:
            seat = self._lost_seats.popleft()
            machine = seat.machine
            if self._cluster.alive(machine):
                self._blame(seat)
                if seat.losses + 1 < MOST_LOSSES:
                    self._sit_down(_Seat(machine, seat.place, seat.desks, None, seat.losses + 1))
                else:
                    self._notice(
                        f"Processes on the machine {machine} end by themselves; it gets no more "
                        "work."
                    )
            elif machine not in self._gone:
                self._gone.add(machine)
                self._notice(f"The machine {machine} is gone; others take over its games.")

    def _blame(self, seat: _Seat) -> None:
        """Perhaps one of the jobs in hand ended the process."""
        for key in seat.held:
            self._losses[key] = self._losses.get(key, 0) + 1
        fatal = [str(key) for key in seat.held if self._losses[key] >= MOST_LOSSES]
        if fatal:
            raise HonteError(
                f"{MOST_LOSSES} processes have ended while they worked on {' or '.join(fatal)}; "
                f"the last one was on the machine {seat.machine}, whose Ray logs may say why."
            )

    def _need_somebody(self) -> None:
        if not self._seats and not self._lost_seats:
            raise HonteError(
                "No machine of the cluster is left. What was done is kept; the same command goes "
                "on once there is one."
            )


def desks_of(machine: Machine) -> int:
    """Processes that a machine is shared by: one a GPU, else one for every few cores."""
    if machine.gpus >= 1:
        return int(machine.gpus)
    return max(1, int(machine.cpus) // CPUS_A_DESK)
