"""Reed-Solomon codes: what the symbols of a message's number are, and what brings it back.

A number of b bits is cut into k digits a_0, ..., a_{k-1} of m = b / k bits, the first from its upper
bits. They are the coefficients of a polynomial over GF(2**m), and symbol j is its value at the field's
number j (Reed and Solomon, "Polynomial Codes over Certain Finite Fields", 1960)::

    symbol_j = a_0 + a_1 j + ... + a_{k-1} j**(k-1),    j = 0, ..., n - 1

Two such polynomials agree in at most k - 1 places, so codewords differ in at least ``n - k + 1`` symbols, the
most that any code allows (a maximum-distance-separable code), and any k symbols give all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stela_payload.field import Field, Symbols, field

MOST_SYMBOLS = 16
"""Largest number n of symbols of a codeword."""


def digits_of_bits(bits: int) -> int:
    """Number k of digits that a message of ``bits`` bits is cut into; a digit has up to 16 bits."""
    return 1 if bits <= 16 else 2 if bits <= 32 else 4


def usual_symbols(bits: int) -> int:
    """Number n of symbols of a codeword, where nothing else is said."""
    return {1: 1, 2: 8, 4: 10}[digits_of_bits(bits)]


def symbols_of_bits(bits: int) -> tuple[int, int]:
    """Fewest and most symbols of a codeword that are known."""
    return {1: (1, 1), 2: (4, MOST_SYMBOLS), 4: (8, MOST_SYMBOLS)}[digits_of_bits(bits)]


class ReedSolomon(NamedTuple):
    """A Reed-Solomon code of numbers of ``bits`` bits."""

    bits: int
    """Bits b of a number: a multiple of k."""
    n: int
    """Symbols of a codeword."""
    k: int
    """Symbols that give all others."""

    @property
    def symbol_bits(self) -> int:
        """Bits m of a symbol."""
        return self.bits // self.k

    @property
    def values(self) -> int:
        """Number of values that a symbol can have."""
        return 1 << self.symbol_bits

    def symbols_of(self, numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.intp]:
        """The codewords of numbers, (c,) -> (n, c)."""
        mask = np.uint64(self.values - 1)
        shifts = [np.uint64(self.symbol_bits * (self.k - 1 - i)) for i in range(self.k)]
        digits = [(numbers >> shift & mask).astype(np.intp) for shift in shifts]
        if self.k == 1:
            return digits[0][None]
        out = np.empty((self.n, len(numbers)), dtype=np.intp)
        for j, times in enumerate(_times_points(self.symbol_bits, self.n)):
            total = digits[-1]
            for digit in digits[-2::-1]:
                total = times[total] ^ digit
            out[j] = total
        return out

    def number_of(self, places: Sequence[int], symbols: Sequence[int]) -> int:
        """The number whose codeword has these symbols at k places."""
        if self.k == 1:
            return int(symbols[0])
        own, digits = field(self.symbol_bits), [0] * self.k
        for place, symbol in zip(places, symbols, strict=True):
            basis = lagrange_basis(own, places, place)
            for i, coefficient in enumerate(basis):
                digits[i] ^= int(own.product(coefficient, symbol))
        number = 0
        for digit in digits:
            number = number << self.symbol_bits | digit
        return number


@lru_cache(maxsize=1024)
def factors_of(code: ReedSolomon, places: tuple[int, ...], others: tuple[int, ...]) -> Symbols:
    """What the symbols at k places are times in the sums that give those at other places, (others, k)."""
    own = field(code.symbol_bits)
    bases = [lagrange_basis(own, places, one) for one in places]
    return np.array([[_value_at(own, basis, other) for basis in bases] for other in others], dtype=np.uint16)


def lagrange_basis(own: Field, places: Sequence[int], place: int) -> list[int]:
    """The coefficients of the polynomial that is 1 at a place, and 0 at the others of ``places``."""
    made = [1]
    for other in places:
        if other == place:
            continue
        scale = own.inverse(place ^ other)
        shifted, same = [0, *made], [int(own.product(c, other)) for c in made] + [0]
        made = [int(own.product(a ^ b, scale)) for a, b in zip(shifted, same, strict=True)]
    return made


def _value_at(own: Field, coefficients: Sequence[int], point: int) -> int:
    total = 0
    for coefficient in reversed(coefficients):
        total = int(own.product(total, point)) ^ coefficient
    return total


@cache
def _times_points(bits: int, n: int) -> npt.NDArray[np.uint16]:
    """The product of each number of GF(2**bits) with each of 0 .. n - 1, (n, 2**bits)."""
    return field(bits).product(np.arange(n)[:, None], np.arange(1 << bits)[None])
