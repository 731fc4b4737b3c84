"""Shards of a cell: the texts of the whole cell, kept one by one, and gone on with after a kill."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_models.generation.generate import Sampling, generate
from stela_models.loaded import Models
from stela_run.cells import evaluation_queue
from stela_run.cells.bench import Bench
from stela_run.cells.cell_file import bounds_of, packed
from stela_run.cells.cell_texts import CellShards, CellTexts, DoneShard, Paged
from stela_run.cells.job import RunCells
from stela_run.cells.results import KeyedText, Result, ShardResult, plain
from stela_run.cells.shard_test import ShardTest, ShardTester
from stela_run.cells.store import Store
from stela_run.metric import Marked
from stela_run.plan.plan import EvaluateCell, Plan, make_plan
from stela_run.plan.read import read_experiment
from stela_run.plan.schema import Part, SchemeEntry, TagSet
from stela_run.plan.shards import LARGEST, Shard, shards_of
from stela_run.plan.texts import Pair
from stela_run.run import run_experiment

import stela_core as stela
from tests.tiers import Draws

from .conftest import experiment_of, without_figures

RECORDS = ("records.jsonl", "records.parquet", "scores.parquet", "texts.jsonl")
PROMPTS = ["The history of", "Most", "After the war", "In the winter of that", "The river"]


@given(st.integers(0, 50_000), st.integers(1, 3_000))
def test_shards_are_all_texts_in_whole_batches(texts: int, batch_size: int) -> None:
    cut = shards_of(texts, batch_size)
    assert [shard.number for shard in cut] == list(range(len(cut)))
    assert [place for shard in cut for place in range(shard.start, shard.stop)] == list(range(texts))
    assert all(shard.start % batch_size == 0 for shard in cut)
    assert all(shard.stop - shard.start <= max(LARGEST, batch_size) for shard in cut)


def test_a_cell_of_few_batches_has_a_shard_for_each() -> None:
    """A kill then loses a batch of each worker."""
    assert [tuple(shard)[1:] for shard in shards_of(200, 100)] == [(0, 100), (100, 200)]
    assert len(shards_of(1_000, 32)) == 16
    assert len(shards_of(1_000_000, 32)) == 1_009
    assert len(shards_of(1, 32)) == len(shards_of(0, 32)) == 1


@pytest.mark.deep(keep=["kgw"])
@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["kgw", "gumbel", "unbiased-delta", "exp"])
def test_a_shard_has_the_texts_of_the_whole_cell(mine: stela.Registry, scheme: str) -> None:
    """Draws go by the number of the prompt in the cell, those of marks that choose tokens too."""
    mark = stela.create(scheme, model="tiny-small", key=7, registry=mine)
    model = Models(mine, "cpu").load("tiny-small")
    sampling = Sampling(12, 12, 0.7, 3)
    [*whole] = generate(mark, model, PROMPTS, sampling, 2)
    for start in (0, 2, 4):
        [*part] = generate(mark, model, PROMPTS[start:], sampling, 2, first=start)
        assert [one.token_ids for batch in part for one in batch] == [
            one.token_ids for batch in whole for one in batch
        ][start:]


@pytest.fixture(scope="module")
def plan(mine: stela.Registry, workplace: Path) -> Plan:
    """Six texts of two schemes, one with a pilot: shards of two texts."""
    return make_plan(
        mine, read_experiment(workplace / "small.toml", {"lengths": [8], "batch_size": 2}), workplace
    )


@pytest.fixture(scope="module")
def whole(mine: stela.Registry, plan: Plan, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose cells are one shard each."""
    folder = tmp_path_factory.mktemp("shards") / "whole"
    with pytest.MonkeyPatch.context() as patch, without_figures():
        patch.setattr("stela_run.plan.shards.SHARDS", 1)
        run_experiment(mine, plan, folder)
    return folder


