"""Marked texts of two messages, joined or mixed: how many name one of the two, and that none names a third.

``pytest plugins/stela-payload/tests/test_spliced.py -s`` prints a row for each kind of pair.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

import stela_core as stela

from .message_texts import text_of

EACH = 200
"""Tokens of a text."""

PAIRS = 60

Random = np.random.Generator
Ids = list[int]


def counters(random: Random) -> list[int]:
    """Each two numbers of 16 bits, all below 256."""
    a, b, c, d = random.choice(256, 4, replace=False).tolist()
    return [a << 16 | b, c << 16 | d]


def numbers(random: Random) -> list[int]:
    """Below 256."""
    return [int(one) for one in random.choice(256, 2, replace=False)]


def messages(random: Random) -> list[int]:
    """Any."""
    return [int(one) for one in random.integers(0, 2**32, 2)]


def sharing(random: Random) -> list[int]:
    """Any that have one byte in common, at its place."""
    one, other = messages(random)
    byte = 0xFF << 8 * int(random.integers(4))
    return [one, one & byte | other & ~byte]


KINDS: dict[str, Callable[[Random], list[int]]] = {
    "counters": counters,
    "numbers": numbers,
    "random": messages,
    "one byte shared": sharing,
}


def in_turns(one: Ids, other: Ids, length: int) -> Ids:
    """So many tokens of each in turn."""
    begins = range(0, len(one), length)
    return [token for begin in begins for text in (one, other) for token in text[begin : begin + length]]


MIXED: dict[str, Callable[[Ids, Ids], Ids]] = {
    "halves": lambda one, other: one + other,
    "sentences": lambda one, other: in_turns(one, other, 20),
    "interleaved": lambda one, other: in_turns(one, other, 1),
}


def named(kind: str, pairs: int) -> dict[str, Counter[str]]:
    """Of each way to mix, how many texts name ``one`` of the pair, a ``third``, or ``none``."""
    random, rows = np.random.default_rng(5), {how: Counter[str]() for how in MIXED}
    for seed in range(pairs):
        mark = stela.create("gumbel", model="tiny", bits=32, key=int(random.integers(1, 2**63)))
        pair = KINDS[kind](random)
        one, other = text_of(mark.marker(message=pair), 2, EACH, 4000, seed)
        for how, mix in MIXED.items():
            [detection] = mark.detect_ids([mix(one, other)])
            found = detection.message
            sure = detection.watermarked and found is not None and found.is_sure
            rows[how]["none" if not sure else "one" if found.value in pair else "third"] += 1
    return rows


@pytest.mark.slow
def test_a_pair_of_counters_names_no_third_message() -> None:
    assert not any(row["third"] for row in named("counters", 1).values())


@pytest.mark.deep(stand_in="test_a_pair_of_counters_names_no_third_message")
@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_no_pair_names_a_third_message(kind: str) -> None:
    for how, row in named(kind, PAIRS).items():
        print(f"{kind}, {how}: none {row['none']}, one {row['one']}, third {row['third']}")
        assert row["third"] == 0
        assert row.total() == PAIRS
