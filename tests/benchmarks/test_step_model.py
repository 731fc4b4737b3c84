"""The model of a step: what shows of a host's work."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.step_model import exposed, seeds_ms

MS = st.floats(0, 1e3)


@given(host=MS, forward=MS, copies=MS, kernel=MS)
def test_what_shows(host: float, forward: float, copies: float, kernel: float) -> None:
    """On a time line the pass and the host's work begin together, and the kernel follows both."""
    after, during = exposed(host, forward, copies, kernel)
    end = max(forward, host + copies) + kernel
    assert forward + during == pytest.approx(end)
    assert after == host + copies + kernel
    assert 0 <= during <= after or during == pytest.approx(after)


def test_seeds_by_look_up_are_those_that_are_hashed() -> None:
    assert all(one >= 0 for one in seeds_ms())