@pytest.mark.deep(stand_in="test_a_shard_has_the_texts_of_the_whole_cell")
@pytest.mark.slow
def test_a_run_without_negatives_is_the_same_in_shards(
    mine: stela.Registry, workplace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    overrides = {"lengths": [8], "batch_size": 2, "negatives": False, "metrics": ["fidelity-bias"]}
    plan = make_plan(mine, read_experiment(workplace / "small.toml", overrides), workplace)
    assert run_experiment(mine, plan, tmp_path / "shards") == 0
    with monkeypatch.context() as patch:
        patch.setattr("stela_run.plan.shards.SHARDS", 1)
        assert run_experiment(mine, plan, tmp_path / "whole") == 0
    for name in RECORDS:
        assert (tmp_path / "shards" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name


class Killed(KeyboardInterrupt):
    """As a kill: nothing below catches it, and nothing is cleaned up after it."""


def killed_after(items: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Have a run stop where it would begin another item; what was begun is listed."""
    begun: list[str] = []
    run = RunCells.run

    def counted(self: RunCells, item: Any) -> Any:
        if len(begun) == items:
            raise Killed
        begun.append(f"{item.cell.id}/{item.part}")
        return run(self, item)

    monkeypatch.setattr(RunCells, "run", counted)
    return begun


@pytest.mark.slow
@pytest.mark.usefixtures("no_figures")
def test_a_killed_run_goes_on_at_the_next_shard(
    mine: stela.Registry,
    plan: Plan,
    whole: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    draws: Draws,
) -> None:
    """Whatever it was at: every item is done once, and the bytes are those of a run in one piece.

    Of 26 items or so, ``make test`` ends one while it generates and one while it tests.
    """
    folder, done, resume = tmp_path / "killed", [], False
    items = draws(4, 9)
    while True:
        with monkeypatch.context() as patch:
            begun = killed_after(items, patch)
            try:
                run_experiment(mine, plan, folder, resume)
                break
            except Killed:
                resume = True
            finally:
                done += begun
    assert len(done) > len(plan.cells) + 4, "shards, and a pilot"
    assert len(set(done)) == len(done), "nothing was done twice"
    for name in RECORDS:
        assert (folder / name).read_bytes() == (whole / name).read_bytes(), name


@pytest.mark.slow
@pytest.mark.usefixtures("no_figures")
def test_shards_of_a_large_cell_are_read_by_the_worker(
    mine: stela.Registry, plan: Plan, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same records as of shards that travel; one that is changed is made again, and no other."""
    monkeypatch.setattr(evaluation_queue, "LARGEST", 3)
    folder = tmp_path / "parts"
    run_experiment(mine, plan, folder)
    for name in RECORDS:
        assert (folder / name).read_bytes() == (whole / name).read_bytes(), name
    parts = sorted((folder / "cells").glob("g-*/*.json.gz"))
    assert len([path for path in parts if "pilot" not in path.name]) == 3 * len(plan.generate)
    before = {path: path.stat().st_mtime_ns for path in parts}
    os.replace(parts[0], parts[1])
    log: list[str] = []
    run_experiment(mine, plan, folder, resume=True, say=log.append)
    assert any("holds another cell" in line for line in log)
    for name in RECORDS:
        assert (folder / name).read_bytes() == (whole / name).read_bytes(), name
    assert {path for path in parts if path.stat().st_mtime_ns != before[path]} == set(parts[:2])


def test_a_paged_list_of_another_length_than_was_said_is_refused() -> None:
    paged = Paged([0, 2], lambda shard: [shard], 9)
    with pytest.raises(ValueError, match="shard 0 has 1 items"):
        list(paged)


@given(st.lists(st.integers(0, 4), max_size=8), st.integers(1, 9))
def test_a_paged_list_is_the_list(counts: list[int], kept: int) -> None:
    """By number, slice and iteration, with few shards in memory."""
    shards = [[(shard, n) for n in range(count)] for shard, count in enumerate(counts)]
    plain = [one for shard in shards for one in shard]
    loaded: list[int] = []
    paged = Paged(counts, lambda shard: (loaded.append(shard), shards[shard])[1], kept)
    assert list(paged) == plain
    assert sorted(loaded) == list(range(len(counts))), "each is read once"
    assert [paged[n] for n in range(-len(plain), len(plain))] == plain + plain
    assert paged[1:-1] == plain[1:-1]
    assert len(paged) == len(plain)
    assert bool(paged) == bool(plain)
    with pytest.raises(IndexError):
        paged[len(plain)]


def written(result: Result) -> dict[str, Any]:
    """What a file of it holds."""
    content: dict[str, Any] = json.loads(gzip.decompress(packed("x", plain(result))))
    return content


@pytest.mark.parametrize("attack", ["none", "shout"])
@pytest.mark.parametrize("readings", [False, True])
def test_what_is_restored_is_what_was_tested(mine: stela.Registry, attack: str, readings: bool) -> None:
    """All that a detection says, and its evidence, which is worked out again."""
    place: dict[str, Any] = {"model": "tiny-small", "language": "en", "seed": 1}
    place |= {"entry": SchemeEntry(name="stela", calibration="tokens"), "tagset": TagSet(tagger="penn")}
    cell = EvaluateCell("a", "b", label="stela", attack=Part(name=attack), id="c", **place)
    human = [
        Pair("", "The fishermen\xa0built a small harbour of stone and timber for their ships."),
        Pair("x", "No."),
    ]
    marked = {"prompt": "The", "token_ids": [1], "weights": [1.0], "mean_bias": 0.5, "key": "0" * 16}
    texts = [KeyedText(**marked, text=pair.continuation) for pair in human]
    experiment = experiment_of(lengths=[8], keys=2, readings=readings)
    shard = Shard(0, 0, 2)
    test = ShardTest(cell, experiment, shard, None, texts, {"model": human, "human": human}, [])
    bench = Bench(mine, None, "cpu")
    result, _ = test.run(bench, lambda done: None)
    held = DoneShard(test, ShardResult.of(written(result)))
    store = Store(Path(), bounds_of(experiment.model_dump(mode="json")))
    twice = CellShards(cell, experiment, None, store, [shard] * 2, [shard] * 2, (), (held, held))
    both, tester = CellTexts(bench, twice), ShardTester(bench, test)
    restored = both.marked(8), both.unmarked("model", 8), both.unmarked("human", 8)
    tested = tester.marked(8), tester.unmarked("model", 8), tester.unmarked("human", 8)
    for some, others in zip(restored, tested, strict=True):
        assert len(some) == 2 * len(others) == 2, "two shards alike; the short text is left out"
        for one, other in zip(some, [*others, *others], strict=True):
            assert one.text == other.text
            each = [(one, other)] if isinstance(other, Marked) else []
            assert [mark.key for mark, _ in each] == [mark.key for _, mark in each]
            pairs = [(mark.detection, same.detection) for mark, same in each] or zip(
                one.detections, other.detections, strict=True
            )
            for kept, whole in pairs:
                assert kept.to_dict(tokens=True) == whole.to_dict(tokens=True)
                assert kept.evidence.weights.tolist() == whole.evidence.weights.tolist()
                assert kept.readings == whole.readings
