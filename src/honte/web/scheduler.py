"""Fair shares of few cores among many people: work in short slices, whoever had least goes next.

A piece of work is a generator that yields between slices of some tens of milliseconds. The
thread that is free takes the next slice of the account that has used the least time so far, in
units of its work's weight; so a person with a long analysis never keeps another one waiting for
more than a slice or two. One account never has two slices at once: its searches need no lock.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Generator

logger = logging.getLogger(__name__)

Work = Generator[None, None, None]


class Account:
    """Whose time it is: one for each session."""

    def __init__(self) -> None:
        self.used = 0.0
        """Seconds, each divided by the weight of the work that took it."""
        self.waiting: deque[Task] = deque()
        self.busy = False


class Task:
    """One piece of work under way."""

    def __init__(
        self,
        account: Account,
        work: Work,
        weight: float,
        on_end: Callable[[BaseException | None], None],
    ) -> None:
        self.account = account
        self.work = work
        self.weight = weight
        self.on_end = on_end
        self.cancelled = False

    def cancel(self) -> None:
        """From any thread: no slice begins after this one; ``on_end`` is still called."""
        self.cancelled = True


class Scheduler:
    """Threads that take slices in turn."""

    def __init__(self, threads: int) -> None:
        self._condition = threading.Condition()
        self._accounts: list[Account] = []
        self._closing = False
        self._threads = [
            threading.Thread(target=self._serve, name=f"honte-web-{number}", daemon=True)
            for number in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    def submit(
        self,
        account: Account,
        work: Work,
        *,
        on_end: Callable[[BaseException | None], None],
        weight: float = 1.0,
    ) -> Task:
        """Queue work beside what the account has already: its works take slices in turn.

        ``on_end`` is called in a thread of the scheduler when the work has ended, with what it
        raised; also after :meth:`Task.cancel`.
        """
        task = Task(account, work, weight, on_end)
        with self._condition:
            if not account.waiting and not account.busy:
                # Time not used in the past gives no right to all of the present.
                active = [a.used for a in self._accounts if a is not account]
                account.used = max(account.used, min(active, default=account.used))
            account.waiting.append(task)
            if account not in self._accounts:
                self._accounts.append(account)
            self._condition.notify()
        return task

    def close(self) -> None:
        """End every thread after its slice; work that waits is cancelled."""
        with self._condition:
            self._closing = True
            for account in self._accounts:
                for task in account.waiting:
                    task.cancel()
            self._condition.notify_all()
        for thread in self._threads:
            thread.join(timeout=5.0)

    def _serve(self) -> None:
        while (task := self._next()) is not None:
            started = time.perf_counter()
            ended, error = self._slice(task)
            took = time.perf_counter() - started
            with self._condition:
                account = task.account
                account.used += took / task.weight
                account.busy = False
                account.waiting.popleft()
                if not ended:
                    account.waiting.append(task)
                if not account.waiting:
                    self._accounts.remove(account)
                self._condition.notify()
            if ended:
                try:
                    task.on_end(error)
                except Exception:
                    logger.exception("The end of some work could not be reported.")

    def _slice(self, task: Task) -> tuple[bool, BaseException | None]:
        try:
            if task.cancelled:
                task.work.close()
                return True, None
            next(task.work)
        except StopIteration:
            return True, None
        except Exception as error:
            return True, error
        return False, None

    def _next(self) -> Task | None:
        with self._condition:
            while not self._closing:
                idle = [a for a in self._accounts if a.waiting and not a.busy]
                if idle:
                    account = min(idle, key=lambda a: a.used)
                    account.busy = True
                    return account.waiting[0]
                self._condition.wait()
            return None
