"""What may be shown of a message where a text may hold several, against all messages of a small alphabet."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_payload.several import SEVERAL, free_sets, runs_of, shown_bytes


@pytest.mark.parametrize("count", [3, 4, 5])
@pytest.mark.parametrize("several", [1, 2, 3])
def test_other_messages_are_counted(count: int, several: int) -> None:
    """No more than ``N`` have the same free blocks, none has fewer than two; runs are of one message."""
    size = 4
    messages = [tuple((byte + number) % size for byte in range(count)) for number in range(several)]
    seen: Counter[int] = Counter()
    for other in product(range(size), repeat=count):
        after = [*other[1:], other[0]]
        blocks = list(zip(other, after, strict=True))
        of = [[m for m in messages if (m[n], m[(n + 1) % count]) == blocks[n]] for n in range(count)]
        free = sum(1 << n for n in range(count) if not of[n])
        if other in messages:
            assert free == 0
            continue
        assert free.bit_count() >= 2
        seen[free] += 1
        for run in runs_of(free, count):
            assert any(all(m[n] == other[n] for n in range(count) if run >> n & 1) for m in messages)
    for free, number in seen.items():
        runs = len(runs_of(free, count))
        assert number <= several**runs * size ** (free.bit_count() - runs)


@pytest.mark.parametrize("count", [3, 4, 8])
def test_sets_and_their_numbers(count: int) -> None:
    sets = 2**count - count - 1
    listed = free_sets(count)
    assert len(listed) == sets
    for free, runs, number in listed:
        assert number == sets * SEVERAL ** len(runs) * 256 ** (free.bit_count() - len(runs))
        covered = sum(runs)
        assert covered == covered & (1 << count) - 1  # runs share no byte
    assert runs_of(0b011, 3) == [0b101]


@given(seed=st.integers(0, 2**32), count=st.sampled_from([3, 4, 5]), issued=st.sampled_from([None, 1, 1000]))
def test_as_much_is_shown_as_may_be(seed: int, count: int, issued: int | None) -> None:
    """By trying all sets of bytes."""
    random = np.random.default_rng(seed)
    tails = 10.0 ** -random.uniform(0, 8 * count, 1 << count)
    shown, error = shown_bytes(lambda free: float(tails[free]), count, 1e-4, 2.0, issued)
    sets, allowed = 2.0**count - count - 1, {}
    for part in range(1, 1 << count):
        bound = 0.0
        for free, runs, number in free_sets(count):
            if not any(part | run == run for run in runs):
                most = number if issued is None else min(number, sets * issued)
                bound = max(bound, min(1.0, 2.0 * most * float(tails[free])))
        if bound <= 1e-4:
            allowed[part] = bound
    if not allowed:
        assert (shown, error) == (0, 1.0)
        return
    assert shown.bit_count() == max(part.bit_count() for part in allowed)
    assert allowed[shown] == error
