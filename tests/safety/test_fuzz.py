"""2,000 mutated files of all kinds; ``python -m tests.safety.fuzz`` reads 50,000."""

from __future__ import annotations

import random

import pytest

from tests.safety.fuzz import fuzz
from tests.safety.mutations import SHARES, mutated


@pytest.mark.deep(stand_in="plugins/stela-documents/tests/test_hostile.py::test_bombs_are_refused")
@pytest.mark.slow
def test_only_success_or_a_stela_error_comes_out() -> None:
    findings = fuzz(2000, seed=10)
    assert findings.failures == []
    for kind in SHARES:
        assert findings.outcomes[kind, "StelaError"] > 0, kind
    # The mutations are not noise: some of their files are whole.
    for kind in ("profile", "table", "corpus", "treebank", "cell", "key"):
        assert findings.outcomes[kind, "read"] > 0, kind


def test_an_input_is_the_same_in_every_run() -> None:
    for kind in SHARES:
        assert mutated(kind, random.Random("2026 5")) == mutated(kind, random.Random("2026 5"))
