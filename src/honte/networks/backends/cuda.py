"""Whether CUDA can be hoped for on this machine."""

from __future__ import annotations

import ctypes
from functools import cache


@cache
def driver_present() -> bool:
    """Whether NVIDIA's driver is installed: a quick look that imports none of the large libraries.

    The driver may still find no device; the libraries that use it have the last word.
    """
    for library in ("libcuda.so.1", "nvcuda.dll"):
        try:
            ctypes.CDLL(library)
        except OSError:
            continue
        return True
    return False
