"""Who else calls ``generate``: models with an encoder, and lm-eval as the page on metrics has it."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch
from transformers import BartConfig, BartForConditionalGeneration, T5Config, T5ForConditionalGeneration

import stela_core as stela

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]


def small(kind: str, words: int) -> torch.nn.Module:
    """A model with an encoder, of random weights."""
    torch.manual_seed(1)
    ends = {"pad_token_id": 0, "eos_token_id": None, "decoder_start_token_id": 0}
    if kind == "t5":
        sizes = {"d_model": 32, "d_kv": 8, "d_ff": 32, "num_layers": 1, "num_heads": 2}
        return T5ForConditionalGeneration(T5Config(vocab_size=words, **sizes, **ends))
    sizes = {f"{part}_{size}": 2 for part in ("encoder", "decoder") for size in ("layers", "attention_heads")}
    sizes |= {"d_model": 32, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "max_position_embeddings": 128}
    ends |= {"bos_token_id": 0, "forced_eos_token_id": None}
    return BartForConditionalGeneration(BartConfig(vocab_size=words, **sizes, **ends))


@pytest.mark.parametrize("kind", ["t5", "bart"])
@pytest.mark.parametrize("way", ["logits_processor", "watermarking_config"])
def test_models_with_an_encoder_are_marked(kind: str, way: str, registry: stela.Registry) -> None:
    """The ids of the prompt are the encoder's; what is marked and tested are the decoder's."""
    wm = stela.create("kgw", model="tiny-small", key=7, gamma=0.25, registry=registry)
    _, tokenizer = stela.load_model("tiny-small", registry=registry)
    model = small(kind, len(tokenizer))
    asked = tokenizer("The history of the city", return_tensors="pt", return_token_type_ids=False)
    given = (
        [wm.logits_processor(tokenizer)] if way == "logits_processor" else wm.watermarking_config(tokenizer)
    )
    ids = model.generate(**asked, do_sample=True, max_new_tokens=60, min_new_tokens=60, **{way: given})
    assert ids.shape == (1, 61)
    [detection] = wm.detect_ids([ids[0, 1:].tolist()])
    assert detection.verdict == "watermarked"


@pytest.mark.deep(stand_in="test_models_with_an_encoder_are_marked")
@pytest.mark.skipif(
    not all(map(find_spec, ("lm_eval", "accelerate", "peft"))), reason='pip install "lm-eval[hf]" runs it'
)
def test_lm_eval_measures_a_marked_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8").partition("## lm-eval")[2]
    [code] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(code, {})
    score, verdict = capsys.readouterr().out.split()[-2:]
    assert (float(score), verdict) == (0.0, "watermarked")
