"""The benchmark of long texts: states that are kept, in a loop that passes for that of ``generate``."""

from __future__ import annotations

import pytest

from benchmarks import state
from stela_core.insertion import generate_call
from tests.helpers import count_look_ups


@pytest.mark.slow
@pytest.mark.parametrize("way", state.WAYS)
def test_steps_of_every_way(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are looked up once a length, where a text is taken up; nothing stays patched."""
    monkeypatch.setattr(state, "LENGTHS", (40, 60))
    monkeypatch.setattr(state, "STEPS", 20)
    before = (generate_call._GENERATE, generate_call._IN_TURN)
    lookups = count_look_ups(monkeypatch)
    rows = [list(range(300, 360)), list(range(400, 460))]
    times = state.measure(state.WAYS[way], "KGW", rows)
    assert len(times) == 2
    assert min(times) > 0
    assert lookups == ([21, 41] if "processor" in way else [])
    assert before == (generate_call._GENERATE, generate_call._IN_TURN)
