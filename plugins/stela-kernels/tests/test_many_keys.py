"""Seeds and sums under many keys: the compiled hash is hashlib's, whatever the keys and contexts."""

from __future__ import annotations

from hashlib import blake2b
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_kernels import many_keys
from stela_kernels.many_keys import keyed_seeds_under

from stela_core.builtin.hashers import KeyedHasher
from stela_core.hashing.keys import keyed_seeds
from stela_core.interfaces import Hasher, HasherParameters

pytest.importorskip("numba")

GOLDEN = 0xA57CF8851A9965CE
"""Of hashlib, Python 3.12."""

keys_of = st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=70)


@pytest.fixture(autouse=True)
def always_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_keys, "WORTH", 0)


@given(keys_of, st.integers(0, 16), st.integers(1, 70), st.integers(0, 2**32 - 1))
def test_a_row_is_the_seeds_of_a_key(keys: list[int], width: int, count: int, seed: int) -> None:
    """Widths up to the widest, and more or fewer contexts than there are lanes."""
    contexts = np.random.default_rng(seed).integers(0, 2**32, (count, width))
    rows = many_keys._hashed_together(keys, contexts)
    assert rows.dtype == np.uint64
    for key, row in zip(keys, rows, strict=True):
        assert row.tolist() == keyed_seeds(key, contexts).tolist()


def test_against_hashlib_and_a_golden_value() -> None:
    contexts = np.array([[7, 2**32 - 1, 0], [1, 2, 3]])
    [[first, second]] = keyed_seeds_under([0x0123456789ABCDEF], contexts).tolist()
    data = b"".join(n.to_bytes(4, "little") for n in (1, 2, 3))
    key = (0x0123456789ABCDEF).to_bytes(8, "little")
    digest = blake2b(data, digest_size=8, key=key, person=b"stela/hash/1").digest()
    assert second == int.from_bytes(digest, "little") == GOLDEN
    assert first == keyed_seeds(0x0123456789ABCDEF, contexts)[0]


def test_no_context_has_no_seed() -> None:
    assert keyed_seeds_under([1, 2], np.empty((0, 2), dtype=np.int64)).shape == (2, 0)


@pytest.mark.parametrize("width", [1, 4])
def test_blocks_of_keys_join(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    """What is held at once is bounded; sums are those of key after key, to the last bit."""
    mark = KeyedHasher(HasherParameters(context_width=width), 5)
    random = np.random.default_rng(1)
    keys = [int(key) for key in random.integers(0, 2**63, 25)]
    contexts, tokens = random.integers(0, 9, (80, width)), random.integers(0, 9, 80)
    weights = random.integers(1, 9, (80, 1)).astype(np.float64)
    expected = Hasher.sums_under(mark, keys, contexts, tokens, weights).tolist()
    for size in (1, 400, 1 << 16):
        monkeypatch.setattr(many_keys, "AT_ONCE", size)
        assert mark.sums_under(keys, contexts, tokens, weights).tolist() == expected


def test_without_numba_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    contexts = np.arange(6)[:, None]
    expected = keyed_seeds_under([3, 4], contexts).tolist()
    monkeypatch.setitem(__import__("sys").modules, "stela_kernels.compiled_blake2b", None)
    assert keyed_seeds_under([3, 4], contexts).tolist() == expected


class Other(KeyedHasher):
    """Green by parity: what is known of its parent's sums does not hold."""

    def green(self, seeds: object, tokens: object) -> object:  # type: ignore[override]
        return np.asarray(tokens) % 2 == 0


def test_a_subclass_with_other_colours_does_not_inherit_the_short_cut() -> None:
    assert KeyedHasher(HasherParameters(), 1).sums_quickly
    assert not Other(HasherParameters(), 1).sums_quickly


def test_many_small_calls_load_numba_as_one_large_call_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(many_keys, "sys", SimpleNamespace(modules={}))
    way, size = many_keys._Way(), many_keys.LOADING // 4
    assert [way(size) for _ in range(3)] == [many_keys.one_by_one] * 3
    assert way(many_keys.WORTH - 1) == many_keys.one_by_one
    assert way(size) == many_keys._hashed_together
    assert way(many_keys.WORTH - 1) == many_keys.one_by_one
    assert many_keys._Way()(many_keys.LOADING) == many_keys._hashed_together
