from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from stela_interop.lists import FEW, GreenLists
from stela_interop.shuffles import first_of_permutation


def test_a_list_is_made_for_a_seed_asked_often() -> None:
    lists = GreenLists(1000, 250)
    expected = first_of_permutation(7, 1000, 250)
    for asked in range(FEW + 3):
        token = 100 * asked
        found = lists.colours(np.array([7], dtype=np.uint32), np.array([token]))
        assert found.tolist() == [expected[token]]
        assert len(lists) == (asked >= FEW)
    assert (lists.mask(7) == expected).all()


def test_memory_is_bounded_and_colours_stay() -> None:
    """Room for two lists of 1000 bits: the oldest goes, and is made again when asked for."""
    lists = GreenLists(1000, 500, budget=250)
    expected = [first_of_permutation(seed, 1000, 500) for seed in range(5)]
    for seed in [0, 1, 2, 3, 4, 0, 3, 0]:
        assert (lists.mask(seed) == expected[seed]).all()
        assert len(lists) <= 2
    seeds = np.repeat(np.arange(5), 1000).astype(np.uint32)
    shuffled = np.random.default_rng(0).permutation(5000)
    tokens = np.tile(np.arange(1000), 5)
    found = lists.colours(seeds[shuffled], tokens[shuffled])
    assert (found == np.concatenate(expected)[shuffled]).all()


def test_threads_share_lists() -> None:
    """Each thread has its own generator; the lists are common."""
    lists = GreenLists(500, 250, budget=200)
    seeds = np.arange(60).repeat(7).astype(np.uint32)
    tokens = np.tile(np.arange(0, 490, 70), 60)
    expected = np.array(
        [first_of_permutation(int(s), 500, 250)[t] for s, t in zip(seeds, tokens, strict=True)]
    )
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: lists.colours(seeds, tokens), range(16)))
    assert all((colours == expected).all() for colours in found)


def test_ids_past_the_vocabulary_are_red() -> None:
    lists = GreenLists(10, 9)
    tokens = np.array([-1, 10, 2**31, *range(10)])
    found = lists.colours(np.zeros(13, dtype=np.uint32), tokens)
    assert found[:3].tolist() == [False] * 3
    assert found.sum() == 9
    assert lists.colours(np.zeros(0, dtype=np.uint32), np.zeros(0, dtype=np.int64)).shape == (0,)
