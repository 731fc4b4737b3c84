"""``stela posterior`` beside transformers' own detector."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from stela_models.tokenizer import load_tokenizer
from stela_testing import assert_refused, run_cli
from stela_testing.texts import little_english
from transformers import BayesianDetectorConfig, BayesianDetectorModel, SynthIDTextWatermarkDetector
from transformers import SynthIDTextWatermarkLogitsProcessor as TheirProcessor

import stela_core as stela

KEYS = [654, 400, 836, 123]


@pytest.fixture
def detector(tmp_path: Path) -> tuple[Path, BayesianDetectorModel]:
    torch.manual_seed(1)
    model = BayesianDetectorModel(BayesianDetectorConfig(watermarking_depth=4))
    with torch.no_grad():
        model.likelihood_model_watermarked.beta.fill_(-0.5)
    model.save_pretrained(tmp_path / "detector")
    return tmp_path / "detector", model


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    (tmp_path / "c.json").write_text(json.dumps({"ngram_len": 5, "keys": KEYS}))
    new = ("profile", "import", "--transformers", tmp_path / "c.json", "--model", "tiny", "--public-key")
    assert run_cli(*new, "-o", tmp_path / "p.stela").status == 0
    return tmp_path / "p.stela"


@pytest.mark.slow
def test_posterior_is_that_of_their_detector(
    registry: stela.Registry, tmp_path: Path, profile: Path, detector: Any
) -> None:
    folder, model = detector
    texts = [little_english()[start : start + 600] for start in (0, 5000)]
    (tmp_path / "texts.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    outcome = run_cli("posterior", "--profile", profile, "--detector", folder, tmp_path / "texts.jsonl")
    assert outcome.status == 0, outcome.err
    tokenizer: Any = load_tokenizer(registry, "tiny")
    processor = TheirProcessor(5, KEYS, 1 << 16, 0, 1024, torch.device("cpu"))

    class Eos:
        eos_token_id = 0

    theirs = SynthIDTextWatermarkDetector(model, processor, Eos())
    for line, text in zip(outcome.json, texts, strict=True):
        ids: Any = torch.tensor([tokenizer.encode(text, add_special_tokens=False).ids])
        with torch.no_grad():
            (expected,) = theirs(ids)
        assert line["posterior"] == pytest.approx(float(expected[0]), abs=1e-6)
        assert line["prior"] == 0.5
        assert line["tokens"] > 50
        assert "p_value" not in line


@pytest.mark.slow
def test_what_does_not_fit_is_refused_in_one_line(tmp_path: Path, profile: Path, detector: Any) -> None:
    folder, _ = detector
    (tmp_path / "t.txt").write_text("The history of the city.")
    common = ("posterior", "--detector", folder, tmp_path / "t.txt", "--profile")
    new = ("profile", "new", "--model", "tiny", "--public-key", "-o")
    assert run_cli(*new, tmp_path / "kgw.stela", "--scheme", "kgw").status == 0
    assert run_cli(*new, tmp_path / "30.stela", "--scheme", "synthid").status == 0
    assert_refused(run_cli(*common, tmp_path / "kgw.stela"), 'hasher is "keyed", not SynthID')
    assert_refused(run_cli(*common, tmp_path / "30.stela"), "is for 4 layers, the profile has 30")
    (tmp_path / "c.json").write_text(json.dumps({"ngram_len": 5, "keys": KEYS, "num_leaves": 3}))
    new = ("profile", "import", "--transformers", tmp_path / "c.json", "--model", "tiny", "--public-key")
    assert run_cli(*new, "-o", tmp_path / "3.stela").status == 0
    assert_refused(run_cli(*common, tmp_path / "3.stela"), "is for 2 leaves, the profile has 3")
    missing = run_cli("posterior", "--profile", profile, "--detector", folder, tmp_path / "none.txt")
    assert missing.status == 2
    assert "none.txt" in missing.err
