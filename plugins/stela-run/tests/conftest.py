from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from stela_run.plan.schema import Experiment

import stela_core as stela

PLUGIN = """
import stela_core as stela
import stela_run
from stela_core import Parameters


class ShoutParameters(Parameters):
    times: int = 1


class Shout(stela_run.Attack):
    name = "shout"
    Parameters = ShoutParameters

    def apply(self, texts, circumstances):
        return [text.upper() + "!" * self.parameters.times for text in texts]


class Broken(stela_run.Attack):
    name = "broken"

    def apply(self, texts, circumstances):
        raise stela.StelaError("no such luck.", "try again")


class Quits(stela_run.Attack):
    name = "quits"

    def apply(self, texts, circumstances):
        raise SystemExit(0)


class Vowels(stela_run.Metric):
    name = "vowels"

    def measure(self, sample):
        texts = [marked.text for marked in sample.marked]
        share = [sum(c in "aeiouAEIOU" for c in text) / len(text) for text in texts]
        return [stela_run.Value("vowels", sum(share) / len(share), n=len(share))]


class Depth(stela_run.Metric):
    name = "depth"
    attacked = False

    def measure(self, sample):
        return [
            stela_run.Value("z", sum(m.detection.z for m in sample.marked) / len(sample.marked)),
            stela_run.Value("keys", len(sample.human[0].detections)),
            stela_run.Value("bias", sum(m.generated.mean_bias for m in sample.marked) / len(sample.marked)),
        ]


class Clock(stela_run.Metric):
    name = "clock"
    timed = True

    def measure(self, sample):
        return [stela_run.Value("seconds", sample.seconds_per_token)]


class Zero(stela_run.Metric):
    name = "zero"

    def measure(self, sample):
        return [stela_run.Value("ratio", 1 / 0)]


class Leaves(stela_run.Metric):
    name = "leaves"

    def measure(self, sample):
        raise SystemExit(0)


@stela.hookimpl
def stela_register_attacks():
    return [Shout, Broken, Quits]


@stela.hookimpl
def stela_register_metrics():
    return [Vowels, Depth, Clock, Zero, Leaves]
"""

EXPERIMENT = """
title = "Small"
model = "tiny-small"
lengths = [10, 20]
texts = 6
keys = 2
batch_size = 3
attacks = ["none", { name = "shout", times = 3 }]
metrics = ["vowels", "depth", "clock"]

[languages.en]
tagger = "penn"
prompts = "en.jsonl"

[[schemes]]
name = "kgw"
delta = 1.5

[[schemes]]
name = "stela"
mean_bias = 1.0
"""

PROMPTS = [
    ("The history of the city", "begins with a small harbour that the fishermen built of stone and timber."),
    ("In the winter of that year", "the river froze, and for six weeks no ship could reach the town at all."),
    ("The first school", "was opened by two sisters, who taught the children of the workers in the evening."),
    ("After the war", "many of the houses were built again, higher than before and closer to the water."),
    ("The old bridge", "was widened twice, and at last replaced by one of steel that carries the railway."),
    ("Most of the trade", "went through the market, where grain, wool and salt were weighed under oath."),
]


def experiment_of(**fields: Any) -> Experiment:
    """An experiment for pieces of work that are made by hand."""
    given = {"models": ["tiny-small"], "languages": {"en": {"tagger": "penn"}}, "schemes": [{"name": "kgw"}]}
    return Experiment.model_validate({**given, "batch_size": 2, **fields})


@pytest.fixture(scope="session")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an experiment file, prompts and a plugin."""
    folder = tmp_path_factory.mktemp("experiment")
    (folder / "mine.py").write_text(PLUGIN, encoding="utf-8")
    (folder / "small.toml").write_text(EXPERIMENT, encoding="utf-8")
    rows = (json.dumps({"prompt": p, "continuation": f"{c} {c[::-1]} {c}"}) + "\n" for p, c in PROMPTS)
    (folder / "en.jsonl").write_text("".join(rows), encoding="utf-8")
    return folder


def without_figures() -> AbstractContextManager[Any]:
    """Reports have none meanwhile: drawing them takes as long as the rest of a small run."""
    return patch("stela_run.report.write.sections_of", lambda view, said: [])


@pytest.fixture
def no_figures() -> Iterator[None]:
    """Reports of this test have none."""
    with without_figures():
        yield


@pytest.fixture(scope="session")
def mine(workplace: Path) -> stela.Registry:
    """The installed plugins and the local one."""
    return stela.create_registry([workplace / "mine.py"])
