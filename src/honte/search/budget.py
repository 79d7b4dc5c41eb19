"""How long a search may think."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits on one search; it stops at whichever comes first.

    ``visits`` counts what the root has in all, a reused tree included; ``simulations`` counts
    what this search adds. Raises ``ValueError`` if no limit is given or one makes no sense.
    """

    visits: int | None = None
    """Total visits of the root when the search stops, inherited ones included."""
    simulations: int | None = None
    """New simulations in this search."""
    seconds: float | None = None
    """Wall-clock time."""
    minimum_simulations: int = 0
    """New simulations to run even when the inherited tree already holds enough visits."""
    stop_when_settled: bool = False
    """Stop as soon as the runner-up can no longer catch up in what is left; for timed play,
    not for training targets."""

    def __post_init__(self) -> None:
        if self.visits is None and self.simulations is None and self.seconds is None:
            raise ValueError("A budget needs a limit: give visits, simulations or seconds.")
        for name in ("visits", "simulations"):
            limit = getattr(self, name)
            if limit is not None and limit < 1:
                raise ValueError(f"A budget of {limit} {name} is no search: give at least 1.")
        if self.seconds is not None and not (self.seconds >= 0 and math.isfinite(self.seconds)):
            raise ValueError(
                f"A budget of {self.seconds} seconds makes no sense: give a finite number ≥ 0."
            )
        if self.minimum_simulations < 0:
            raise ValueError(f"minimum_simulations is {self.minimum_simulations}: give 0 or more.")
