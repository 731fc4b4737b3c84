"""Evidence weighed by the model's distributions: the same numbers as at insertion, however it is run."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from stela_cli.main import run
from stela_kernels.row_entropy import entropies, spike_entropies
from stela_models.logits import ModelLogits
from stela_testing.texts import random_text
from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerFast

import stela_core as stela
from stela_core.detection.batch import Batch
from stela_core.interfaces.logits import LanguageModel
from stela_core.registry.manager import Origin, create_plugins
from tests.helpers import new_keys_are
from tests.schemes.conftest import MakeMark

PROMPTS = [random_text(seed, words=1 + 2 * seed) for seed in range(7)]
"""Of different lengths, so that a batch is padded on the left."""


class Spike(stela.Weighting):
    """A weight that shows every difference in the logits."""

    name = "spike"
    needs = frozenset({"logits"})

    def weights(self, positions: stela.Positions) -> np.ndarray:
        return spike_entropies(positions.logits, 0.76)


class SpikeOnOneList(stela.Scheme):
    name = "spike-unigram"
    hasher = "unigram"
    strength = "uniform"
    evidence = "spike"


@pytest.fixture(scope="module")
def with_spike() -> stela.Registry:
    plugins = create_plugins()
    module = SimpleNamespace(
        stela_register_weightings=stela.hookimpl(specname="stela_register_weightings")(lambda: Spike),
        stela_register_schemes=stela.hookimpl(specname="stela_register_schemes")(lambda: SpikeOnOneList),
    )
    plugins.add("spike", module, Origin("tests", "local"))
    return stela.Registry(plugins)


def generated(
    mark: stela.Watermark, tiny: LanguageModel, tokens: int = 40
) -> tuple[list[list[int]], list[list[float | None]]]:
    """Ids and applied weights of a text after each prompt, in one batch; a row ends at its end token."""
    model, tokenizer = tiny
    processor = mark.logits_processor(tokenizer, record=True)
    inputs = tokenizer(PROMPTS, return_tensors="pt", padding=True, return_token_type_ids=False)
    assert not inputs["attention_mask"].all()
    torch.manual_seed(3)
    out = model.generate(
        **inputs, do_sample=True, top_k=0, max_new_tokens=tokens, logits_processor=[processor]
    )
    ids, weights = [], []
    for number, row in enumerate(out[:, inputs["input_ids"].shape[1] :].tolist()):
        length = next((t for t, token in enumerate(row) if token in mark.tokens.special), len(row))
        ids.append(row[:length])
        weights.append(processor.weights_of(ids[-1], number))
    return ids, weights


@pytest.mark.slow
def test_weights_at_insertion_are_weights_at_detection(
    make_mark: MakeMark, tiny: LanguageModel, with_spike: stela.Registry
) -> None:
    """A decoder with a cache and left padding, and one pass with right padding: equal to float32 rounding."""
    mark = make_mark("spike", plugins=with_spike)
    ids, inserted = generated(mark, tiny)
    assert sum(map(len, ids)) > 150
    for row, detection in enumerate(mark.detect_ids(ids, tiny, PROMPTS)):
        detected = [token.weight for token in detection.tokens]
        assert inserted[row][:1] == detected[:1] == [None]
        assert inserted[row][1:] == pytest.approx(detected[1:], abs=2e-5)
    without = [token.weight for token in mark.detect_ids([ids[3]], tiny)[0].tokens][1:]
    assert without != pytest.approx(inserted[3][1:], abs=1e-2), "the prompt matters"


@pytest.mark.slow
def test_sweet_counts_the_tokens_that_were_marked(make_mark: MakeMark, tiny: LanguageModel) -> None:
    threshold = 4.0
    mark = make_mark("sweet", threshold=threshold)
    ids, inserted = generated(mark, tiny)
    reader = ModelLogits(*tiny)
    prefixes = reader.prefixes(PROMPTS, len(ids))
    positions = [np.arange(1, len(row)) for row in ids]
    near = [np.zeros(len(row), dtype=bool) for row in ids]
    for chunk in reader.chunks([np.array(row) for row in ids], positions, prefixes):
        close = np.abs(entropies(chunk.logits) - threshold) < 1e-4
        near[chunk.text][positions[chunk.text][chunk.start : chunk.stop]] = close
    counts = {0.0: 0, 1.0: 0}
    for row, detection in enumerate(mark.detect_ids(ids, tiny, PROMPTS)):
        for t, token in enumerate(detection.tokens):
            if t and not near[row][t]:
                assert token.weight == inserted[row][t]
                counts[token.weight] += 1
    assert min(counts.values()) > 20


@pytest.mark.slow
@pytest.mark.parametrize("cells", [1, 8192 * 9, 8192 * 1000])
def test_long_texts_are_read_in_pieces(make_mark: MakeMark, tiny: LanguageModel, cells: int) -> None:
    """However few logits fit into memory, each text gets its own weights, and no more are held."""
    mark = make_mark("ewd")
    ids = [tiny.tokenizer(random_text(seed, words=3 + 4 * seed)).input_ids for seed in range(5)]
    expected = [mark.detect_ids([row], tiny, [PROMPTS[n]])[0] for n, row in enumerate(ids)]
    model, sizes = tiny.model, []
    hook = model.register_forward_hook(lambda m, i, out: sizes.append(out.logits.numel()))
    reader = ModelLogits(model, tiny.tokenizer, batch=3, cells=cells)
    found = mark.detector.detect_batch(Batch.of_ids(ids, PROMPTS[:5], reader))
    hook.remove()
    assert max(sizes) <= max(cells, 3 * 8192)
    assert len(sizes) == 2 if cells == 8192 * 1000 else len(sizes) > 10
    for one, many in zip(expected, found, strict=True):
        assert many.z == pytest.approx(one.z, abs=1e-4)
        assert [t.weight for t in many.tokens][1:] == pytest.approx(
            [t.weight for t in one.tokens][1:], abs=2e-5
        )


@pytest.mark.slow
def test_model_without_a_cache_is_refused_where_it_would_have_to_read_on(
    make_mark: MakeMark, tiny: LanguageModel
) -> None:
    """Such a model would read the second piece as if nothing stood before it."""

    def forget(module: object, inputs: object, out: dict[str, object]) -> None:
        out["past_key_values"] = None

    mark = make_mark("ewd")
    ids = tiny.tokenizer(random_text(1)).input_ids
    hook = tiny.model.register_forward_hook(forget)
    try:
        assert mark.detect_ids([ids], tiny)[0].scored_tokens == len(ids) - 1
        with pytest.raises(stela.StelaError, match="LlamaForCausalLM keeps no cache"):
            mark.detector.detect_batch(Batch.of_ids([ids], logits=ModelLogits(*tiny, cells=8192 * 20)))
    finally:
        hook.remove()


def test_first_token_without_a_distribution_is_not_scored(
    make_mark: MakeMark, tiny: LanguageModel, with_spike: stela.Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unigram has no hash context, so it scores the first token, where something stands before it."""
    mark = make_mark("spike-unigram", plugins=with_spike)
    ids = tiny.tokenizer(random_text(1, words=8)).input_ids
    assert mark.detect_ids([ids], tiny)[0].scored_tokens == len(ids)
    plain = (tiny.model, PreTrainedTokenizerFast(tokenizer_object=tiny.tokenizer.backend_tokenizer))
    monkeypatch.setattr(tiny.model.config, "bos_token_id", None)
    [found] = mark.detect_ids([ids], plain)
    assert found.scored_tokens == len(ids) - 1
    assert found.tokens[0].weight is None
    assert mark.detect_ids([[], ids[:1]], plain)[1].scored_tokens == 0


