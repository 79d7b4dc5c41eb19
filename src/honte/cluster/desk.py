"""What stands on a machine: it takes jobs, works on several at once, and hands back results."""

from __future__ import annotations

import os
import threading
import traceback
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from honte.errors import HonteError

Take = Callable[[bool], Any]
"""The next job. Given True it waits for one; given False, None means that there is none now."""
Deliver = Callable[[Hashable, Any], None]
"""Hands on a result, with its job's key."""


class Bench(Protocol):
    """Does jobs, several at once."""

    at_once: int
    """How many jobs it can have in hand."""

    def check(self) -> None:
        """Try whether it could work. Raises HonteError with the reason where it could not."""
        ...

    def work(self, take: Take, deliver: Deliver) -> None:
        """Do what there is to take, for as long as the process lives."""
        ...


class Recipe(Protocol):
    """What travels to a machine, and becomes a bench there."""

    def bench(self) -> Bench:
        """Set it up. Raises HonteError where that cannot be done."""
        ...


@dataclass(frozen=True, slots=True)
class Handed:
    """What comes back from a desk."""

    results: tuple[tuple[Hashable, Any], ...] = ()
    """Keys of jobs, and what came of them."""
    failure: str | None = None
    """Why the desk cannot go on; a sentence."""


class Desk:
    """One process of a machine. Ray calls one method at a time; the work is done in a thread."""

    def __init__(self, recipe: Recipe, cores: tuple[int, int]) -> None:
        """``cores``: this is the n-th of m desks of the machine, which share its cores."""
        place, desks = cores
        if desks > 1 and hasattr(os, "sched_setaffinity"):
            own = sorted(os.sched_getaffinity(0))
            share = own[place * len(own) // desks : (place + 1) * len(own) // desks]
            os.sched_setaffinity(0, share or own)
        self._recipe = recipe
        self._jobs: deque[Any] = deque()
        self._results: list[tuple[Hashable, Any]] = []
        self._failure: str | None = None
        self._news = threading.Condition()

    def greet(self) -> tuple[int, str | None]:
        """Set everything up: how many jobs to give at once, and why it cannot work, if so."""
        try:
            bench = self._recipe.bench()
            bench.check()
        except HonteError as error:
            return 0, str(error)
        threading.Thread(target=self._work, args=(bench,), daemon=True).start()
        return bench.at_once, None

    def exchange(self, jobs: Sequence[Any]) -> Handed:
        """Take more jobs; give what was done since the last call, and wait until that is
        something. To be called only while there are jobs in hand."""
        with self._news:
            self._jobs.extend(jobs)
            self._news.notify_all()
            self._news.wait_for(lambda: self._results or self._failure)
            done, self._results = tuple(self._results), []
            return Handed(done, self._failure)

    def _work(self, bench: Bench) -> None:
        try:
            bench.work(self._take, self._deliver)
        except BaseException as error:
            traceback.print_exc()  # into the process's log, which Ray keeps
            with self._news:
                known = isinstance(error, HonteError)
                self._failure = str(error) if known else f"{type(error).__name__}: {error}"
                self._news.notify_all()

    def _take(self, wait: bool) -> Any:
        with self._news:
            if wait:
                self._news.wait_for(lambda: self._jobs)
            return self._jobs.popleft() if self._jobs else None

    def _deliver(self, key: Hashable, result: Any) -> None:
        with self._news:
            self._results.append((key, result))
            self._news.notify_all()
