from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy
from stela_tables.levels import normalised_entropies, segment_entropies

Counts = list[list[int]]
SEGMENTS = st.lists(st.lists(st.integers(1, 10**6), min_size=1, max_size=12), min_size=1, max_size=8)


def laid_out(segments: Counts) -> tuple[np.ndarray, np.ndarray]:  # type: ignore[type-arg]
    flat = np.concatenate([np.array(s) / sum(s) for s in segments])
    return flat, np.cumsum([0, *map(len, segments[:-1])])


@given(SEGMENTS)
def test_as_scipy_one_by_one(segments: Counts) -> None:
    assert segment_entropies(*laid_out(segments)) == pytest.approx([entropy(s) for s in segments], abs=1e-12)


@given(SEGMENTS)
def test_normalised_is_scipy_to_the_base_of_the_number_of_outcomes(segments: Counts) -> None:
    expected = [entropy(s, base=len(s)) if len(s) > 1 else 0.0 for s in segments]
    found = normalised_entropies(*laid_out(segments))
    assert found == pytest.approx(expected, abs=1e-12)
    assert ((found >= 0) & (found <= 1)).all()


def test_known_values() -> None:
    # Fair coin: log 2. One outcome: 0. (1/2, 1/4, 1/4): 1.5 bits of log2(3) = 1.58496.
    found = normalised_entropies(*laid_out([[1, 1], [9], [2, 1, 1]]))
    assert found == pytest.approx([1.0, 0.0, 1.5 / 1.584962500721156])


def test_no_segments() -> None:
    assert len(normalised_entropies(np.zeros(0), np.zeros(0, dtype=np.intp))) == 0
