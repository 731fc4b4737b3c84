"""Attacks that learn from the first texts: those are left alone, the key is hidden."""

from __future__ import annotations

import json
from hashlib import blake2b
from pathlib import Path

import pytest
from pyarrow import parquet
from stela_cli.main import run

from .conftest import PROMPTS

pytestmark = pytest.mark.slow

PLUGIN = """
import json
from pathlib import Path

import stela_core as stela
import stela_run


class CribParameters(stela.Parameters):
    texts: int
    report: str = ""


class Crib(stela_run.Attack):
    name = "crib"
    Parameters = CribParameters

    @property
    def studied(self):
        return self.parameters.texts

    def apply(self, texts, circumstances):
        seen = {
            "texts": len(texts),
            "prompts": list(circumstances.prompts),
            "model": circumstances.model,
            "hasher": circumstances.profile.hasher.model_dump(),
        }
        circumstances.path(self.parameters.report).write_text(json.dumps(seen))
        return [f"{texts[0]} {text}" for text in texts[self.studied :]]


@stela.hookimpl
def stela_register_attacks():
    return Crib
"""

EXPERIMENT = """
model = "tiny-small"
lengths = [10]
texts = 6
negatives = false
metrics = ["roc"]
attacks = [{ name = "crib", texts = 4, report = "seen.json" }, { name = "crib", texts = 6 }]

[languages.en]
tagger = "penn"
prompts = "en.jsonl"

[[schemes]]
name = "kgw"
context_width = 2
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An experiment that was run; one of its two cells cannot be."""
    place = tmp_path_factory.mktemp("studying")
    (place / "crib.py").write_text(PLUGIN, encoding="utf-8")
    (place / "crib.toml").write_text(EXPERIMENT, encoding="utf-8")
    rows = (json.dumps({"prompt": prompt, "continuation": text}) + "\n" for prompt, text in PROMPTS)
    (place / "en.jsonl").write_text("".join(rows), encoding="utf-8")
    plugin = ["--plugin", str(place / "crib.py")]
    toml = str(place / "crib.toml")
    assert run([*plugin, "run", toml, "-o", str(place / "run"), "--data", str(place)]) == 1
    return place


def test_the_others_are_detected_and_stand_by_their_prompts(folder: Path) -> None:
    scores = parquet.read_table(folder / "run" / "scores.parquet").to_pylist()
    assert len(scores) == 2
    names = [blake2b(prompt.encode(), digest_size=6).hexdigest() for prompt, _ in PROMPTS[4:]]
    assert [score["text"] for score in scores] == names


def test_an_attacker_sees_all_texts_and_all_but_the_key(folder: Path) -> None:
    seen = json.loads((folder / "seen.json").read_text("utf-8"))
    assert seen["texts"] == 6
    assert seen["prompts"] == [prompt for prompt, _ in PROMPTS]
    assert seen["model"] == "tiny-small"
    assert seen["hasher"]["context_width"] == 2
    assert seen["hasher"]["key"] is None


def test_too_few_texts_are_an_error_of_the_cell(folder: Path) -> None:
    records = [
        json.loads(line) for line in (folder / "run" / "records.jsonl").read_text("utf-8").splitlines()
    ]
    [error] = [record["error"] for record in records if "error" in record]
    assert "learns from 6 texts, and 6 have 10 tokens" in error
