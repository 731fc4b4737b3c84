"""Both ways between STELA and transformers' own watermark, as installed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from stela_models.generation.generate import Sampling
from stela_models.generation.generate import generate as generate_texts
from stela_testing import run_cli
from transformers import GenerationConfig, WatermarkDetector, WatermarkingConfig

import stela_core as stela
from stela_core.api import LanguageModel

pytestmark = pytest.mark.slow

Import = Callable[..., Path]

CONFIGS: list[dict[str, Any]] = [
    {},
    {"context_width": 2, "greenlist_ratio": 0.3, "bias": 3.0, "hashing_key": 2**40 + 9},
    {"seeding_scheme": "selfhash", "bias": 3.0},
    {"seeding_scheme": "selfhash", "context_width": 3, "greenlist_ratio": 0.5, "bias": 3.0},
]
IDS = ["lefthash", "wide", "selfhash", "selfhash3"]
PROMPTS = ["The history of the city", "In the"]


def generate(tiny: LanguageModel, length: int, **options: Any) -> torch.Tensor:
    """Two texts, (2, length), prompt left out."""
    inputs = tiny.tokenizer(PROMPTS, return_tensors="pt", padding=True, return_token_type_ids=False)
    torch.manual_seed(3)
    model: Any = tiny.model
    out = model.generate(
        **inputs, do_sample=True, top_k=0, max_new_tokens=length, min_new_tokens=length, **options
    )
    return out[:, inputs["input_ids"].shape[1] :]


@pytest.fixture(params=CONFIGS, ids=IDS)
def config(request: pytest.FixtureRequest) -> WatermarkingConfig:
    return WatermarkingConfig(**request.param)


@pytest.fixture
def theirs(tiny: LanguageModel, config: WatermarkingConfig) -> WatermarkDetector:
    return WatermarkDetector(tiny.model.config, "cpu", config)


@pytest.mark.deep(keep=["wide"])
def test_what_transformers_marks_is_found(
    tiny: LanguageModel,
    config: WatermarkingConfig,
    theirs: WatermarkDetector,
    import_profile: Import,
    tmp_path: Path,
) -> None:
    """From the file that transformers writes to the text on the command line."""
    config.to_json_file(tmp_path / "watermark.json")
    profile = import_profile("transformers", tmp_path / "watermark.json")
    texts = tiny.tokenizer.batch_decode(generate(tiny, 80, watermarking_config=config))
    lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
    (tmp_path / "texts.jsonl").write_text(lines, encoding="utf-8")
    found = run_cli("detect", "--profile", profile, tmp_path / "texts.jsonl", "--json").json
    for text, detection in zip(texts, found, strict=True):
        ids = tiny.tokenizer(text, return_tensors="pt", add_special_tokens=False)["input_ids"]
        expected: Any = theirs(ids, return_dict=True)
        assert detection["z_plain"] == pytest.approx(float(expected.z_score[0]), abs=1e-6)
        assert detection["scored_tokens"] == expected.num_tokens_scored[0]
        assert detection["green_fraction"] == pytest.approx(float(expected.green_fraction[0]))
        assert detection["verdict"] == "watermarked"


@pytest.mark.deep(keep=["selfhash"])
def test_what_we_mark_transformers_finds(
    tiny: LanguageModel, config: WatermarkingConfig, theirs: WatermarkDetector, import_profile: Import
) -> None:
    watermark = stela.load(import_profile("transformers", config.to_dict()))
    ids = generate(tiny, 70, logits_processor=[watermark.logits_processor(tiny.tokenizer)])
    expected: Any = theirs(ids, return_dict=True)
    assert expected.prediction.all()
    found = [detection.z_plain for detection in watermark.detect_ids(ids.tolist())]
    assert found == pytest.approx(expected.z_score.tolist(), abs=1e-6)


@pytest.mark.deep(keep=["selfhash-dtype0", "selfhash3-dtype1", "lefthash-dtype0", "wide-dtype1"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_logits_are_theirs_bit_for_bit(
    tiny: LanguageModel, config: WatermarkingConfig, import_profile: Import, dtype: torch.dtype
) -> None:
    watermark = stela.load(import_profile("transformers", config.to_dict()))
    ours = watermark.logits_processor(tiny.tokenizer)
    size = tiny.model.config.vocab_size
    theirs = config.construct_processor(size, "cpu")
    torch.manual_seed(0)
    ids = torch.randint(2, size, (3, 12))
    prompt, width = 4, watermark.profile.hasher.context_width
    for length in range(prompt, 12):
        scores = (4 * torch.randn(3, size)).to(dtype)
        scores[0, ::3] = -torch.inf
        before = scores.clone()
        found = ours(ids[:, :length], scores)
        assert torch.equal(scores, before)
        # The prompt is not part of our text: its last ids seed nothing.
        expected = theirs(ids[:, :length], scores) if length >= prompt + width else scores
        assert torch.equal(found, expected)
        assert length < prompt + width or not torch.equal(found, scores)


def test_padding_of_the_logits_is_marked_as_theirs(tiny: LanguageModel, import_profile: Import) -> None:
    """A permutation longer than the tokenizer, as where the model's logits are padded."""
    config = WatermarkingConfig()
    watermark = stela.load(import_profile("transformers", config.to_dict(), "--vocab-size", "8300"))
    assert watermark.profile.vocab_size == 8192
    ours, theirs = watermark.logits_processor(), config.construct_processor(8300, "cpu")
    ids, scores = torch.tensor([[5, 6, 7, 8]]), torch.randn(1, 8300)
    ours(ids[:, :3], scores)
    found = ours(ids, scores)
    assert torch.equal(found, theirs(ids, scores))
    assert (found - scores)[:, 8192:].any()


