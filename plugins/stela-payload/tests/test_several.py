"""Whether a message may be shown where a text may hold several, against all codes of a small alphabet."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest
from stela_payload.several import SEVERAL, error_among_several, free_sets, runs_of


@pytest.mark.parametrize("count", [3, 4, 5])
@pytest.mark.parametrize("several", [1, 2, 3])
def test_other_codes_are_counted(count: int, several: int) -> None:
    """No more than ``N`` have the same free blocks, none has fewer than two."""
    size = 4
    codes = [tuple((byte + number) % size for byte in range(count)) for number in range(several)]
    seen: Counter[int] = Counter()
    for other in product(range(size), repeat=count):
        after = [*other[1:], other[0]]
        blocks = list(zip(other, after, strict=True))
        held = [any((c[n], c[(n + 1) % count]) == blocks[n] for c in codes) for n in range(count)]
        free = sum(1 << n for n in range(count) if not held[n])
        if other in codes:
            assert free == 0
            continue
        assert free.bit_count() >= 2
        seen[free] += 1
    for free, number in seen.items():
        runs = runs_of(free, count)
        assert number <= several**runs * size ** (free.bit_count() - runs)


@pytest.mark.parametrize("count", [3, 4, 8])
def test_sets_and_their_numbers(count: int) -> None:
    sets = 2**count - count - 1
    listed = free_sets(count)
    assert len(listed) == sets
    for free, number in listed:
        blocks = [str(free >> n & 1) for n in range(count)]
        runs = sum(before + one == "10" for before, one in zip(blocks[-1:] + blocks, blocks, strict=False))
        assert number == sets * SEVERAL**runs * 256 ** (free.bit_count() - runs)


@pytest.mark.parametrize("issued", [None, 1, 1000])
def test_the_bound_is_the_largest_of_all_sets(issued: int | None) -> None:
    """Each set of two blocks or more can forbid a message by itself; a single block cannot."""
    sets = 2.0**4 - 5
    for free, number in free_sets(4):
        most = number if issued is None else min(number, sets * issued)
        error = error_among_several(lambda blocks, free=free: 1e-12 if blocks == free else 0.0, 4, issued)  # type: ignore[misc]
        assert error == pytest.approx(min(1.0, most * 1e-12))
    assert error_among_several(lambda blocks: float(blocks.bit_count() == 1), 4, issued) == 0.0
    assert error_among_several(lambda blocks: 1.0, 4, issued) == 1.0
    assert np.isclose(error_among_several(lambda blocks: 1e-9, 3, 1), 4e-9)
