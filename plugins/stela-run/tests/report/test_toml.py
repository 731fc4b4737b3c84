"""The experiment in the report is the experiment that was run."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_run.plan.read import parse_experiment
from stela_run.plan.schema import Experiment
from stela_run.report.read import read_run
from stela_run.report.rerun import rerun_of
from stela_run.report.toml import to_toml

from tests.tiers import examples

pytestmark = pytest.mark.slow

WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
NUMBERS = st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    WORDS | NUMBERS | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)


@examples(150)
@given(
    WORDS, st.dictionaries(WORDS, VALUES, max_size=4), st.dictionaries(WORDS, WORDS, min_size=1, max_size=3)
)
def test_any_content_is_read_back(title: str, parameters: dict[str, Any], languages: dict[str, str]) -> None:
    content = {
        "title": title,
        "languages": {name: {"tagger": tagger} for name, tagger in languages.items()},
        "schemes": [{"name": "kgw", "parameters": {"x": 1, **parameters}}],
    }
    assert tomllib.loads(to_toml(content)) == content


def test_the_run_is_described_in_full(finished: Path) -> None:
    run = read_run(finished)
    rerun = rerun_of(run)
    again = parse_experiment(tomllib.loads(rerun.toml), "report")
    assert again == Experiment.model_validate(run.experiment)
    assert rerun.versions["stela-core"]
    assert [(row["label"], row["seed"]) for row in rerun.profiles] == [
        ("<script>alert('label')</script>", 0),
        ("stela", 0),
    ]
    assert all(len(row["profile_sha256"]) == 64 for row in rerun.profiles)