def test_first_token_bos_and_repetition(
    tiny: LanguageModel, config: WatermarkingConfig, theirs: WatermarkDetector, import_profile: Import
) -> None:
    """Their detector drops a leading BOS and counts a repeated n-gram each time, or once if told so."""
    watermark = stela.load(import_profile("transformers", config.to_dict()))
    torch.manual_seed(5)
    ids = torch.randint(2, 8192, (1, 30)).repeat(1, 3)
    with_bos = torch.cat([torch.tensor([[theirs.bos_token_id]]), ids], dim=1)
    expected: Any = theirs(with_bos, return_dict=True)
    found = watermark.detect_ids([ids[0].tolist(), with_bos[0].tolist()])
    for detection in found:
        assert detection.z_plain == pytest.approx(float(expected.z_score[0]), abs=1e-6)
        assert detection.scored_tokens == expected.num_tokens_scored[0]
    once: Any = WatermarkDetector(tiny.model.config, "cpu", config, ignore_repeated_ngrams=True)
    grams = once(ids, return_dict=True).num_tokens_scored[0]
    # Their n-gram may hold ids that seed nothing; a pair of ours has the ids that do.
    assert found[0].unique_pairs <= grams <= 33


def test_weights_of_a_mark_without_context(tiny: LanguageModel, import_profile: Import) -> None:
    """One list for all contexts: every token is marked, the first too, and detection weighs the same."""
    settings = {"seeding_scheme": "selfhash", "bias": 1.5}
    watermark = stela.load(import_profile("transformers", settings))
    assert watermark.profile.hasher.context_width == 0
    sampling = Sampling(max_new_tokens=30, temperature=1.0, seed=2)
    [texts] = generate_texts(watermark, tiny, [*PROMPTS, "He"], sampling, batch_size=3)
    found = watermark.detect_ids([text.token_ids for text in texts])
    for text, detection in zip(texts, found, strict=True):
        assert text.weights == [1.0] * len(text.token_ids)
        assert [token.weight for token in detection.tokens] == text.weights


def test_settings_inside_a_generation_config(import_profile: Import, tmp_path: Path) -> None:
    config = GenerationConfig(watermarking_config=WatermarkingConfig(bias=1.5, greenlist_ratio=0.4))
    config.save_pretrained(tmp_path)
    profile = stela.load(import_profile("transformers", tmp_path / "generation_config.json")).profile
    assert profile.scheme.parameters == {"delta": 1.5, "repeats": "fourth-root", "ties": "split"}
    assert profile.hasher.gamma == 0.4
    assert profile.hasher.key == f"{15485863:016x}"
    assert profile.hasher.device == "cpu"
    assert profile.hasher.parameters == {"vocab_size": 8192}
