"""The core's random streams in plain Python: the same names give the same numbers."""

from __future__ import annotations

import math

WORD = (1 << 64) - 1


def mix64(x: int) -> int:
    """The finaliser of SplitMix64."""
    x ^= x >> 30
    x = x * 0xBF58476D1CE4E5B9 & WORD
    x ^= x >> 27
    x = x * 0x94D049BB133111EB & WORD
    return x ^ x >> 31


def tie(salt: int, place: int) -> int:
    """16 bits that order equal priors at a node."""
    x = salt + place * 0x9E3779B9 & 0xFFFFFFFF
    x = (x ^ x >> 16) * 0x7FEB352D & 0xFFFFFFFF
    x = (x ^ x >> 15) * 0x846CA68B & 0xFFFFFFFF
    return x >> 16


class Random:
    """A stream named by words; its n-th number depends on the name and on n alone."""

    def __init__(self, *name: int) -> None:
        self._key = self._counter = 0
        for word in name:
            self._key = mix64((self._key + 0x9E3779B97F4A7C15 + word) & WORD) ^ word << 1 & WORD

    def next(self) -> int:
        self._counter += 1
        return mix64((self._key + 0x9E3779B97F4A7C15 * self._counter) & WORD)

    def below(self, bound: int) -> int:
        return (self.next() >> 32) * bound >> 32

    def uniform(self) -> float:
        return ((self.next() >> 11) + 0.5) * 2.0**-53

    def normal(self) -> float:
        radius = math.sqrt(-2.0 * math.log(self.uniform()))
        return radius * math.cos(6.283185307179586 * self.uniform())

    def gamma(self, shape: float) -> float:
        """Gamma(shape, 1) [Marsaglia & Tsang 2000]."""
        if shape < 1.0:
            boosted = self.gamma(shape + 1.0)
            return boosted * math.pow(self.uniform(), 1.0 / shape)
        d = shape - 1.0 / 3.0
        c = 1.0 / math.sqrt(9.0 * d)
        while True:
            x = self.normal()
            t = 1.0 + c * x
            if t <= 0.0:
                continue
            v = t * t * t
            if math.log(self.uniform()) < 0.5 * x * x + d - d * v + d * math.log(v):
                return d * v
