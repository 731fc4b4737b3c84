from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from stela_models.load import load_model
from stela_models.tokenizer import load_tokenizer
from stela_tiny import Tiny, TinySmall

import stela_core as stela
from stela_core.api import LanguageModel

MEGABYTE = 1e6


@pytest.fixture(scope="module")
def tiny(registry: stela.Registry) -> LanguageModel:
    return load_model(registry, "tiny", device="cpu")


def test_fits_in_the_plugin() -> None:
    folder = Path(Tiny.location())
    assert sum(file.stat().st_size for file in folder.iterdir()) <= 16 * MEGABYTE
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= {file.name for file in folder.iterdir()}


def test_is_a_llama_in_bf16(tiny: LanguageModel) -> None:
    config = json.loads((Path(Tiny.location()) / "config.json").read_text(encoding="utf-8"))
    assert config["architectures"] == ["LlamaForCausalLM"]
    assert config["dtype"] == "bfloat16"
    assert 5e6 < sum(p.numel() for p in tiny.model.parameters()) < 7e6


@pytest.mark.parametrize(
    ("text", "likely"),
    [
        ("The city was founded in 1850 and is located in the northern part of the country.", 60),
        ("이 도시는 1850년에 설립되었으며 대한민국의 북부에 위치하고 있다.", 60),
        ("这座城市位于中国的北部，成立于1850年。", 100),
    ],
)
def test_has_learned_all_three_languages(tiny: LanguageModel, text: str, likely: float) -> None:
    """Perplexity far below the 8,192 of guessing."""
    ids = tiny.tokenizer(text, return_tensors="pt", return_token_type_ids=False)["input_ids"]
    with torch.inference_mode():
        loss = tiny.model(input_ids=ids, labels=ids).loss
    assert loss.exp().item() < likely


def test_tokenizer_needs_no_transformers(registry: stela.Registry, tiny: LanguageModel) -> None:
    light = load_tokenizer(registry, "tiny")
    text = "Half of 한국어 and 中文 and 🙂."
    assert light.encode(text).ids == tiny.tokenizer(text)["input_ids"]
    assert light.get_vocab_size() == 8192


def test_small_is_another_model_with_another_tokenizer(registry: stela.Registry, tiny: LanguageModel) -> None:
    small = load_model(registry, "tiny-small", device="cpu")
    assert sum(file.stat().st_size for file in Path(TinySmall.location()).iterdir()) <= 4 * MEGABYTE
    assert sum(p.numel() for p in small.model.parameters()) == 1_328_256
    text = "The city was founded in 1850 and is located in the northern part of the country."
    ids = small.tokenizer(text, return_tensors="pt", return_token_type_ids=False)["input_ids"]
    assert ids.shape[1] > len(tiny.tokenizer(text)["input_ids"])
    with torch.inference_mode():
        assert small.model(input_ids=ids, labels=ids).loss.exp().item() < 80


def test_training_is_on_record() -> None:
    record = json.loads((Path(Tiny.location()) / "training.json").read_text(encoding="utf-8"))
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    assert f"{record['steps']:,} steps" in readme
    assert str(record["held_out_loss_nats_per_token"]["mean"]) in readme
