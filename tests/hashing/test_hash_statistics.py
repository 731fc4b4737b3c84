"""The mix behaves like coin flips; a weak one fails the same tests."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from stela_core.hashing import colour
from tests.hashing.battery import BATTERY, STRUCTURED, Mix, PValues, family_wise

ALPHA = 1e-6


@pytest.mark.parametrize("trial", BATTERY, ids=lambda trial: trial.__name__)
def test_the_mix_is_like_coin_flips(trial: object) -> None:
    assert callable(trial)
    assert family_wise(trial(colour.mix)) > ALPHA


def multiply(seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.uint32]:
    """Negative control: seed times token, as a careless hash would have it."""
    return (seeds * tokens.astype(np.uint64)).astype(np.uint32)


def one_round(seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.uint32]:
    """Negative control: one multiplication instead of three, half of the seed at the end."""
    low, high = colour.halves(seeds)
    x = low ^ tokens.astype(np.uint32)
    x ^= x >> np.uint32(17)
    x *= np.uint32(0xED5AD4BB)
    return x ^ high


def failures(mix: Mix) -> set[str]:
    found: list[tuple[str, PValues]] = [(trial.__name__, trial(mix)) for trial in BATTERY]
    return {name for name, p_values in found if family_wise(p_values) <= ALPHA}


@pytest.mark.slow
def test_weak_mixes_fail() -> None:
    assert {"uniform_over_tokens", "pairs_of_tokens", "avalanche"} <= failures(multiply)
    assert {"pairs_of_tokens", "avalanche"} <= failures(one_round)


@pytest.mark.deep(keep=["0", "1"])
@pytest.mark.slow
@pytest.mark.parametrize("seed", STRUCTURED.tolist())
def test_no_two_tokens_share_a_number(seed: int) -> None:
    numbers = colour.mix(np.uint64(seed), np.arange(1 << 18))
    assert len(np.unique(numbers)) == 1 << 18
