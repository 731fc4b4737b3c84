"""docs/attacks.md lists the attacks with their parameters, and its example works."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import stela_run
from hypothesis import given, settings
from hypothesis import strategies as st
from stela_models.loaded import Models

import stela_core as stela

PAGE = (Path(__file__).parents[3] / "docs" / "attacks.md").read_text(encoding="utf-8")
TABLE = PAGE.split("\n## ")[0]
"""What stands before the first heading: tables below it list parameters."""
ROWS = dict(re.findall(r"^\| `([\w-]+)` \| (.*) \|$", TABLE, re.MULTILINE))


def test_all_attacks_are_listed(registry: stela.Registry) -> None:
    assert sorted(ROWS) == registry.names(stela_run.Attack)


@pytest.mark.parametrize("name", ROWS)
def test_parameters_and_languages_are_the_attacks(registry: stela.Registry, name: str) -> None:
    found = registry.get(stela_run.Attack, name)
    _, parameters, languages, _ = ROWS[name].split(" |", 3)
    named = re.findall(r"`(\w+)`(?: ([\d.]+))?", parameters)
    fields = found.Parameters.model_fields
    assert named or not fields
    for parameter, default in named:
        assert parameter in fields
        if default:
            assert fields[parameter].default == float(default)
    if "..." not in parameters:
        assert {parameter for parameter, _ in named} == set(fields)
    assert languages.strip() == ("any" if found.languages is None else ", ".join(sorted(found.languages)))


@settings(deadline=None)
@given(st.lists(st.text(max_size=20), max_size=4))
def test_the_example_runs(registry: stela.Registry, texts: list[str]) -> None:
    [code] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    scope: dict[str, object] = {}
    exec(code, scope)
    made = scope["Typos"](stela.Parameters())  # type: ignore[operator]
    circumstances = stela_run.Circumstances("en", 1, [""] * len(texts), [], Models(registry))
    changed = made.apply(texts, circumstances)
    assert [len(text) for text in changed] == [len(text) + bool(text) for text in texts]
    assert changed == [made.apply([text], circumstances)[0] for text in texts]
