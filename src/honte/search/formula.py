"""A selection formula of one's own: a Python function over arrays, compiled where numba is
installed.

    from honte.search.formula import Parent, formula

    @formula
    def score(q, n, p, parent):
        return q + 1.5 * p * np.sqrt(np.maximum(1.0, parent.n)) / (1.0 + n)

    SearchConfig(selection=Custom(formula=score))

The function gets ``q``, ``n`` and ``p`` of a node's visited actions and of the best unvisited one
(last, with the first-play urgency as its ``q``), float64 of shape [E], from the side to move at the
node, and ``parent``; it returns a score for each. The highest is chosen, the first of equals. It
must rise with ``p`` at ``n = 0``, since of the unvisited actions only the one with the highest
prior is offered.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]


class Parent(NamedTuple):
    """What a formula knows of the node itself."""

    n: float
    """N(s) = Σ_b N(s,b), leaves in flight included."""
    value: float
    """The node's mean value, for its side to move."""


Score = Callable[[Scores, Scores, Scores, Parent], Scores]

_DOUBLES = ctypes.POINTER(ctypes.c_double)
_SIGNATURE = ctypes.CFUNCTYPE(
    None,
    _DOUBLES,
    _DOUBLES,
    _DOUBLES,
    ctypes.c_int64,
    ctypes.c_double,
    ctypes.c_double,
    _DOUBLES,
)


class Formula:
    """A function that the native core can call; made by :func:`formula`."""

    def __init__(self, score: Score, *, compiled: bool) -> None:
        self.score = score
        self.compiled = compiled
        self.name = getattr(score, "__name__", type(score).__name__)
        self.error: BaseException | None = None
        """What the function last raised; a plain function's only."""
        self._callback = _compiled(score) if compiled else self._plain()

    @property
    def address(self) -> int:
        """Where the native function starts; valid as long as this object lives."""
        if self.compiled:
            return int(self._callback.address)
        return ctypes.cast(self._callback, ctypes.c_void_p).value or 0

    def __repr__(self) -> str:
        return f"Formula({self.name}, {'compiled' if self.compiled else 'plain Python'})"

    def _plain(self) -> Any:
        def call(q: Any, n: Any, p: Any, count: int, visits: float, value: float, out: Any) -> None:
            scores = np.ctypeslib.as_array(out, (count,))
            try:
                arrays = [np.ctypeslib.as_array(x, (count,)) for x in (q, n, p)]
                scores[:] = self.score(arrays[0], arrays[1], arrays[2], Parent(visits, value))
            except BaseException as error:
                self.error = error
                scores[:] = np.nan

        return _SIGNATURE(call)


def formula(score: Score, *, compile: bool | None = None) -> Formula:
    """Make a function into a formula for :class:`honte.search.config.Custom`.

    ``compile``: with numba (True, ImportError if it is missing), as plain Python (False), or
    whichever is there (None). A plain formula costs some ten microseconds a node. Compiled, numbers
    divide as arrays do, by zero to infinity or NaN.
    """
    if compile is None:
        compile = importlib.util.find_spec("numba") is not None
    return Formula(score, compiled=compile)


def _compiled(score: Score) -> Any:
    numba: Any = importlib.import_module("numba")
    types: Any = importlib.import_module("numba.types")
    # Within the callback the loop over the actions takes eight at a time, outside it one.
    inner = numba.njit(score, fastmath=False, forceinline=True, error_model="numpy")
    doubles = types.CPointer(types.float64)
    signature = types.void(
        doubles, doubles, doubles, types.int64, types.float64, types.float64, doubles
    )

    @numba.cfunc(signature, error_model="numpy")  # type: ignore[untyped-decorator,unused-ignore]
    def native(q, n, p, count, visits, value, out):  # type: ignore[no-untyped-def]
        scores = inner(
            numba.carray(q, count),
            numba.carray(n, count),
            numba.carray(p, count),
            Parent(visits, value),
        )
        target = numba.carray(out, count)
        for i in range(count):
            target[i] = scores[i]

    return native
