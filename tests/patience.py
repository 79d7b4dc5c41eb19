"""How tests wait: for facts, and for what a thing costs in processor time, never for the clock.

A busy machine may keep any process waiting for seconds. So what another thread or process brings
about is waited for with a patience that only ends a hang; and where it is a fact that something is
quick, it is the processor time of this process that is measured, which other processes do not
spend.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 600.0
"""Seconds for anything that is bound to come, on however slow a machine."""

TRIES = 20
"""A thread that should react may be kept waiting too, while another one of the same process goes on
using time; but not every time."""


def until(condition: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Wait for what another thread or process brings about."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.005)


@contextmanager
def processor_time_below(seconds: float) -> Iterator[None]:
    """What happens within takes less processor time than this, that of all threads together."""
    began = time.process_time()
    yield
    assert time.process_time() - began < seconds
