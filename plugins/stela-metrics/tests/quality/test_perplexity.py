from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import stela_run
import torch
from stela_metrics.quality import Perplexity, PerplexityParameters
from stela_metrics.quality.likelihood import likelihoods, remembered
from stela_metrics.quality.pairs import Pair
from transformers import LlamaConfig, LlamaForCausalLM

import stela_core as stela
from stela_core.api import LanguageModel

# A language model judges in each.
pytestmark = pytest.mark.slow

PAIRS = [
    Pair("The history of the city", " is a long one."),
    Pair("", "The river is wide, and the bridge is old."),
    Pair("이 도시는", " 1850년에 설립되었으며 북부에 위치하고 있다."),
    Pair("这座城市", "位于中国的北部，成立于1850年。"),
]

NAMES = ("perplexity", "nats-per-character")


@pytest.fixture(scope="session")
def judge(sample: stela_run.Sample) -> LanguageModel:
    return sample.models.load("tiny-small")


def loss_of(judge: LanguageModel, pair: Pair) -> tuple[float, int]:
    """By ``labels``, which transformers shifts and averages itself; one text, no padding."""
    model, tokenizer = judge
    prompt = tokenizer(pair.prompt)["input_ids"] if pair.prompt else [tokenizer.bos_token_id]
    text = tokenizer(pair.text, add_special_tokens=False)["input_ids"]
    ids = torch.tensor([[*prompt, *text]])
    labels = torch.tensor([[*[-100] * len(prompt), *text]])
    with torch.inference_mode():
        return float(model(input_ids=ids, labels=labels).loss), len(text)


def test_agrees_with_the_loss_of_transformers(judge: LanguageModel) -> None:
    """One by one there, in a batch here."""
    assert judge.tokenizer.bos_token_id is not None
    for pair, likelihood in zip(PAIRS, likelihoods(judge, PAIRS), strict=True):
        loss, tokens = loss_of(judge, pair)
        assert likelihood is not None
        assert likelihood.tokens == tokens
        assert likelihood.characters == len(pair.text)
        assert likelihood.per_token == pytest.approx(loss, rel=1e-5)
        assert likelihood.per_character == pytest.approx(loss * tokens / len(pair.text), rel=1e-5)


def test_a_model_that_knows_nothing(sample: stela_run.Sample, judge: LanguageModel, tmp_path: Path) -> None:
    """All logits 0: the perplexity of any text is the size of the vocabulary."""
    size = judge.model.config.vocab_size
    config = LlamaConfig(
        vocab_size=size,
        hidden_size=8,
        intermediate_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        tie_word_embeddings=False,
    )
    model = LlamaForCausalLM(config)
    torch.nn.init.zeros_(model.lm_head.weight)
    model.save_pretrained(tmp_path)
    judge.tokenizer.save_pretrained(tmp_path)
    values_by_name = {
        v.name: v for v in Perplexity(PerplexityParameters(model=str(tmp_path))).measure(sample)
    }
    for kind in ("", ":unmarked", ":human"):
        assert values_by_name[f"perplexity{kind}"][1:5] == pytest.approx((size, size, size, 8), rel=1e-5)
    assert values_by_name["log-perplexity-difference"].value == pytest.approx(0, abs=1e-5)


def test_values_of_a_real_sample(sample: stela_run.Sample, judge: LanguageModel) -> None:
    values = Perplexity(PerplexityParameters(model="tiny-small")).measure(sample)
    values_by_name = {value.name: value for value in values}
    kinds = [f"{name}{kind}" for kind in ("", ":unmarked", ":human") for name in NAMES]
    assert list(values_by_name) == [*kinds, "log-perplexity-difference"]
    marked = [loss_of(judge, Pair(one.generated.prompt, one.text))[0] for one in sample.marked]
    plain = [loss_of(judge, Pair(one.prompt, one.text))[0] for one in sample.model_text]
    assert values_by_name["perplexity"].value == pytest.approx(math.exp(np.mean(marked)), rel=1e-4)
    assert values_by_name["perplexity:unmarked"].value == pytest.approx(math.exp(np.mean(plain)), rel=1e-4)
    difference = values_by_name["log-perplexity-difference"]
    assert difference.value == pytest.approx(np.mean(marked) - np.mean(plain), abs=1e-4)
    assert difference.n == 8
    for value in values:
        assert value.low is not None
        assert value.high is not None
        assert value.low <= value.value <= value.high


def test_difference_is_paired_by_prompt(sample: stela_run.Sample) -> None:
    """In another order, and without some: the same pairs, so the same differences."""
    metric = Perplexity(PerplexityParameters(model="tiny-small"))
    some = replace(sample, marked=sample.marked[:5])
    turned = replace(sample, marked=sample.marked[:5], model_text=list(reversed(sample.model_text)))
    first, second = metric.measure(some)[-1], metric.measure(turned)[-1]
    assert first.n == 5
    assert second[1:] == pytest.approx(first[1:], abs=1e-4)
    assert metric.measure(replace(sample, model_text=[]))[-1].name == "nats-per-character:human"


def test_texts_seen_before_are_not_judged_again(sample: stela_run.Sample) -> None:
    first = remembered(sample.models, "tiny-small", PAIRS)
    assert remembered(sample.models, "tiny-small", list(PAIRS)) is first
    assert remembered(sample.models, "tiny-small", PAIRS[:2]) is not first
    assert remembered(sample.models, "tiny", PAIRS) != first


def test_a_text_without_tokens_does_not_count(judge: LanguageModel) -> None:
    assert likelihoods(judge, [Pair("The city", ""), PAIRS[0]])[0] is None


def test_mistakes(sample: stela_run.Sample, tmp_path: Path) -> None:
    with pytest.raises(stela.StelaError, match="does not exist"):
        Perplexity(PerplexityParameters(model=str(tmp_path / "nowhere"))).measure(sample)
    with pytest.raises(stela.StelaError, match="no marked text"):
        Perplexity(PerplexityParameters(model="tiny-small")).measure(replace(sample, marked=[]))
