"""Insertion and detection on generated ids, through ``model.generate`` itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import torch
from stela_models.tokenizer import load_tokenizer
from stela_testing.texts import ENGLISH, KOREAN, random_text
from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerFast

import stela_core as stela
from stela_core.profile.create import Settings
from stela_core.registry.tagger_spec import make_tagger
from tests.helpers import OnDemand, uninstall

if TYPE_CHECKING:
    from transformers import LlamaForCausalLM

TAGGERS = ("penn", "ctb", "sejong", "ud-spacy:en", "ud-spacy:zh", "ud-spacy:ko")
MARKS = ["kgw-penn", *(f"stela-{tagger}" for tagger in TAGGERS)]

LOGITS_PADDING = 37
"""The random model's logits are wider than the tokenizer, as in many real ones."""


def fast(tokenizer: Tokenizer) -> PreTrainedTokenizerFast:
    special = {"eos_token": "<|end|>", "pad_token": "<|pad|>", "bos_token": "<|end|>"}
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, padding_side="left", **special)


@pytest.fixture(scope="module")
def tiny_tokenizer(registry: stela.Registry) -> Tokenizer:
    return load_tokenizer(registry, "tiny")


@pytest.fixture(scope="module")
def model(tiny_tokenizer: Tokenizer) -> LlamaForCausalLM:
    """Random weights: near-uniform draws from the whole vocabulary, so half characters abound."""
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=tiny_tokenizer.get_vocab_size() + LOGITS_PADDING,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=2,
        bos_token_id=0,
        eos_token_id=0,
        pad_token_id=1,
    )
    return LlamaForCausalLM(config).eval()


@pytest.fixture(scope="module")
def marks(
    registry: stela.Registry, tiny_tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, stela.Watermark]:
    """A watermark for each scheme and tagger."""

    def make(mark: str) -> stela.Watermark:
        scheme, tagger = mark.split("-", 1)
        path = Path(tmp_path_factory.mktemp("marks")) / "p.stela"
        created = Settings(scheme).create(
            registry,
            tiny_tokenizer,
            2026,
            public=True,
            tagger=make_tagger(registry, tagger),
        )
        created.archive.write(path)
        return stela.load(path, registry=registry)

    return OnDemand(make)


def prompts(count: int) -> list[str]:
    """Of different lengths, so that a batch is padded on the left."""
    return [random_text(seed, words=1 + seed % 9) for seed in range(count)]


def text_ids(row: list[int], special: frozenset[int]) -> list[int]:
    length = next((t for t, token in enumerate(row) if token in special), len(row))
    return row[:length]


