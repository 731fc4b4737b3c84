"""Texts until all is decided: what is decided stops, what is open goes on; a stopped run ends the same."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stela_run.cells.deciding import Deciding
from stela_run.cells.generating import Order
from stela_run.cells.job import Finished
from stela_run.cells.outcome import Outcome
from stela_run.cells.results import GeneratedShard, KeyedText, LengthResult, Result, ShardResult
from stela_run.cells.shard_test import ShardTest
from stela_run.cells.store import Store, part_of
from stela_run.log import Log
from stela_run.plan.on_disk import OnDisk
from stela_run.plan.plan import make_plan
from stela_run.plan.read import parse_experiment
from stela_run.plan.texts import Pair, Texts
from stela_run.progress import Progress
from stela_run.report.answer import SUMMARY
from stela_run.report.records import RECORDS, SCORES, TEXTS, read_lines
from stela_run.run import run_experiment

import stela_core as stela

CONTENT: dict[str, Any] = {
    "model": "tiny-small",
    "texts": "until decided",
    "at_most": 40,
    "batch_size": 4,
    "lengths": [30],
    "negatives": "human",
    "metrics": [],
    "languages": {"en": {"tagger": "penn"}},
    "schemes": [
        {"name": "kgw", "label": "strong", "delta": 6.0},
        {"name": "kgw", "label": "weak", "delta": 0.0},
        {"name": "kgw", "label": "none", "delta": 0.0, "gamma": 0.25},
    ],
}


def run_of(registry: stela.Registry, folder: Path, resume: bool = False) -> None:
    plan = make_plan(registry, parse_experiment(CONTENT, "it"), None)
    assert run_experiment(registry, plan, folder, resume) == 0


def test_what_the_file_may_say() -> None:
    experiment = parse_experiment(CONTENT, "it")
    assert (experiment.texts, experiment.until_decided) == (40, True)
    assert parse_experiment(experiment.model_dump(mode="json"), "it") == experiment
    with pytest.raises(stela.StelaError, match='unknown key "at_most"'):
        parse_experiment({**CONTENT, "texts": 8}, "it")


class Worker:
    """Texts and tests that take no model: z of a scheme is normal around its delta, by cell and prompt."""

    def __init__(self, registry: stela.Registry, folder: Path, prompts: int = 40) -> None:
        experiment = parse_experiment({**CONTENT, "languages": {"en": {"tagger": "penn"}}}, "it")
        plan = make_plan(registry, experiment, None)
        texts = OnDisk[str](str), OnDisk[Pair](lambda pair: Pair(*pair))
        for number in range(prompts):
            texts[0].append(f"Prompt {number}")
            texts[1].append(Pair(f"Prompt {number}", "Text"))
        self.plan = replace(plan, texts={"en": Texts(*texts)})
        self.store = Store.open(folder, self.plan, resume=folder.exists())
        self.done: list[str] = []
        with Progress(self.plan, folder, None, Log(folder, None, False)) as progress:
            self.deciding = Deciding(self.plan, self.store, progress, registry)
            self.rounds = 0
            while self.deciding.open:
                for items in (self.deciding.orders(), self.deciding.tests()):
                    for item in items:
                        self.done.append(part_of(item.cell.id, item.part))
                        self.deciding.take(Finished(item.cell.id, item.part, self.result(item), {}))
                self.deciding.look()
                self.rounds += 1

    def result(self, item: Order | ShardTest) -> Result:
        if isinstance(item, Order):
            texts = [KeyedText(prompt, prompt, [1], [None], 0.0) for prompt in item.prompts]
            return GeneratedShard(delta=None, texts=texts)
        seed = int.from_bytes(f"{item.cell.label}{item.shard.number}".encode()[-8:], "big")
        draws = np.random.default_rng(seed)
        shift = float(item.cell.entry.delta or 0)
        outcomes = [outcome(text.prompt, float(draws.normal(shift, 1))) for text in item.marked]
        return ShardResult(lengths={30: LengthResult({"marked": outcomes}, None, None)})


def outcome(prompt: str, z: float) -> Outcome:
    return Outcome(prompt, z, z, 0.5, 30, 30, 0.5, None, "no watermark found", {})


def test_what_is_decided_stops_and_what_is_open_goes_on(registry: stela.Registry, tmp_path: Path) -> None:
    worker = Worker(registry, tmp_path / "r")
    shards = {cell.label: worker.deciding.counts[cell.generated] for cell in worker.plan.evaluate}
    assert worker.rounds == 10
    assert shards["weak"] == shards["none"] == 10
    assert 3 <= shards["strong"] < 6, "10 texts decide nothing, whatever they say"
    unmarked = worker.plan.evaluate[0].unmarked
    assert unmarked not in worker.deciding.counts, "human text only"
    assert len(worker.done) == len(set(worker.done))


def test_a_run_that_was_stopped_goes_through_the_same_rounds(
    registry: stela.Registry, tmp_path: Path
) -> None:
    """What is there is not made again, and the rest is as it was."""
    whole = Worker(registry, tmp_path / "r")
    held = {path: path.read_bytes() for path in (tmp_path / "r" / "cells").rglob("0*.json.gz")}
    for path in held:
        if path.name >= "000003":
            path.unlink()
    again = Worker(registry, tmp_path / "r")
    assert again.deciding.counts == whole.deciding.counts
    assert again.done == [part for part in whole.done if part.rpartition("/")[2] >= "000003"]
    assert {path: path.read_bytes() for path in held} == held


@pytest.mark.deep(stand_in="test_a_run_that_was_stopped_goes_through_the_same_rounds")
@pytest.mark.slow
@pytest.mark.usefixtures("no_figures")
def test_whole_runs(registry: stela.Registry, tmp_path: Path) -> None:
    """Texts, tests, records and the answer, of a run and of one that was stopped in its third round."""
    whole, again = tmp_path / "whole", tmp_path / "again"
    run_of(registry, whole)
    texts = {record["label"]: record["texts"] for record in read_lines(whole / RECORDS)}
    most = max(texts.values())
    assert texts["strong"] < most
    assert texts["weak"] == texts["none"] == most
    said = json.loads((whole / SUMMARY).read_text(encoding="utf-8"))["answers"]
    assert {row["other"] for row in said if row["decided"]} == {"strong"}
    run_of(registry, again)
    for path in (again / "cells").rglob("*.json.gz"):
        if path.parent.name == "cells" or (path.name >= "000002" and "human" not in str(path)):
            path.unlink()
    run_of(registry, again, resume=True)
    for name in (RECORDS, SCORES, TEXTS, SUMMARY):
        assert (again / name).read_bytes() == (whole / name).read_bytes()
