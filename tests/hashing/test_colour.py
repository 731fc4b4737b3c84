"""The published definition of green: golden vectors, and every path against plain integers."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stela_kernels import torch_bias
from stela_testing.colours import green_reference, mix_reference

from stela_core.hashing import colour, keys

# (key, context, token, gamma, seed, x, green), computed once from the definition in plain integers and
# frozen. If one changes, every text marked so far is lost: mend the code, never the table.
GOLDEN = [
    (0x0000000000000000, (0,), 0, 0.5, 0x33A142BA0DE473D0, 0xDE17EA1B, False),
    (0x0000000000000000, (1,), 0, 0.5, 0x7CED7DBEE38AFCF4, 0xB1AB6F2F, False),
    (0x0000000000000001, (0,), 1, 0.5, 0x929E78FBEF29908F, 0x8B2391B3, False),
    (0x0123456789ABCDEF, (13,), 42, 0.25, 0x77A7E69516E844AF, 0xA55A3F5E, False),
    (0x0123456789ABCDEF, (13,), 42, 0.75, 0x77A7E69516E844AF, 0xA55A3F5E, True),
    (0x0123456789ABCDEF, (42, 13), 151935, 0.25, 0x771A1461935898B6, 0xB855613B, False),
    (0xFFFFFFFFFFFFFFFF, (151935,), 151935, 0.5, 0x2B0F8C95FC7BCCAB, 0x80F66D8F, False),
    (0xFFFFFFFFFFFFFFFF, (4294967295,), 4294967295, 0.9, 0xFB69CD08E1D9190D, 0xBEED7C73, True),
    (0xDEADBEEFCAFEF00D, (5, 6, 7, 8), 9, 0.1, 0xEF711025C5D43036, 0x3346F380, False),
    (0xDEADBEEFCAFEF00D, (5, 6, 7, 8), 9, 0.21, 0xEF711025C5D43036, 0x3346F380, True),
    (0xDEADBEEFCAFEF00D, (8, 7, 6, 5), 9, 0.1, 0x50FF0983CCB2B63D, 0x6D2D1D99, False),
    (0x0000000000EC4BA7, (464,), 262, 0.25, 0x4FDFC9325513C991, 0x39525773, True),
]

seeds = st.integers(0, 2**64 - 1)
words = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize(("key", "context", "token", "gamma", "seed", "x", "green"), GOLDEN)
def test_golden_vectors(
    key: int, context: tuple[int, ...], token: int, gamma: float, seed: int, x: int, green: bool
) -> None:
    assert keys.seed_of(key, context) == seed
    assert mix_reference(seed, token) == x
    assert green_reference(seed, token, gamma) is green
    assert keys.keyed_seeds(key, np.array([context])).tolist() == [seed]
    assert colour.mix(np.array([seed], np.uint64), np.array([token])).tolist() == [x]
    assert colour.green(np.array([seed], np.uint64), np.array([token]), gamma).tolist() == [green]


def triple32(x: int) -> int:
    """hash-prospector's triple32 as its author gives it, in the C compiler's own arithmetic."""
    u32 = ctypes.c_uint32
    x ^= x >> 17
    x = u32(x * 0xED5AD4BB).value
    x ^= x >> 11
    x = u32(x * 0xAC4C1B51).value
    x ^= x >> 15
    x = u32(x * 0x31848BAB).value
    x ^= x >> 14
    return x


@settings(deadline=None, derandomize=True)
@given(seeds, st.integers(0, 300), st.floats(0.01, 0.99), st.integers(1, 70))
def test_a_list_is_made_of_blocks(seed: int, size: int, gamma: float, block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(colour, "BLOCK", block)
        made = colour.green_list(np.uint64(seed), size, gamma).tolist()
    assert made == [green_reference(seed, token, gamma) for token in range(size)]


def test_a_list_of_a_whole_vocabulary() -> None:
    seed, size = np.uint64(0xFFEEDDCCBBAA9988), 3 * colour.BLOCK + 5
    wanted = colour.green(np.repeat(seed, size), np.arange(size), 0.25)
    assert (colour.green_list(seed, size, 0.25) == wanted).all()


@settings(deadline=None, derandomize=True)
@given(words, words)
def test_without_the_high_half_it_is_triple32(low: int, token: int) -> None:
    assert mix_reference(low, token) == triple32(low ^ token)


@settings(deadline=None, derandomize=True)
@given(st.lists(st.tuples(seeds, words), min_size=1, max_size=20), st.floats(0.01, 0.99))
def test_numpy_is_the_definition(pairs: list[tuple[int, int]], gamma: float) -> None:
    of, tokens = (np.array(column, dtype=np.uint64) for column in zip(*pairs, strict=True))
    assert colour.mix(of, tokens).tolist() == [mix_reference(s, t) for s, t in pairs]
    wanted = [green_reference(s, t, gamma) for s, t in pairs]
    assert colour.green(of, tokens.astype(np.int64), gamma).tolist() == wanted


def test_shapes_broadcast() -> None:
    of, tokens = np.array([3, 2**63 + 5], np.uint64), np.arange(4)
    wanted = [[mix_reference(s, t) for t in range(4)] for s in of.tolist()]
    assert colour.mix(of[:, None], tokens).tolist() == wanted
    assert colour.mix(2**40, np.array(7)).shape == ()
    assert colour.mix(np.array([], np.uint64), np.array([], np.int64)).shape == (0,)


@pytest.mark.parametrize(
    ("gamma", "wanted"), [(0.5, 1 << 31), (0.25, 1 << 30), (0.1, 429496729), (1 - 2**-53, 2**32 - 1)]
)
def test_threshold(gamma: float, wanted: int) -> None:
    assert colour.threshold(gamma) == wanted


@settings(deadline=None, derandomize=True)
@given(st.lists(seeds, min_size=1, max_size=3), st.floats(0.01, 0.99), st.integers(1, 70000))
def test_torch_has_the_same_green_set(of: list[int], gamma: float, vocabulary: int) -> None:
    array = np.array(of, np.uint64)
    wanted = colour.green(array[:, None], np.arange(vocabulary), gamma)
    np.testing.assert_array_equal(torch_bias.green(array, vocabulary, gamma).numpy(), wanted)
