"""Arithmetic of the fields GF(2**m): numbers below 2**m, added by ``^``, multiplied modulo a polynomial.

The polynomials are primitive (Lidl and Niederreiter, "Finite Fields", tables): the powers of 2, which is x,
are all numbers but 0, so a product is a sum of logarithms.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

POLYNOMIALS = {4: 0x13, 8: 0x11D, 10: 0x409, 12: 0x1053, 14: 0x4443, 16: 0x1100B}
"""Irreducible polynomials by m; bit i is the coefficient of ``x**i``."""

Symbols = npt.NDArray[np.uint16]


class Field:
    """GF(2**m), for an m of :data:`POLYNOMIALS`."""

    def __init__(self, bits: int) -> None:
        self.size = 1 << bits
        polynomial, power = POLYNOMIALS[bits], 1
        self.power = np.zeros(2 * self.size, dtype=np.uint16)
        self.log = np.zeros(self.size, dtype=np.int64)
        for exponent in range(self.size - 1):
            self.power[exponent] = self.power[exponent + self.size - 1] = power
            self.log[power] = exponent
            power <<= 1
            power ^= polynomial if power >> bits else 0

    def product(self, one: npt.ArrayLike, other: npt.ArrayLike) -> Symbols:
        """Products of numbers that broadcast."""
        a, b = np.asarray(one, dtype=np.int64), np.asarray(other, dtype=np.int64)
        return np.where((a == 0) | (b == 0), 0, self.power[self.log[a] + self.log[b]]).astype(np.uint16)

    def inverse(self, number: int) -> int:
        """One over a number that is not 0."""
        return int(self.power[self.size - 1 - self.log[number]])


@cache
def field(bits: int) -> Field:
    """GF(2**bits)."""
    return Field(bits)
