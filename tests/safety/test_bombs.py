"""No small file takes much memory or time: each is read in a process of its own, with a hard limit of CPU."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.safety.bombs import READ, bombs
from tests.safety.measure import rows

pytestmark = pytest.mark.slow

MEGABYTES = 300
"""Of memory beyond a process that has read honest files."""

ROOT = Path(__file__).parents[2]


@pytest.mark.deep(stand_in="plugins/stela-documents/tests/test_hostile.py::test_bombs_are_refused")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the measurement forks")
def test_no_file_takes_much_memory_or_time() -> None:
    """Readers that use more than ``measure.SECONDS`` of CPU are ended: their row says ``killed``."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.safety.measure"],
        cwd=ROOT,
        env={**os.environ, "TOKENIZERS_PARALLELISM": "false"},
        capture_output=True,
        text=True,
        check=True,
    )
    found = {row["name"]: row for row in rows(done.stdout)}
    assert set(found) == set(bombs())
    assert not [row for row in found.values() if "killed" in row or "raised" in row]
    assert not [row for row in found.values() if row["mb"] > MEGABYTES]
    refused = {name for name, row in found.items() if "error" in row}
    assert refused == set(found) - READ
