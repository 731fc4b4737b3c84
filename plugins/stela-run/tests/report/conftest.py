from __future__ import annotations

import json
from pathlib import Path

import pytest
from stela_run.plan.plan import make_plan
from stela_run.plan.read import read_experiment
from stela_run.run import run_experiment

import stela_core as stela

PLUGIN = """
import stela_core as stela
import stela_run
from stela_core import Parameters


class ChopParameters(Parameters):
    share: float = 0.3


class Chop(stela_run.Attack):
    name = "chop"
    Parameters = ChopParameters

    def apply(self, texts, circumstances):
        return [text[int(len(text) * self.parameters.share) :] for text in texts]


class Broken(stela_run.Attack):
    name = "broken"

    def apply(self, texts, circumstances):
        raise stela.StelaError("<i>no</i> such luck.", "try & try again")


class Zero(stela_run.Metric):
    name = "zero"

    def measure(self, sample):
        return [stela_run.Value("ratio", 1 / 0)]


@stela.hookimpl
def stela_register_attacks():
    return [Chop, Broken]


@stela.hookimpl
def stela_register_metrics():
    return Zero
"""

EXPERIMENT = """
title = "</title><script>alert('title')</script>"
about = "Is <b>this</b> \\"safe\\" & $sound$?"
model = "tiny-small"
lengths = [10, 20]
texts = 8
keys = 13
batch_size = 8
attacks = ["none", { name = "chop", share = 0.2 }, { name = "chop", share = 0.6 }, "broken"]
metrics = ["roc", "fidelity-bias", "fidelity-speed", "zero"]

[languages.en]
tagger = "penn"
prompts = "en.jsonl"

[[schemes]]
name = "kgw"
delta = 1.5
label = "<script>alert('label')</script>"

[[schemes]]
name = "stela"
mean_bias = 0.5
"""


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run; its strengths differ, one attack fails, and much of its text is hostile."""
    folder = tmp_path_factory.mktemp("report")
    (folder / "mine.py").write_text(PLUGIN, encoding="utf-8")
    (folder / "it.toml").write_text(EXPERIMENT, encoding="utf-8")
    sentence = "The river froze, and for six weeks no ship could reach the <em>town</em> at all, it is said"
    rows = [
        {"prompt": f"<img src=x onerror=alert({n})> In year {n}", "continuation": f"{n} {sentence} {n * n}."}
        for n in range(8)
    ]
    (folder / "en.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    registry = stela.create_registry([folder / "mine.py"])
    plan = make_plan(registry, read_experiment(folder / "it.toml"), folder)
    assert run_experiment(registry, plan, folder / "run") == 2, "the attack that is broken, on both schemes"
    return folder / "run"
