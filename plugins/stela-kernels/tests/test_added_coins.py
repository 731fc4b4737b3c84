"""The compiled way of adding coins beside numpy's, bit for bit."""

from __future__ import annotations

import sys

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_kernels import compiled_coins
from stela_kernels.added_coins import same_adding
from stela_kernels.lazy_compiled import LOADING, WORTH, LazyCompiled

from stela_core.statistics.added_coins import add_coins
from stela_core.statistics.lattice import to_lattice
from tests.tiers import examples

pytestmark = pytest.mark.slow


@examples(80)
@given(
    weights=st.lists(st.floats(1e-3, 3.0) | st.sampled_from([0.25, 0.5]), min_size=2, max_size=250),
    share=st.floats(0.0, 1.0),
    gamma=st.sampled_from([0.05, 0.25, 0.5, 0.9]),
    tie=st.booleans(),
)
def test_same_bits(weights: list[float], share: float, gamma: float, tie: bool) -> None:
    compiled = same_adding(add_coins)
    assert compiled is not None
    coins = to_lattice(np.array(weights))
    coins = coins[coins > 0]
    floor = max(1, int(share * coins.sum()))
    limit = floor + tie
    band = np.zeros(limit)
    band[0] = 1.0
    given = (coins, limit, floor, 1, 0.0, gamma)
    assert compiled(band.copy(), *given) == add_coins(band, *given)


def test_taken_once_it_is_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    both = LazyCompiled(min, lambda: max)
    monkeypatch.setitem(sys.modules, "numba", numba)
    assert [both.run(1, 2) for _ in range(WORTH + 1)] == [1] * WORTH + [2]


def test_loaded_once_that_is_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call takes a tenth of a second of the clock: five before numba is loaded."""
    clock = (seconds / 10 for call in range(99) for seconds in (call, call + 1))
    monkeypatch.delitem(sys.modules, "numba")
    both = LazyCompiled(min, lambda: max, lambda: next(clock))
    calls = round(LOADING / 0.1)
    assert [both.run(1, 2) for _ in range(calls + 2)] == [1] * calls + [2, 2]


def test_without_numba_numpy_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise ImportError

    monkeypatch.setitem(sys.modules, "numba", numba)
    both = LazyCompiled(min, missing)
    assert {both.run(1, 2) for _ in range(100)} == {1}


def test_numpy_stays_where_bits_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    def other(*_: object) -> tuple[float, float]:
        return 0.0, 0.0

    monkeypatch.setattr(compiled_coins, "add_coins_compiled", other)
    assert same_adding(add_coins) is None
