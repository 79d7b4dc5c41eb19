"""Getting a network ready for a board before the first search needs it.

Compiling takes a second and cannot be interrupted: it happens in the background, so that commands
are answered meanwhile, and a search that must wait for it can be told to stop.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

from honte.evaluation import Evaluator, Mixture, NetworkEvaluator

BoardShape = tuple[int, int]
"""(height, width)"""


class WarmUp:
    """Compiles an evaluator's network for one board after another; the one asked for last first.

    For any thread. An evaluator without a network is always ready.
    """

    def __init__(self, evaluator: Evaluator | None) -> None:
        while isinstance(evaluator, Mixture):
            evaluator = evaluator.evaluator
        self._evaluator = evaluator if isinstance(evaluator, NetworkEvaluator) else None
        self._changed = threading.Condition()
        self._ready: set[BoardShape] = set()
        self._begun: dict[BoardShape, Iterator[None]] = {}
        """Under way or waiting; the last goes first."""
        self._thread: threading.Thread | None = None

    def begin(self, shape: BoardShape) -> None:
        """Get ready for boards of this shape, before all others."""
        with self._changed:
            if self._evaluator is None or shape in self._ready:
                return
            steps = self._begun.pop(shape, None)
            self._begun[shape] = steps or self._evaluator.warm_up_steps(shape)
            if self._thread is None:
                # Not a daemon: a process that ended within the library would be torn down under it.
                self._thread = threading.Thread(target=self._work, name="warm-up", daemon=False)
                self._thread.start()

    def wait(self, shape: BoardShape, seconds: float) -> bool:
        """Wait for this shape, which begins now if it has not, so long at most; whether it is
        ready."""
        self.begin(shape)
        until = time.perf_counter() + seconds
        with self._changed:
            while not self._is_ready(shape) and (left := until - time.perf_counter()) > 0:
                self._changed.wait(left)
            return self._is_ready(shape)

    def close(self) -> None:
        """Begin nothing more; what is being compiled just now is the last."""
        with self._changed:
            self._begun.clear()

    def _is_ready(self, shape: BoardShape) -> bool:
        return self._evaluator is None or shape in self._ready

    def _work(self) -> None:
        while True:
            with self._changed:
                if not self._begun:
                    self._thread = None
                    return
                shape = next(reversed(self._begun))
                steps = self._begun[shape]
            try:
                ended = next(steps, self) is self
            except Exception:
                # The search that needs it meets the same error, and says so.
                ended = True
            if ended:
                with self._changed:
                    self._begun.pop(shape, None)
                    self._ready.add(shape)
                    self._changed.notify_all()
