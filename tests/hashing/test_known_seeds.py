"""Seeds that are looked up are those that are hashed, whatever was asked for before."""

from __future__ import annotations

import copy
import pickle
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stela_core.builtin.hashers import KeyedHasher
from stela_core.hashing.keys import MOST_KNOWN, KnownSeeds, keyed_seeds, seed_of

IDS = st.one_of(
    st.integers(0, 40), st.integers(0, 2000), st.sampled_from([MOST_KNOWN - 1, MOST_KNOWN, 2**32 - 1])
)


@given(key=st.integers(0, 2**64 - 1), steps=st.lists(st.lists(IDS, max_size=6), max_size=8))
def test_each_step_gets_what_the_definition_gives(key: int, steps: list[list[int]]) -> None:
    known, hashed = KnownSeeds(key, 30), partial(keyed_seeds, key)
    for ids in steps:
        seeds = known.of(np.array(ids, dtype=np.int64)[:, None], hashed)
        assert seeds.dtype == np.uint64
        assert seeds.tolist() == [seed_of(key, [one]) for one in ids]


def test_what_came_before_is_not_hashed_again() -> None:
    hashed: list[int] = []

    def counted(contexts: np.ndarray) -> np.ndarray:
        hashed.extend(contexts[:, 0].tolist())
        return keyed_seeds(5, contexts)

    known = KnownSeeds(5)
    for ids in ([3, 9], [9, 3, 3], [700, 9], [3, 700]):
        known.of(np.array(ids)[:, None], counted)
    assert hashed == [3, 9, 700]


@pytest.fixture
def threads_that_switch_often() -> Iterator[None]:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("threads_that_switch_often")
def test_threads_share_it() -> None:
    """A quarter of these tables used to lose a seed that one thread added while another made room."""
    hashed = partial(keyed_seeds, 7)
    for seed in range(30):
        ids = np.random.default_rng(seed).integers(0, 200_000, 60 * 32)
        rows = np.sort(ids).reshape(60, 32, 1)  # so that room is made again and again
        known = KnownSeeds(7)
        with ThreadPoolExecutor(4) as pool:
            several = list(pool.map(lambda own, known=known: known.of(own, hashed), rows))
        assert np.array_equal(several, [hashed(own) for own in rows])
        assert np.array_equal(several, [known.of(own, hashed) for own in rows])


def test_a_hasher_under_another_key_has_others() -> None:
    contexts = np.array([[4], [5]])
    hasher = KeyedHasher(KeyedHasher.Parameters(), 1)
    assert hasher.seeds_of([0, 1], contexts).tolist() == hasher.seeds(contexts).tolist()
    for other in (hasher.under(2), copy.copy(hasher)):
        other.key = 2
        assert other.seeds_of([0, 1], contexts).tolist() == keyed_seeds(2, contexts).tolist()
    assert hasher.seeds_of([0, 1], contexts).tolist() == keyed_seeds(1, contexts).tolist()


def test_seeds_of_its_own_and_of_longer_contexts() -> None:
    class Own(KeyedHasher):
        name = "own"

        def seeds(self, contexts: np.ndarray) -> np.ndarray:
            return contexts.sum(axis=1).astype(np.uint64)

    own = Own(Own.Parameters(), 1)
    assert [own.seeds_of([0], np.array([[one]])).tolist() for one in (4, 4, 7)] == [[4], [4], [7]]
    wide = KeyedHasher(KeyedHasher.Parameters(context_width=2), 1)
    contexts = np.array([[4, 5], [4, 6]])
    assert wide.seeds_of([0, 1], contexts).tolist() == wide.seeds(contexts).tolist()


def test_it_travels_without_its_table() -> None:
    known = KnownSeeds(9, 100_000)
    hashed = partial(keyed_seeds, 9)
    wanted = known.of(np.array([[8]]), hashed)
    packed = pickle.dumps(known)
    assert len(packed) < 200
    assert pickle.loads(packed).of(np.array([[8]]), hashed) == wanted
