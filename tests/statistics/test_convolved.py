"""The compiled way of adding coins beside numpy's, bit for bit."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stela_core.statistics import convolved as module
from stela_core.statistics.added_coins import add_coins
from stela_core.statistics.convolved import compiled_adding, convolved
from stela_core.statistics.lattice import to_lattice

pytest.importorskip("numba")
pytestmark = pytest.mark.slow


@settings(max_examples=80, deadline=None)
@given(
    weights=st.lists(st.floats(1e-3, 3.0) | st.sampled_from([0.25, 0.5]), min_size=2, max_size=250),
    share=st.floats(0.0, 1.0),
    gamma=st.sampled_from([0.05, 0.25, 0.5, 0.9]),
    tie=st.booleans(),
)
def test_same_bits(weights: list[float], share: float, gamma: float, tie: bool) -> None:
    compiled = compiled_adding()
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
    import numba  # noqa: F401

    values, counts = np.array([3, 5, 700]), np.array([4, 2, 1])
    before = convolved(values, counts, 701, 700, 0.25)
    taken = []

    def counted() -> module.Adding | None:
        taken.append(True)
        return compiled_adding()

    monkeypatch.setattr(module, "compiled_adding", counted)
    monkeypatch.setattr(module, "_CALLS", iter([module.WORTH - 1, module.WORTH, module.WORTH]))
    assert convolved(values, counts, 701, 700, 0.25) == before
    assert not taken
    assert convolved(values, counts, 701, 700, 0.25) == before
    assert taken
    monkeypatch.delitem(sys.modules, "numba")
    assert convolved(values, counts, 701, 700, 0.25) == before
    assert len(taken) == 1


def test_numpy_stays_where_bits_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    from stela_core.statistics import added_coins_compiled

    def other(*_: object) -> tuple[float, float]:
        return 0.0, 0.0

    monkeypatch.setattr(added_coins_compiled, "add_coins_compiled", other)
    assert compiled_adding.__wrapped__() is None
