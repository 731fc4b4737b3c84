"""Codewords: what they are, how far they lie from each other, and that any k symbols bring a number back."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from stela_payload.encoder import PayloadParameters
from stela_payload.field import POLYNOMIALS, field
from stela_payload.reed_solomon import ReedSolomon, digits_of_bits, factors_of, usual_symbols

SMALL = [ReedSolomon(8, 8, 2), ReedSolomon(12, 7, 3), ReedSolomon(16, 6, 4)]
"""Over GF(16): all codewords can be listed."""

KNOWN = [bits for bits in range(1, 65) if bits <= 16 or bits % 8 == 0]


def slow_product(one: int, other: int, bits: int) -> int:
    """By the definition: a product of polynomials, less multiples of the field's."""
    total = 0
    for i in range(bits):
        total ^= (one << i) * (other >> i & 1)
    for i in range(2 * bits - 2, bits - 1, -1):
        total ^= (POLYNOMIALS[bits] << i - bits) * (total >> i & 1)
    return total


def all_codewords(code: ReedSolomon) -> np.ndarray:
    return code.symbols_of(np.arange(1 << code.bits, dtype=np.uint64))


@pytest.mark.parametrize("bits", POLYNOMIALS)
def test_fields(bits: int) -> None:
    """The powers of 2 are all numbers but 0; products are those of the definition; so are inverses."""
    own, random = field(bits), np.random.default_rng(bits)
    assert sorted(own.power[: own.size - 1].tolist()) == list(range(1, own.size))
    pairs = random.integers(0, own.size, (40, 2)).tolist()
    for one, other in [*pairs, [0, 5], [7, 0], [own.size - 1, own.size - 1]]:
        assert int(own.product(one, other)) == slow_product(one, other, bits)
        assert not one or int(own.product(one, own.inverse(one))) == 1


@pytest.mark.parametrize("code", SMALL, ids=str)
def test_symbols_are_values_of_the_polynomial(code: ReedSolomon) -> None:
    bits = code.symbol_bits
    words = all_codewords(code)
    for number in np.random.default_rng(0).integers(0, 1 << code.bits, 30).tolist():
        digits = [number >> bits * (code.k - 1 - i) & code.values - 1 for i in range(code.k)]
        for place in range(code.n):
            total, power = 0, 1
            for digit in digits:
                total ^= slow_product(digit, power, bits)
                power = slow_product(power, place, bits)
            assert words[place, number] == total


@pytest.mark.parametrize("code", SMALL, ids=str)
def test_weights_are_those_of_a_code_of_the_largest_distance(code: ReedSolomon) -> None:
    """No two codewords agree in k places; and as many differ in w places as MacWilliams and Sloane say.

    The code is linear: differences are codewords.
    """
    weights = np.bincount((all_codewords(code) != 0).sum(axis=0), minlength=code.n + 1)
    for w in range(1, code.n + 1):
        spare = w - (code.n - code.k + 1)
        expected = comb(code.n, w) * sum(
            (-1) ** i * comb(w, i) * (code.values ** (spare + 1 - i) - 1) for i in range(spare + 1)
        )
        assert weights[w] == expected


@pytest.mark.parametrize("bits", [bits for bits in KNOWN if bits > 8])
def test_any_k_symbols_bring_a_number_back(bits: int) -> None:
    """And give all other symbols."""
    code, random = ReedSolomon(bits, usual_symbols(bits), digits_of_bits(bits)), np.random.default_rng(bits)
    numbers = random.integers(0, 2**64, 5, dtype=np.uint64) >> np.uint64(64 - bits)
    words = code.symbols_of(numbers)
    assert int(words.max()) < code.values
    assert code.symbol_bits <= 16
    choices = list(combinations(range(code.n), code.k))
    for at in random.integers(0, len(choices), 6).tolist():
        places = choices[at]
        others = tuple(n for n in range(code.n) if n not in places)
        for number, word in zip(numbers.tolist(), words.T, strict=True):
            assert code.number_of(places, word[list(places)].tolist()) == number
            if others:
                terms = field(code.symbol_bits).product(
                    factors_of(code, places, others), word[list(places)][None]
                )
                assert np.bitwise_xor.reduce(terms, axis=1).tolist() == word[list(others)].tolist()


def test_golden_codewords() -> None:
    """For ever."""
    for (bits, n, k), number, golden in GOLDEN:
        word = ReedSolomon(bits, n, k).symbols_of(np.array([number], dtype=np.uint64))[:, 0]
        assert " ".join(f"{symbol:x}" for symbol in word.tolist()) == golden


GOLDEN = [
    ((24, 8, 2), 0xABCDEF, "abc 753 131 cde df5 1a 678 b97"),
    ((32, 8, 2), 0xCAFE0001, "cafe caff cafc cafd cafa cafb caf8 caf9"),
    ((40, 12, 4), 0x0123456789, "4 e0 17f bf 2c3 f6 28a 19b 282 1a9 15c 353"),
    ((64, 12, 4), 0x0123456789ABCDEF, "123 0 8215 f42 644c 7c4a c4f6 5084 8130 f541 cb2e 332b"),
]
"""Bits, n and k; a number; the symbols of its codeword."""


def test_profiles_of_one_symbol_need_no_code() -> None:
    """A message of up to 16 bits is a symbol, with or without a code; longer ones were in a ring of bytes."""
    before = PayloadParameters.BEFORE | {"permutation": "keyed"}
    assert PayloadParameters(bits=16, **before) == PayloadParameters(bits=16)
    with pytest.raises(ValueError, match="messages in a ring of bytes are not read: make the profile anew"):
        PayloadParameters(bits=32, **before)
