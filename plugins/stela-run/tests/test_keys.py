"""Keys of texts: the records' key of a text is enough to test it again."""

from __future__ import annotations

import hashlib
import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet
from stela_run.cells.generating import Order, Pilot
from stela_run.cells.job import RunCells
from stela_run.cells.marks import Marks
from stela_run.cells.results import GeneratedShard, Strength
from stela_run.mistakes import find_mistakes
from stela_run.plan.keys import Keys, key_of
from stela_run.plan.plan import GenerateCell, make_plan
from stela_run.plan.read import read_experiment
from stela_run.plan.schema import SchemeEntry, TagSet
from stela_run.plan.shards import Shard
from stela_run.run import run_experiment

import stela_core as stela

from .conftest import experiment_of, without_figures


def test_keys_are_drawn_by_seed_prompt_and_number() -> None:
    places = [(seed, number, prompt) for seed, number, prompt in product(range(3), range(3), ("", "a", "b"))]
    assert len({key_of(*place) for place in places}) == len(places)
    own, shared = Keys(1, "text", 3), Keys(1, "seed", 3)
    assert own.of("a") == own.all_of("a")[0] != own.of("b")
    assert shared.of("a") == shared.of("b") == shared.all_of("c")[0] == key_of(1)
    assert not set(own.all_of("a")) & set(own.all_of("b"))


def test_keys_of_a_seed_are_those_of_before() -> None:
    """Golden: experiments with one key a seed are made again."""
    assert [key_of(0), key_of(0, 1), key_of(7)] == [
        int.from_bytes(bytes.fromhex(digest), "big") for digest in GOLDEN
    ]


GOLDEN = ("e074571a2b167f23", "4b2073e890b6b893", "b8c05f867dbcd7b0")


@pytest.fixture(scope="module")
def folder(workplace: Path, mine: stela.Registry, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two schemes, four texts and two keys."""
    path = tmp_path_factory.mktemp("keys") / "run"
    changes: dict[str, Any] = {"texts": 4, "lengths": [20], "attacks": ["none"], "metrics": ["depth"]}
    plan = make_plan(mine, read_experiment(workplace / "small.toml", changes), workplace)
    with without_figures():
        assert run_experiment(mine, plan, path) == 0
    return path


def rows(folder: Path, **where: Any) -> list[dict[str, Any]]:
    listed = parquet.read_table(folder / "scores.parquet").to_pylist()
    return [row for row in listed if all(row[name] == value for name, value in where.items())]


@pytest.mark.slow
def test_the_key_of_a_text_tests_it_again(folder: Path, mine: stela.Registry) -> None:
    """From text and key in the records alone, by a detector that knows nothing of the run."""
    mark = stela.create("kgw", model="tiny-small", key=f"{1:016x}", registry=mine)
    tokenizer = Marks(mine, None).tokenizer("tiny-small")
    texts = [json.loads(line) for line in (folder / "texts.jsonl").read_text("utf-8").splitlines()]
    marked = {row["text"]: row for row in rows(folder, label="kgw", kind="marked")}
    assert len({row["key"] for row in marked.values()}) == 4, "a key for each text"
    checked = 0
    for text in texts:
        if "-uniform-" not in text["cell"]:
            continue
        row = marked[hashlib.blake2b(text["prompt"].encode(), digest_size=6).hexdigest()]
        assert row["key"] == text["key"]
        detector = mark.detector.with_composition(mark.parts.under(int(text["key"], 16)))
        cut = mark.tokens.decode(tokenizer.encode(text["text"], add_special_tokens=False).ids[:20])
        [test] = detector.detect_many([cut])
        assert (test.p_value, test.z) == (row["p_value"], row["z"])
        checked += 1
    assert checked == 4


@pytest.mark.slow
def test_texts_of_one_prompt_have_the_same_keys(folder: Path) -> None:
    """Under every scheme, and unmarked: so they can be paired."""
    by_text: dict[str, set[tuple[str, ...]]] = {}
    for label in ("kgw", "stela"):
        for row in rows(folder, label=label, kind="marked"):
            first = (row["key"],)
            by_text.setdefault(row["text"], set()).add(first)
        for kind in ("model", "human"):
            tests = rows(folder, label=label, kind=kind)
            for text in {row["text"] for row in tests}:
                keys = [row["key"] for row in tests if row["text"] == text]
                assert len(set(keys)) == 2
                by_text[text].add((keys[0],))
    assert all(len(of) == 1 for of in by_text.values())
    records = [json.loads(line) for line in (folder / "records.jsonl").read_text("utf-8").splitlines()]
    assert all(record["key_per"] == "text" and record["key_id"] is None for record in records)


def test_prompts_are_skipped(workplace: Path, mine: stela.Registry) -> None:
    plan = make_plan(mine, read_experiment(workplace / "small.toml", {"skip": 4, "texts": 9}), workplace)
    whole = make_plan(mine, read_experiment(workplace / "small.toml"), workplace)
    assert plan.texts["en"].prompts == whole.texts["en"].prompts[4:]
    assert plan.texts["en"].human == whole.texts["en"].human[4:]
    with pytest.raises(stela.StelaError, match="has 6 lines, and skip = 6"):
        make_plan(mine, read_experiment(workplace / "small.toml", {"skip": 6}), workplace)


@pytest.mark.slow
def test_a_uniform_strength_has_a_pilot_too(mine: stela.Registry) -> None:
    """The first token of a text is not marked: of 12 tokens KGW marks 11, and delta makes up for it."""
    entry = SchemeEntry(name="kgw", calibration="tokens", mean_bias=1.0)
    cell = GenerateCell("tiny-small", "en", 1, entry, TagSet(tagger="penn"), id="one")
    job = RunCells.of(mine, None, "cpu")
    job.start()
    experiment, prompts, shard = experiment_of(lengths=[4]), ["The history of", "Most"], Shard(0, 0, 2)
    pilot = job.run(Pilot(cell, experiment, shard, prompts)).result
    assert isinstance(pilot, Strength)
    assert pilot.value == pytest.approx(12 / 11)
    made = job.run(Order(cell, experiment, shard, prompts, pilot.value)).result
    assert isinstance(made, GeneratedShard)
    assert [text.mean_bias for text in made.texts] == pytest.approx([1.0, 1.0])
    assert len({text.key for text in made.texts}) == 2


def test_learning_from_texts_needs_one_key(mine: stela.Registry, workplace: Path) -> None:
    """By default such an experiment has a key a seed, and one that says otherwise is a mistake."""
    steal: dict[str, Any] = {"attacks": ["none", {"name": "steal", "texts": 2}]}
    for changes, per in (({}, "text"), (steal, "seed"), ({"key_per": "seed"}, "seed")):
        plan = make_plan(mine, read_experiment(workplace / "small.toml", changes), workplace)
        assert plan.experiment.key_per == per
    wrong = read_experiment(workplace / "small.toml", {**steal, "key_per": "text"})
    with pytest.raises(stela.StelaError, match='"steal" learns from texts of one key'):
        make_plan(mine, wrong, workplace)
    assert any("one key" in str(one) for one in find_mistakes(mine, wrong, workplace).mistakes)
