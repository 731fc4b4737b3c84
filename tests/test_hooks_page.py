"""The example under each hook of docs/hooks.md is a plugin file that loads and does what it says."""

from __future__ import annotations

import json
import re
import shlex
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from stela_cli.documents.read import texts_of
from stela_cli.documents.reader import Text
from stela_cli.documents.sources import Readers, sources_of
from stela_cli.jobs.executor import Job
from stela_cli.jobs.workers import make_executor
from stela_cli.main import build_cli, run
from stela_models import ModelSource
from stela_payload.interface import SeedEncoder
from stela_payload.testing import EncoderContract
from stela_testing import GreenListContract, TaggerContract, WeightingContract
from stela_testing.texts import ENGLISH, random_text
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.registry.components import Registry
from stela_core.registry.manager import Origin, create_plugins

PAGE = Path(__file__).parents[1] / "docs" / "hooks.md"
OF_RUNS = ("attacks", "metrics", "corpora", "executors")
PROMPTS = [f"The {word}" for word in ("city", "river", "school", "bridge", "market", "library")]
EXPERIMENT = """
title = "Hooks"
model = "tiny-small"
texts = 6
lengths = [10]
keys = 2
attacks = ["none", "shout"]
metrics = ["vowels"]
executor = "plain"
schemes = [{ name = "commas" }]
[languages.en]
tagger = "shouting"
prompts = "shelf"
human = "shelf"
"""


