"""The token at which a cumulative distribution passes a level, against sorting the whole vocabulary."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from stela_unbiased.crossing import Cumulative


def crossed(p: list[float], numbers: list[int], level: float) -> tuple[int, float]:
    """The token, and the share of its probability above the level."""
    mark, total = level * sum(p), 0.0
    for token in sorted(range(len(p)), key=numbers.__getitem__):
        if total + p[token] > mark:
            return token, (total + p[token] - mark) / p[token]
        total += p[token]
    raise AssertionError("the last sum is above every level below 1")


@given(
    st.integers(0, 2**32),
    st.integers(1, 300),
    st.sampled_from([1 << 23, 1 << 14, 1]),
    st.integers(0, 63),
)
def test_as_by_sorting(seed: int, size: int, apart: int, part: int) -> None:
    """Levels are at, just below and between the sums; some tokens have no probability."""
    rng = np.random.default_rng(seed)
    # Sums of whole numbers are exact: no level is passed by rounding alone.
    p = rng.integers(0, 4, size).astype(np.float64)
    p[rng.integers(size)] = 5
    numbers = rng.permutation(512)[:size].astype(np.int64) * apart
    result = Cumulative(torch.from_numpy(p), torch.from_numpy(numbers)).crossing(part / 64)
    token, beyond = crossed(p.tolist(), numbers.tolist(), part / 64)
    assert (result.token, result.beyond) == (token, pytest.approx(beyond))


def test_rounding_never_chooses_a_token_without_probability() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        p = rng.dirichlet(np.full(400, 0.02))
        p[rng.random(400) < 0.5] = 0
        p /= p.sum()
        numbers = torch.from_numpy(rng.permutation(2**16)[:400].astype(np.int64) << 15)
        for level in (0.0, 1 - 2.0**-33, float(rng.random())):
            token = Cumulative(torch.from_numpy(p), numbers).crossing(level).token
            assert p[token] > 0