@pytest.mark.parametrize("scheme", ["sweet", "ewd"])
def test_without_the_model_the_error_says_why(make_mark: MakeMark, scheme: str) -> None:
    mark = make_mark(scheme)
    assert mark.needs_model_to_detect
    with pytest.raises(stela.StelaError, match=f'scheme "{scheme}" weighs each token .* run that model'):
        mark.detect("a text")


def test_prompts_and_tokenizer_are_checked(
    make_mark: MakeMark, tiny: LanguageModel, tokenizer: Tokenizer
) -> None:
    mark = make_mark("ewd")
    with pytest.raises(stela.StelaError, match="2 prompts for 1 texts"):
        mark.detect_many(["a text"], tiny, ["a", "b"])
    other = PreTrainedTokenizerFast(tokenizer_object=tokenizer)
    with pytest.raises(stela.StelaError, match="wrong tokenizer"):
        mark.detect("a text", (tiny.model, other))


@pytest.mark.slow
def test_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    new_keys_are(monkeypatch, 7)
    Path("prompts.jsonl").write_text("".join(json.dumps({"prompt": p}) + "\n" for p in PROMPTS[:3]))
    assert run(["profile", "new", "--scheme", "ewd", "--model", "tiny", "--public-key", "-o", "p.stela"]) == 0
    generate = (
        "generate --profile p.stela --model tiny --prompts prompts.jsonl --max-new-tokens 60 -o out.jsonl"
    )
    assert run(generate.split()) == 0
    capsys.readouterr()
    detect = ["detect", "--profile", "p.stela", "out.jsonl", "--json"]
    assert run(detect) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith('error: scheme "ewd" weighs each token')
    assert "hint: add --model NAME" in line
    found = []
    for options in (["--prompts", "out.jsonl"], ["--prompts", "prompts.jsonl"], []):
        assert run([*detect, "--model", "tiny", *options]) == 0
        found.append([json.loads(text)["z"] for text in capsys.readouterr().out.splitlines()])
    assert len(found[0]) == 3
    # Each is another run of the model: the same but for the order in which torch adds.
    assert found[0] == pytest.approx(found[1], rel=1e-4)
    assert found[0] != pytest.approx(found[2], rel=1e-4), "the prompts matter"
    Path("one.jsonl").write_text(json.dumps({"prompt": "a"}) + "\n")
    assert run([*detect, "--model", "tiny", "--prompts", "one.jsonl"]) == 2
    assert "one.jsonl has 1 prompts for 3 texts" in capsys.readouterr().err
    assert run(["profile", "new", "--scheme", "kgw", "--model", "tiny", "--public-key", "-o", "k.stela"]) == 0
    assert run(["detect", "--profile", "k.stela", "out.jsonl", "--json", "--model", "none"]) == 0
    assert "kgw detects without a model; none is not loaded" in capsys.readouterr().err
