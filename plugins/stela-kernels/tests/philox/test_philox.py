from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from stela_kernels.philox.philox import philox4x32

from tests.tiers import examples

WORD = st.integers(0, 2**32 - 1)
ONES = 2**32 - 1

KNOWN = [
    ([0, 0, 0, 0], [0, 0], [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ([ONES] * 4, [ONES] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    (
        [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
        [0xA4093822, 0x299F31D0],
        [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
    ),
]
"""Counters, keys and outputs of philox4x32-10 in the known-answer tests of Random123."""


def plain(counter: list[int], key: list[int]) -> list[int]:
    """The definition in plain integers."""
    a, b, c, d = counter
    k, m = key
    for _ in range(10):
        p, q = a * 0xD2511F53, c * 0xCD9E8D57
        a, b, c, d = q >> 32 ^ b ^ k, q & ONES, p >> 32 ^ d ^ m, p & ONES
        k, m = k + 0x9E3779B9 & ONES, m + 0xBB67AE85 & ONES
    return [a, b, c, d]


def test_known_answers() -> None:
    for counter, key, out in KNOWN:
        assert plain(counter, key) == out
        own = philox4x32(np.array(counter, dtype=np.uint64)[:, None], np.array(key, dtype=np.uint64)[:, None])
        assert own[:, 0].tolist() == out


@examples(30)
@given(st.lists(st.lists(WORD, min_size=6, max_size=6), min_size=1, max_size=4))
def test_whole_arrays_are_the_definition(rows: list[list[int]]) -> None:
    words = np.array(rows, dtype=np.uint64).T
    own = philox4x32(words[:4], words[4:])
    assert own.T.tolist() == [plain(row[:4], row[4:]) for row in rows]
