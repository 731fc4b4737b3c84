"""The shuffle against torch and against a plain loop."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from stela_interop import shuffles
from stela_kernels.philox.mt19937 import mt19937

from tests.tiers import examples

SEEDS = [0, 1, 15485863, 2971215073, 2**32 - 1, 2**32 + 7, 2**64 - 2]


def randperm(seed: int, size: int) -> np.ndarray:  # type: ignore[type-arg]
    generator = torch.Generator(device="cpu").manual_seed(seed)
    return torch.randperm(size, generator=generator).numpy()


def shuffled(seed: int, size: int, steps: int) -> list[int]:
    """Fisher and Yates, step by step."""
    entries = list(range(size))
    for i, draw in enumerate(mt19937(seed, steps).tolist()):
        j = i + draw % (size - i)
        entries[i], entries[j] = entries[j], entries[i]
    return entries


def test_golden_permutations() -> None:
    """Printed by torch 2.13.0 (CPU): they hold also where torch is another one, or none."""
    assert shuffles.permutation(0, 10).tolist() == [4, 1, 7, 5, 3, 9, 0, 8, 6, 2]
    assert shuffles.permutation(42, 10).tolist() == [2, 6, 1, 8, 4, 5, 0, 9, 3, 7]
    assert shuffles.permutation(2971215073, 1_000_003)[:4].tolist() == [250534, 296009, 268311, 356494]


@pytest.mark.parametrize("size", [1, 2, 3, 10, 257, 8192, 50272, 151936])
def test_permutation_is_that_of_torch(size: int) -> None:
    for seed in SEEDS:
        assert (shuffles.permutation(seed, size) == randperm(seed, size)).all()


def test_table_of_selfhash_is_that_of_torch() -> None:
    assert (shuffles.permutation(15485863, 1_000_003) == randperm(15485863, 1_000_003)).all()


@pytest.mark.parametrize("size", [2, 1000, 50272, 151936])
@pytest.mark.parametrize("gamma", [0.1, 0.25, 0.5, 0.7, 0.999])
def test_first_entries_are_those_of_torch(size: int, gamma: float) -> None:
    count = int(size * gamma)
    for seed in SEEDS[:4]:
        mask = np.zeros(size, dtype=bool)
        mask[randperm(seed, size)[:count]] = True
        assert (shuffles.first_of_permutation(seed, size, count) == mask).all()
        for entry in (0, 1, count - 1, count, size - 1):
            assert shuffles.is_among_first(seed, size, count, entry % size) == mask[entry % size]


@pytest.mark.slow
@examples(200)
@given(st.integers(0, 2**64 - 1), st.integers(1, 60), st.data())
def test_all_three_agree_with_the_loop(seed: int, size: int, data: st.DataObject) -> None:
    """Small sizes, where places are hit again and again."""
    count = data.draw(st.integers(0, size))
    expected = shuffled(seed, size, count)[:count]
    assert shuffles.permutation(seed, size).tolist() == shuffled(seed, size, size)
    assert np.flatnonzero(shuffles.first_of_permutation(seed, size, count)).tolist() == sorted(expected)
    among = [entry for entry in range(size) if shuffles.is_among_first(seed, size, count, entry)]
    assert among == sorted(expected)


@pytest.mark.parametrize(("size", "steps"), [(5, 6), (shuffles.LARGEST, 1), (5, -1)])
def test_what_torch_shuffles_otherwise_is_refused(size: int, steps: int) -> None:
    with pytest.raises(ValueError, match="no shuffle"):
        shuffles.targets(0, size, steps)
