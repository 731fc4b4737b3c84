"""Texts that mix messages, simulated by what their tokens draw: a third message is never named.

``STELA_MIXTURES=25 pytest --tier deep plugins/stela-payload/tests/test_mixtures.py -s`` simulates 25 times as
many, 100,000 of 24 bits in 40 minutes of CPU, and prints a row for each number of bits. Tokens are as
``gumbel`` chooses them: one of probability u draws U**u under its message, and any exponential draw under
another. Codewords come from messages by their permutation, under a key for each text.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.special import gammaincc
from stela_payload.decoding import best_codeword
from stela_payload.errors import error_of
from stela_payload.permutation import codes_of
from stela_payload.reed_solomon import ReedSolomon, digits_of_bits, usual_symbols

from tests.tiers import Draws

TIMES = int(os.environ.get("STELA_MIXTURES", "1"))
"""How many times more mixtures are simulated."""
Random = np.random.Generator
Owners = npt.NDArray[np.intp]

STRUCTURES: dict[str, Callable[[Random, int], list[int]]] = {
    "counters": lambda random, bits: [int(n) for n in random.choice(256, 3, replace=False)],
    "two counters": lambda random, bits: [
        int(a) << bits // 2 | int(b)
        for a, b in zip(
            random.choice(256, 3, replace=False), random.choice(256, 3, replace=False), strict=True
        )
    ],
    "shared bytes": lambda random, bits: [
        int(random.integers(1 << 8)) << bits - 8 | int(random.integers(1, 1 << 8)) << 8 * n for n in range(3)
    ],
    "a bit": lambda random, bits: [base := int(random.integers(1 << bits - 1)), base ^ 1, base ^ 2],
    "any": lambda random, bits: [int(n) for n in random.integers(0, 1 << bits - 1, 3)],
}

MIXED: dict[str, Callable[[int], Owners]] = {
    "halves": lambda count: np.arange(count) * 2 // count,
    "sentences": lambda count: np.arange(count) // 20 % 2,
    "tokens": lambda count: np.arange(count) % 2,
    "one and two thirds": lambda count: np.minimum(np.arange(count) * 3 // count, 1),
    "thirds": lambda count: np.arange(count) * 3 // count,
}
"""Which message each token holds."""


def named(code: ReedSolomon, messages: list[int], owners: Owners, random: Random) -> int | None:
    """Which message is shown (-1: another), or nobody."""
    key, tokens = int(random.integers(1, 2**63)), len(owners)
    numbers = codes_of(np.array(messages, dtype=np.uint64), code.bits, key)
    words = code.symbols_of(numbers)
    block = random.integers(0, code.n, tokens)
    counts = np.bincount(block, minlength=code.n)
    scores = random.gamma(np.maximum(counts, 1e-9)[:, None], size=(code.n, code.values)).astype(np.float32)
    chances = random.random(tokens) ** random.choice([1.0, 2.0, 4.0])
    signals = -np.log(-np.expm1(np.log(random.random(tokens)) * chances))
    for place in range(code.n):
        own = block == place
        for symbol in set(words[place].tolist()):
            holds = words[place][owners[own]] == symbol
            scores[place, symbol] = (
                signals[own][holds].sum() + random.exponential(size=int((~holds).sum())).sum()
            )
    number = best_codeword(scores, code)
    word = code.symbols_of(np.array([number], dtype=np.uint64))[:, 0]
    sums = scores[np.arange(code.n), word].astype(np.float64)

    def tail(places: int) -> float:
        inside = [n for n in range(code.n) if places >> n & 1 and counts[n]]
        return float(gammaincc(counts[inside].sum(), sums[inside].sum())) if inside else 1.0

    if error_of(tail, code, 2.0**code.bits) > 1e-4:
        return None
    found = np.flatnonzero(numbers == number)
    return int(found[0]) if len(found) else -1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bits", "many", "few"), [(24, 4_000, 250), (32, 300, 25), (40, 150, 15), (64, 60, 6)]
)
def test_no_third_message_is_named(bits: int, many: int, few: int, draws: Draws) -> None:
    """Of a smaller field more codewords share symbols with two others: most texts are of 24 bits."""
    code, random = ReedSolomon(bits, usual_symbols(bits), digits_of_bits(bits)), np.random.default_rng(bits)
    seen: Counter[str] = Counter()
    kinds: list[Any] = [(s, m) for s in STRUCTURES for m in MIXED]
    for number in range(draws(many * TIMES, few)):
        structure, how = kinds[number % len(kinds)]
        owners = MIXED[how](int(random.choice([6, 8, 16])) * bits)
        shown = named(code, STRUCTURES[structure](random, bits), owners, random)
        seen["none" if shown is None else "third" if shown < 0 else "one"] += 1
    print(f"{bits} bits: {dict(seen)}")
    assert seen["one"] > 0.1 * seen.total()
    assert seen["third"] <= 1e-4 * seen.total()