@cache
def examples() -> dict[str, str]:
    """The example of each hook."""
    sections = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = {}
    for section in sections:
        if hook := re.match(r"`(stela_\w+)`", section):
            [found[hook[1]]] = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    return found


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each example as a file."""
    here = tmp_path_factory.mktemp("hooks")
    for hook, code in examples().items():
        (here / f"{hook}.py").write_text(code, encoding="utf-8")
    return here


@pytest.fixture(scope="session")
def with_examples(folder: Path) -> stela.Registry:
    return stela.create_registry(sorted(folder.glob("*.py")))


@pytest.mark.parametrize("hook", sorted(examples()))
def test_example_is_short_and_registers_what_its_heading_says(hook: str, folder: Path) -> None:
    lines = [line for line in examples()[hook].splitlines() if line.strip()]
    assert len(lines) <= 20
    assert f"def {hook}(" in examples()[hook]
    path = folder / f"{hook}.py"
    registry = stela.create_registry([path])
    assert registry.plugins.broken == []
    mine = [entry for entry in registry if entry.origin.distribution == str(path)]
    assert [entry.component.hook for entry in mine] == ([hook] if "_register_" in hook else [])


def test_scheme_hasher_weighting_and_scorer_mark_and_find(
    with_examples: stela.Registry, tokenizer: Tokenizer
) -> None:
    """The examples make one watermark: it raises the green half, more after a comma, and finds itself."""
    wm = stela.create("commas", tokenizer=tokenizer, key=3, delta=4.0, registry=with_examples)
    logits = np.zeros((1, tokenizer.get_vocab_size()), dtype=np.float32)
    rng, ids = np.random.default_rng(0), [5]
    raised: dict[float, float] = {}
    for _ in range(60):
        marked = wm.marker()([ids], logits)[0]
        text = wm.tokenizer.decode(ids)
        raised[float(marked.max())] = np.mean(marked > 0)
        assert marked.max() == (8.0 if "," in text[-2:] else 4.0)
        chances = np.exp(marked.astype(np.float64))
        chances[:2] = 0
        ids.append(int(rng.choice(len(chances), p=chances / chances.sum())))
        if len(ids) == 30:
            ids.append(tokenizer.encode(",").ids[0])
    assert set(raised) == {4.0, 8.0}
    assert all(0.3 < share < 0.7 for share in raised.values())
    [detection] = wm.detect_ids([ids])
    assert detection.verdict == "watermarked"
    assert wm.detect(ENGLISH).verdict == "no watermark found"


def test_p_values_of_the_scorer_are_valid(with_examples: stela.Registry) -> None:
    scorer = with_examples.get(stela.Scorer, "counted")(stela.Parameters())
    rng = np.random.default_rng(1)
    green = rng.random((2_000, 40)) < 0.25
    p = np.array([scorer.score(row, np.ones(40), np.arange(40), 0.25).p_value for row in green])
    assert all(np.mean(p <= a) <= a + 0.02 for a in (0.02, 0.1, 0.5))
    assert scorer.score(np.ones(3, dtype=bool), np.ones(3), np.zeros(3, dtype=int), 0.25).p_value == 0.25


class TestTagger(TaggerContract):
    @pytest.fixture(scope="class")
    @classmethod
    def tagger(cls, with_examples: stela.Registry) -> stela.Tagger:
        return with_examples.get(stela.Tagger, "shouting")()

    @pytest.fixture(scope="class")
    @classmethod
    def texts(cls) -> list[str]:
        return ["SOME ARE loud, oth", *(random_text(seed)[: 100 + seed] for seed in range(20))]


class TestHasher(GreenListContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls, with_examples: stela.Registry) -> stela.Hasher:
        found = with_examples.get(stela.Hasher, "halves")
        return found(found.Parameters(context_width=1), 5)


class TestWeighting(WeightingContract):
    @pytest.fixture(scope="class")
    @classmethod
    def weighting(cls, with_examples: stela.Registry) -> stela.Weighting:
        return with_examples.get(stela.Weighting, "after-comma")(stela.Parameters())


class TestEncoder(EncoderContract):
    @pytest.fixture(scope="class")
    @classmethod
    def encoder(cls, with_examples: stela.Registry) -> SeedEncoder:
        whole = with_examples.get(SeedEncoder, "whole")
        return whole(whole.Parameters(bits=6))


def test_model_lies_in_the_folder_of_the_file(with_examples: stela.Registry, folder: Path) -> None:
    assert with_examples.get(ModelSource, "mine").location() == str(folder / "model")


def test_command_of_the_page_makes_a_profile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("comma.py").write_text(examples()["stela_register_weightings"], encoding="utf-8")
    [command] = re.findall(r"^stela .*$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert run(shlex.split(command)[1:]) == 0
    assert capsys.readouterr().out.startswith("p.stela: scheme after-comma, key id ")


class Double(Job[int, int]):
    def run(self, item: int) -> int:
        return 2 * item


def test_executor_runs_a_job(with_examples: stela.Registry) -> None:
    with make_executor(with_examples, "plain").start(Double()) as workers:
        assert list(workers.map([1, 2])) == [2, 4]


def test_command_is_there(with_examples: stela.Registry) -> None:
    assert CliRunner().invoke(build_cli(with_examples), ["hello"]).output == "hello\n"


def test_reader_reads_its_files(with_examples: stela.Registry, tmp_path: Path) -> None:
    (tmp_path / "a.srt").write_text("1\n00:01 --> 00:02\nHello\nthere\n")
    readers = Readers(with_examples)
    sources = sources_of([str(tmp_path / "a.srt")], None, print, readers)
    [text] = texts_of(sources, "text", print, readers)
    assert text == Text(str(tmp_path / "a.srt"), "Hello there")


def test_hook_of_the_example_takes_what_others_register(folder: Path) -> None:
    plugins = create_plugins([folder / "stela_add_hooks.py"], installed=[])
    judge = plugins.interfaces[-1]
    stern = type("Stern", (judge,), {"name": "stern"})

    class Mine:
        @staticmethod
        @stela.hookimpl
        def stela_register_judges() -> type[stela.Component]:
            return stern

    plugins.add("mine", Mine(), Origin("stela-mine", "1.0"))
    assert Registry(plugins).get(judge, "stern") is stern


@pytest.mark.deep(stand_in="test_scheme_hasher_weighting_and_scorer_mark_and_find")
@pytest.mark.slow
def test_run_takes_the_examples(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An experiment of the scheme, attack, metric, texts and executor, with both hooks of a run."""
    rows = [json.dumps({"prompt": prompt, "continuation": 3 * ENGLISH}) + "\n" for prompt in PROMPTS]
    (folder / "en.jsonl").write_text("".join(rows), encoding="utf-8")
    (tmp_path / "hooks.toml").write_text(EXPERIMENT, encoding="utf-8")
    plugins = [part for path in sorted(folder.glob("*.py")) for part in ("--plugin", str(path))]
    assert run([*plugins, "run", str(tmp_path / "hooks.toml"), "-o", str(tmp_path / "out")]) == 0
    records = [json.loads(line) for line in (tmp_path / "out" / "records.jsonl").read_text().splitlines()]
    assert [(one["scheme"], one["attack"]) for one in records] == [("commas", "none"), ("commas", "shout")]
    plain, shouted = (one["values"]["vowels"]["value"] for one in records)
    assert plain > 0.1 > shouted
    assert f"{len(records)} records" in capsys.readouterr().out
    assert len((tmp_path / "out" / "cells.txt").read_text().splitlines()) >= 3