@pytest.mark.deep(keep=[f"{mark}-7" for mark in MARKS if "ud-spacy" not in mark or mark.endswith("zh")])
@pytest.mark.slow
@pytest.mark.parametrize("batch", [1, 7, 32])
@pytest.mark.parametrize("mark", MARKS)
def test_insertion_weights_equal_detection_weights_everywhere(
    model: LlamaForCausalLM,
    marks: dict[str, stela.Watermark],
    tiny_tokenizer: Tokenizer,
    mark: str,
    batch: int,
) -> None:
    watermark, tokenizer = marks[mark], fast(tiny_tokenizer)
    inputs = tokenizer(prompts(batch), return_tensors="pt", padding=True, return_token_type_ids=False)
    assert batch == 1 or not inputs["attention_mask"].all()
    processor = watermark.logits_processor(tokenizer, record=True)
    # Chinese and Korean pieces are made likely, among them single bytes: characters come apart.
    eastern = torch.zeros(model.config.vocab_size)
    eastern[[i for i in range(len(watermark.tokens)) if watermark.tokens[i][:1] >= b"\x80"]] = 2.0

    def prefer_eastern(ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        return scores + eastern

    torch.manual_seed(batch)
    out = model.generate(
        **inputs, do_sample=True, top_k=0, max_new_tokens=48, logits_processor=[prefer_eastern, processor]
    )
    rows = [
        text_ids(row, watermark.tokens.special) for row in out[:, inputs["input_ids"].shape[1] :].tolist()
    ]
    cut = sum(len(watermark.tokens[i]) > 0 and _is_cut(watermark.tokens[i]) for row in rows for i in row)
    assert cut > 5, "the rows must hold tokens cut inside characters"
    for row, inserted in zip(rows, processor.weights, strict=True):
        [evidence] = watermark.detector.evidence([row])
        detected = [token.weight for token in evidence.tokens()]
        assert inserted[: len(row)] == detected
        assert "".join(t.text for t in evidence.tokens()) == watermark.tokens.decode(row)
        assert detected[0] is None
        assert all(weight is not None for weight in detected[1:])


def _is_cut(part: bytes) -> bool:
    try:
        part.decode()
    except UnicodeDecodeError:
        return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("mark", MARKS)
def test_beams_and_rows_that_end_early(
    model: LlamaForCausalLM, marks: dict[str, stela.Watermark], tiny_tokenizer: Tokenizer, mark: str
) -> None:
    watermark, tokenizer = marks[mark], fast(tiny_tokenizer)
    inputs = tokenizer(
        [KOREAN, ENGLISH, "The"], return_tensors="pt", padding=True, return_token_type_ids=False
    )
    processor = watermark.logits_processor(tokenizer, record=True)
    ending = torch.zeros(model.config.vocab_size)
    ending[0] = 6.0

    def end_sometimes(ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        return scores + ending

    torch.manual_seed(1)
    out = model.generate(
        **inputs,
        num_beams=4,
        do_sample=True,
        top_k=0,
        max_new_tokens=24,
        logits_processor=[end_sometimes, processor],
    )
    rows = [
        text_ids(row, watermark.tokens.special) for row in out[:, inputs["input_ids"].shape[1] :].tolist()
    ]
    assert min(map(len, rows)) < 24
    for number, row in enumerate(rows):
        [evidence] = watermark.detector.evidence([row])
        assert processor.weights_of(row, number * 4) == [token.weight for token in evidence.tokens()]


@pytest.mark.slow
def test_bias_falls_on_green_ids_of_the_real_vocabulary(
    marks: dict[str, stela.Watermark], tiny_tokenizer: Tokenizer
) -> None:
    watermark = marks["stela-sejong"]
    size = watermark.profile.vocab_size
    processor = watermark.logits_processor(record=True)
    ids = torch.tensor([tiny_tokenizer.encode(KOREAN).ids])
    scores = torch.randn(1, size + LOGITS_PADDING)
    untouched = scores.clone()
    assert torch.equal(processor(ids[:, :3], scores), scores), "nothing before it: not marked"
    for length in range(4, ids.shape[1]):
        out = processor(ids[:, :length], scores)
        assert torch.equal(scores, untouched), "the input may be handed out as raw logits"
        weight = processor.weights[0][-1]
        assert weight is not None
        context = ids[:, length - 1 : length].numpy()
        hasher = watermark.parts.hasher
        seed = hasher.seeds(context)[0]
        tokens = torch.arange(size).numpy()
        green = torch.from_numpy(hasher.green(seed.repeat(size), tokens))
        expected = scores[0, :size] + weight * watermark.parts.bias_per_weight * green
        torch.testing.assert_close(out[0, :size], expected)
        assert torch.equal(out[0, size:], scores[0, size:])
        assert 0.45 < green.float().mean() < 0.55


def test_a_new_call_of_generate_begins_a_new_text(
    model: LlamaForCausalLM, marks: dict[str, stela.Watermark], tiny_tokenizer: Tokenizer
) -> None:
    watermark, tokenizer = marks["kgw-penn"], fast(tiny_tokenizer)
    processor = watermark.logits_processor(tokenizer, record=True)
    for text in (KOREAN, KOREAN, ENGLISH, KOREAN + ENGLISH):
        inputs = tokenizer(text, return_tensors="pt", return_token_type_ids=False)
        model.generate(
            **inputs, do_sample=False, max_new_tokens=3, min_new_tokens=3, logits_processor=[processor]
        )
        assert processor.weights == [[None, 1.0, 1.0]]


@pytest.mark.slow
def test_prompt_does_not_leak_into_the_text(
    marks: dict[str, stela.Watermark], tiny_tokenizer: Tokenizer
) -> None:
    """The same generated ids get the same bias after any prompt."""
    watermark = marks["stela-penn"]
    generated = tiny_tokenizer.encode(ENGLISH).ids
    biases = []
    for prompt in ([5], tiny_tokenizer.encode(KOREAN).ids):
        processor = watermark.logits_processor()
        scores = torch.zeros(1, watermark.profile.vocab_size)
        out = [
            processor(torch.tensor([prompt + generated[:length]]), scores) for length in range(len(generated))
        ]
        biases.append(torch.cat(out))
    assert torch.equal(*biases)
    assert biases[0].any()


def test_another_tokenizer_is_refused(marks: dict[str, stela.Watermark], tokenizer: Tokenizer) -> None:
    with pytest.raises(stela.StelaError, match="wrong tokenizer: the profile's has 8192 tokens"):
        marks["kgw-penn"].logits_processor(tokenizer)


@pytest.mark.parametrize("ask", ["logits_processor", "watermarking_config"])
def test_a_hint_where_stela_transformers_is_missing(
    marks: dict[str, stela.Watermark], monkeypatch: pytest.MonkeyPatch, ask: str
) -> None:
    uninstall(monkeypatch)
    with pytest.raises(stela.StelaError, match="marking in transformers needs stela-transformers") as raised:
        getattr(marks["kgw-penn"], ask)()
    assert raised.value.hint == "pip install stela-transformers"
