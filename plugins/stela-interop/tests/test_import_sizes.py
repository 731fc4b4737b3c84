"""Imports whose toolkit took another size of the vocabulary than the tokenizer's."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from stela_models.load import location_of
from stela_testing import run_cli

import stela_core as stela

PADDED = 8256
"""Logits of a model that are wider than its tokenizer, as many are."""


@pytest.mark.slow
def test_sizes_that_differ_are_said_and_matter(tmp_path: Path, registry: stela.Registry, kgw: Path) -> None:
    """Text marked under the model's size: nothing is found under the tokenizer's, and the note says why."""
    model = tmp_path / "model"
    shutil.copytree(location_of(registry, "tiny"), model)
    settings = json.loads((model / "config.json").read_text())
    (model / "config.json").write_text(json.dumps({**settings, "vocab_size": PADDED}))
    new = ("profile", "import", "--markllm", kgw, "--model", model, "--public-key", "-o")
    default = run_cli(*new, tmp_path / "default.stela")
    assert default.status == 0
    for part in (
        f"the model's vocab_size is {PADDED}, its tokenizer has 8192",
        "took 8192",
        "--vocab-size 8256",
    ):
        assert part in default.err
    assert "vocab_size" not in run_cli(*new, tmp_path / "said.stela", "--vocab-size", PADDED).err
    same = ("profile", "import", "--markllm", kgw, "--model", "tiny", "--public-key", "-o")
    assert "vocab_size" not in run_cli(*same, tmp_path / "tiny.stela").err
    out = tmp_path / "out.jsonl"
    sampling = ("--max-new-tokens", 150, "--min-new-tokens", 150, "--temperature", 1)
    mark = ("generate", "--profile", tmp_path / "said.stela", "--model", "tiny", "--prompt", "The history of")
    assert run_cli(*mark, *sampling, "-o", out).status == 0
    [said] = run_cli("detect", "--profile", tmp_path / "said.stela", out, "--json").json
    [other] = run_cli("detect", "--profile", tmp_path / "default.stela", out, "--json").json
    assert said["verdict"] == "watermarked"
    assert other["z_plain"] < 4 < said["z_plain"]


def test_a_size_that_cannot_be_compared_is_said(tmp_path: Path, registry: stela.Registry, kgw: Path) -> None:
    model = tmp_path / "model"
    model.mkdir()
    shutil.copy(Path(location_of(registry, "tiny")) / "tokenizer.json", model)
    new = (
        "profile",
        "import",
        "--markllm",
        kgw,
        "--model",
        model,
        "--public-key",
        "-o",
        tmp_path / "p",
    )
    made = run_cli(*new)
    assert made.status == 0
    assert "took the tokenizer's 8192 tokens" in made.err
    assert "could not be compared" in made.err
