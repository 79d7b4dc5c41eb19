"""How many cores this process may use."""

from __future__ import annotations

import math
import os
from pathlib import Path


def usable_cores() -> int:
    """Cores this process may run on: its affinity, and a container's quota where one is set."""
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # only Linux has it
        cores = os.cpu_count() or 1
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        if quota != "max":
            cores = min(cores, math.ceil(int(quota) / int(period)))
    except (OSError, ValueError):
        pass
    return max(cores, 1)
