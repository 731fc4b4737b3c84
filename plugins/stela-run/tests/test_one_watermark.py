"""A cell parses its table once, and composes its watermark once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stela_run.cells.cell_file import bounds_of
from stela_run.cells.cell_texts import CellShards, DoneShard
from stela_run.cells.generating import PILOT_ROUNDS, Order, Pilot
from stela_run.cells.job import RunCells
from stela_run.cells.measuring import Measurement
from stela_run.cells.results import GeneratedShard, MeasuredCell, ShardResult, Strength
from stela_run.cells.shard_test import ShardTest
from stela_run.cells.store import Store
from stela_run.plan.plan import EvaluateCell, GenerateCell
from stela_run.plan.schema import Part, SchemeEntry, TagSet
from stela_run.plan.shards import Shard
from stela_tables import weightings

import stela_core as stela
from stela_core import composition
from stela_core.profile import create, parts

from .conftest import experiment_of


@pytest.mark.parametrize(
    ("strength", "composed"),
    [("delta", 1), pytest.param("mean_bias", 1 + PILOT_ROUNDS, marks=pytest.mark.slow)],
)
def test_once_a_cell(
    mine: stela.Registry, monkeypatch: pytest.MonkeyPatch, strength: str, composed: int
) -> None:
    """Each delta that is tried is another watermark, of the same table."""
    calls: Counter[str] = Counter()

    def counting(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*arguments: Any) -> Any:
            calls[name] += 1
            return function(*arguments)

        return called

    monkeypatch.setattr(weightings, "parse_any_table", counting("tables", weightings.parse_any_table))
    for module in (create, parts):
        monkeypatch.setattr(module, "compose", counting("composed", composition.compose), raising=False)
    entry = SchemeEntry(name="stela", calibration="tokens", **{strength: 1.0})
    place: dict[str, Any] = {"model": "tiny-small", "language": "en", "seed": 1}
    place |= {"entry": entry, "tagset": TagSet(tagger="penn")}
    job = RunCells.of(mine, None, "cpu")
    job.start()
    experiment = experiment_of(lengths=[10], negatives=False, metrics=["vowels"])
    prompts, shard, delta = ["The history of", "Most"], Shard(0, 0, 2), None
    generate = GenerateCell(**place, id="one")
    if strength == "mean_bias":
        pilot = job.run(Pilot(generate, experiment, shard, prompts)).result
        assert isinstance(pilot, Strength)
        delta = pilot.value
    generated = job.run(Order(generate, experiment, shard, prompts, delta)).result
    assert isinstance(generated, GeneratedShard)
    assert len(generated.texts) == 2
    assert calls == {"tables": 1, "composed": composed}
    calls.clear()
    cell = EvaluateCell("one", "one", label="stela", attack=Part(name="none"), id="two", **place)
    test = ShardTest(cell, experiment, shard, delta, generated.texts, {"model": [], "human": []}, [])
    tested = job.run(test).result
    assert isinstance(tested, ShardResult)
    held = (DoneShard(test, tested),)
    store = Store(Path(), bounds_of(experiment.model_dump(mode="json")))
    shards = CellShards(cell, experiment, delta, store, [shard], [shard], (), held)
    measured = job.run(Measurement(shards)).result
    assert isinstance(measured, MeasuredCell)
    assert measured.lengths[10].values
    assert not calls, "the mark that generated the texts tests them"
