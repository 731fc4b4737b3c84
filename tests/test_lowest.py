"""What the projects declare as lowest is one version of each dependency, and is what gets installed."""

from __future__ import annotations

from importlib.metadata import version

import pytest
from packaging.version import Version

from scripts.lowest import constraints, declared


def test_one_bound_of_each_in_all_projects() -> None:
    found = declared()
    assert {name: bounds for name, bounds in found.items() if len(bounds) > 1} == {}
    assert found["torch"] == {"2.6"}
    assert found["stanza"] == {"1.11"}


@pytest.mark.parametrize("line", constraints().splitlines())
def test_bounds_are_at_most_what_the_tests_run_with(line: str) -> None:
    name, _, lowest = line.partition("==")
    assert Version(lowest) <= Version(version(name))
