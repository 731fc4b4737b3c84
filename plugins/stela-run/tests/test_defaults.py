"""What an experiment leaves open is filled in by what is installed; unmarked texts need no plugin."""

from __future__ import annotations

import inspect
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
import stela_run
from stela_run.mistakes import find_mistakes
from stela_run.plan.defaults import default_metrics
from stela_run.plan.plan import Plan, make_plan
from stela_run.plan.read import parse_experiment

import stela_core as stela
from stela_core.registry.components import Registry
from stela_core.registry.manager import create_plugins

MINE = """
import stela_core as stela
import stela_run

class Always(stela_run.Metric):
    name = "always"
    by_default = True
    def measure(self, sample):
        return []

@stela.hookimpl
def stela_register_metrics():
    return Always
"""


def light(*names: str) -> Registry:
    """As after ``pip install stela-core`` and these plugins."""
    installed = [e for e in entry_points(group="stela") if e.name in {*names, "run"}]
    return Registry(create_plugins(installed=installed))


def plan_of(registry: Registry, folder: Path | None, **content: Any) -> Plan:
    base = {
        "model": "tiny-small",
        "texts": 3,
        "languages": {"en": {"tagger": "any", "prompts": "en.jsonl"}},
        "schemes": [{"name": "uniform"}],
    }
    return make_plan(registry, parse_experiment({**base, **content}, "it"), folder)


def test_metrics_by_default_are_the_installed_ones_that_say_so(workplace: Path, tmp_path: Path) -> None:
    def metrics(registry: Registry) -> list[str]:
        return [part.label for part in plan_of(registry, workplace).experiment.metrics]

    assert metrics(stela.create_registry()) == ["roc", "fidelity-bias"]
    assert metrics(light("fidelity")) == ["fidelity-bias"]
    (tmp_path / "mine.py").write_text(MINE)
    assert metrics(stela.create_registry([tmp_path / "mine.py"])) == ["always", "roc", "fidelity-bias"]


def test_metrics_by_default_run_as_they_are(registry: stela.Registry) -> None:
    """With default parameters, and without a ``check``: they ask for nothing."""
    for name in default_metrics(registry):
        metric = registry.get(stela_run.Metric, name)
        metric(metric.Parameters())
        assert inspect.getattr_static(metric, "check") is stela_run.Metric.check


def test_where_none_is_installed_a_note_says_so(workplace: Path) -> None:
    plan = plan_of(light(), workplace)
    assert plan.experiment.metrics == []
    [note] = plan.notes
    assert "no metric is installed that is measured by default" in note
    assert plan_of(light(), workplace, metrics=[]).notes == []
    assert plan_of(light("roc"), workplace).notes == []


def test_metrics_by_default_are_checked_before_a_run(
    workplace: Path, tmp_path: Path, registry: stela.Registry
) -> None:
    content = MINE.replace("def measure", "def check(self, preflight): 1 / 0\n    def measure")
    (tmp_path / "failing.py").write_text(content)
    experiment = parse_experiment(
        {"model": "tiny-small", "languages": {"en": {"tagger": "penn"}}, "schemes": ["kgw"]}
        | {"schemes": [{"name": "kgw"}]},
        "it",
    )
    failing = stela.create_registry([tmp_path / "failing.py"])
    [mistake] = find_mistakes(failing, experiment, None).mistakes
    assert "ZeroDivisionError" in mistake.message


def test_a_text_source_stands_in_where_it_says_so(tmp_path: Path) -> None:
    languages = {"en": {"tagger": "any"}}
    plan = plan_of(light("sample", "corpora", "roc"), None, languages=languages)
    assert plan.sample == ["en"]
    [note] = plan.notes
    assert note == "no prompts for en: the small shipped sample stands in; use --data FOLDER"
    named = plan_of(
        light("sample", "corpora", "roc"), None, languages={"en": {"tagger": "any", "prompts": "sample"}}
    )
    assert (named.sample, named.notes) == (["en"], [])
    with pytest.raises(stela.StelaError, match=r"no prompts for en.*or pip install stela-corpora"):
        plan_of(light("roc"), None, languages=languages)


def test_unmarked_texts_need_no_plugin_and_are_those_of_a_bias_of_0(
    workplace: Path, registry: stela.Registry
) -> None:
    plain, _ = plan_of(light(), workplace).generate
    assert plain.id.startswith("g-tiny-small-en-unmarked-")
    zero = plan_of(registry, workplace, schemes=[{"name": "kgw", "delta": 0.0}])
    digests = {cell.id.rsplit("-", 1)[1] for cell in zero.generate}
    assert digests == {plain.id.rsplit("-", 1)[1]}
