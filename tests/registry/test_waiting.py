"""Plugins of this project wait until something of theirs is asked for; nothing else about them changes."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import pytest
import stela_run
from stela_cli.main import build_cli
from stela_run.plan.plan import make_plan
from stela_run.plan.read import read_experiment
from stela_run.run import run_experiment

import stela_core as stela
from stela_core.catalogue import published
from stela_core.registry.components import Registry
from stela_core.registry.manager import create_plugins
from tests.tiers import Draws

SAME_NAME = """
import stela_core as stela

class Mine(stela.Scheme):
    name = "kgw"
    strength = evidence = "uniform"

@stela.hookimpl
def stela_register_schemes():
    return Mine
"""

WITH_A_METRIC = """
import stela_core as stela
import stela_run

class Mine(stela_run.Metric):
    name = "mine"

    def measure(self, texts):
        return {}

@stela.hookimpl
def stela_register_metrics():
    return Mine
"""


EXPERIMENT = """
model = "tiny-small"
texts = 2
lengths = [25]
negatives = false
[languages.en]
tagger = "penn"
[[schemes]]
name = "kgw"
[executor]
name = "local"
workers = 1
"""


def loaded(registry: stela.Registry) -> set[str]:
    return set(registry.plugins.origins) - {"core"}


def test_one_that_waits_gives_what_all_together_give(registry: stela.Registry, draws: Draws) -> None:
    """Each; in ``make test`` every fourth."""
    everything = {(entry.kind, entry.component.name): entry.component for entry in registry}
    assert not registry.plugins.waiting
    for (kind, name), component in list(everything.items())[:: draws(1, 4)]:
        interface = next(each for each in registry.plugins.interfaces if each.kind == kind)
        fresh = stela.create_registry()
        assert fresh.get(interface, name) is component
        assert loaded(fresh) <= {*published().owners_of(name), *published().hooks.values()}
    for interface in registry.plugins.interfaces:
        fresh = stela.create_registry()
        assert fresh.names(interface) == registry.names(interface)


def test_what_is_looked_up_loads_its_plugin_only() -> None:
    registry = stela.create_registry()
    assert loaded(registry) == set()
    assert registry.has(stela.Scheme, "kgw")
    assert loaded(registry) == {"kgw"}
    assert not registry.has(stela.Scheme, "sejong-mine")
    assert loaded(registry) == {"kgw", "sejong"}
    assert "stela-penn" in registry.distributions()
    assert loaded(registry) == {"kgw", "sejong"}


def test_a_name_of_this_project_stays_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "of_a_stranger.py").write_text(SAME_NAME, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    kgw = [entry for entry in entry_points(group="stela") if entry.name == "kgw"]
    for name in ("aaa", "zzz"):
        stranger = EntryPoint(name, "of_a_stranger", "stela")
        registry = Registry(create_plugins(installed=[stranger, *kgw]))
        assert registry.get(stela.Scheme, "kgw").__module__ == "stela_kgw"
        assert [broken.name for broken in registry.broken] == [name]
        assert "two schemes are named" in registry.broken[0].reason
    # A package of another name under the name of one of ours does not wait, and does not replace it.
    assert not published().has(EntryPoint("kgw", "of_a_stranger", "stela"))


def test_who_brings_a_hook_is_loaded_for_a_plugin_that_implements_it(tmp_path: Path) -> None:
    file = tmp_path / "with_a_metric.py"
    file.write_text(WITH_A_METRIC, encoding="utf-8")
    registry = stela.create_registry([file])
    assert loaded(registry) == {"run", "with_a_metric"}
    assert registry.get(stela_run.Metric, "mine").__name__ == "Mine"
    assert "edits-typo" in registry.names(stela_run.Attack)


@pytest.mark.slow
def test_an_experiment_runs_with_a_registry_that_nobody_asked(tmp_path: Path) -> None:
    experiment = tmp_path / "e.toml"
    experiment.write_text(EXPERIMENT, encoding="utf-8")
    plan = make_plan(stela.create_registry(), read_experiment(experiment), tmp_path)
    fresh = stela.create_registry()
    assert loaded(fresh) == set()
    assert run_experiment(fresh, plan, tmp_path / "run") == 0


def test_a_command_loads_its_plugin_only(registry: stela.Registry) -> None:
    fresh = stela.create_registry()
    cli = build_cli(fresh)
    with cli.make_context("stela", ["page"]) as context:
        assert cli.get_command(context, "page") is not None
        assert loaded(fresh) == {"page"}
        assert {*cli.list_commands(context)} >= {"run", "detect", "paper", "profile"}
        assert loaded(fresh) == {"page"}
    assert published().hooks.keys() >= {"stela_register_metrics", "stela_before_run"}


STARTS = """
import sys
from stela_cli.main import run
assert run({words}) == 0
heavy = [name for name in {heavy} if name in sys.modules]
ours = sorted(name for name in sys.modules if name.startswith("stela_") and "." not in name)
print("LOADED", heavy, ours)
"""


@pytest.mark.parametrize("words", [["--help"], ["profile", "--help"], ["--version"]])
def test_help_imports_nothing_heavy(words: list[str]) -> None:
    code = STARTS.format(words=words, heavy=["numpy", "pydantic", "rich", "tokenizers"])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "LOADED [] ['stela_cli', 'stela_core']"
