"""What is under way for one session: one long work, and short questions beside it.

Works run in the scheduler's threads; all of these methods in the server's event loop, into which
the works come back.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

from honte.errors import HonteError
from honte.web import events
from honte.web.scheduler import Account, Scheduler, Task, Work

logger = logging.getLogger(__name__)

Send = Callable[[events.Event], None]

MOVE_WEIGHT = 4.0
"""A person who waits for a move gets four times the time of one who analyses."""
MOST_SHORT_WORKS = 8
"""Questions of one session that may wait."""


class Desk:
    """One session's works."""

    def __init__(self, scheduler: Scheduler, tell: Send) -> None:
        self.working = events.Working(work=None)
        self._tell = tell
        self._loop = asyncio.get_running_loop()
        self._scheduler = scheduler
        self._account = Account()
        self._task: Task | None = None

    @property
    def is_busy(self) -> bool:
        """Whether a long work is under way."""
        return self._task is not None

    def begin(self, name: str, work: Work, answer: Send | None = None, weight: float = 1.0) -> None:
        """Start a long work in place of what is under way."""
        self.stop()
        self._show(events.Working(work=name))

        def ended(error: BaseException | None) -> None:
            self.later(lambda: self._ended(task, error, answer))

        task = self._scheduler.submit(self._account, work, on_end=ended, weight=weight)
        self._task = task

    def stop(self) -> None:
        """End the long work after its slice; what it still sends is about what was."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
            self._show(events.Working(work=None))

    def leave_to_its_end(self) -> None:
        """The long work has done its part and ends by itself: another may begin."""
        self._task = None
        self.working = events.Working(work=None)

    def progress(self, name: str, done: int, total: int) -> None:
        """How far the long work is."""
        if self._task is not None:
            self._show(events.Working(work=name, done=done, total=total))

    def ask(self, act: Callable[[], events.Event | None], answer: Send, number: int) -> None:
        """A short work beside the long one, whose answer goes to one page.

        Raises HonteError where too many wait.
        """
        if len(self._account.waiting) > MOST_SHORT_WORKS:
            raise HonteError("There is too much under way here: wait a moment.")
        send = self.sender(answer)

        def work() -> Work:
            event = act()
            if event is not None:
                send(event)
            yield

        def ended(error: BaseException | None) -> None:
            if error is not None:
                send(events.Refused(number=number, message=sentence(error)))

        self._scheduler.submit(self._account, work(), on_end=ended, weight=MOVE_WEIGHT)

    def later(self, act: Callable[[], None]) -> None:
        """From a worker's thread: act in the event loop."""
        with suppress(RuntimeError):  # the loop is closed: the server is going down
            self._loop.call_soon_threadsafe(act)

    def sender(self, answer: Send) -> Send:
        """``answer`` for a worker's thread."""
        return lambda event: self.later(lambda: answer(event))

    def _show(self, working: events.Working) -> None:
        self.working = working
        self._tell(working)

    def _ended(self, task: Task, error: BaseException | None, answer: Send | None) -> None:
        if task is self._task:
            self._task = None
            self._show(events.Working(work=None))
        if error is not None:
            (answer or self._tell)(events.Refused(message=sentence(error)))


def sentence(error: BaseException) -> str:
    """What a person is told of an error."""
    if isinstance(error, HonteError):
        return str(error)
    logger.error("A work failed.", exc_info=error)
    return f"Something went wrong here ({type(error).__name__}); the game is safe. Try again."
