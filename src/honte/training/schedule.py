"""The learning rate over a run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Schedule:
    """Rises over the first steps, stays, and falls to nothing in the last part of the run.

    The level part makes a run extendable: give it more samples before the fall has begun.
    """

    peak: float
    steps: int
    """Of the whole run."""
    warm_up: int = 100
    """Steps over which it rises, but no more than a twentieth of the run."""
    falling: float = 0.4
    """The share of the run in which the rate falls, in a straight line."""

    def rate(self, step: int) -> float:
        """The learning rate of step 0 … steps − 1."""
        left = max(0.0, 1.0 - step / max(1, self.steps))
        warm_up = max(1, min(self.warm_up, self.steps // 20))
        return self.peak * min(1.0, (step + 1) / warm_up, left / self.falling)
