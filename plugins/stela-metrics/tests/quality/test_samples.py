"""Texts of one prompt against plain counting; one prompt under a mark that leaves nothing to chance."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import stela_run
from hypothesis import given
from hypothesis import strategies as st
from stela_metrics.quality import Samples, SamplesParameters
from stela_metrics.quality.once import marked_once
from stela_metrics.quality.samples import repeated_ngrams, self_bleu, shared_ngrams
from stela_run.plan.keys import key_of
from stela_run.testing import make_sample
from stela_testing.texts import marked_text

import stela_core as stela

PLUGIN = """
import numpy as np
import torch

import stela_core as stela


class Fixed(stela.SamplingHasher):
    name = "fixed"
    padding = 0

    def seeds(self, contexts):
        return contexts.sum(axis=1).astype(np.uint64)

    def draws(self, seeds, tokens):
        return np.ones((len(tokens), 1))

    def mark(self, scores, seeds, vocab_size):
        out = torch.full_like(scores, -torch.inf)
        out[torch.arange(len(out)), scores[:, :vocab_size].argmax(dim=1)] = 0.0
        return out


class FixedScheme(stela.SamplingScheme):
    name = "fixed"
    hasher = "fixed"


@stela.hookimpl
def stela_register_hashers():
    return Fixed


@stela.hookimpl
def stela_register_schemes():
    return FixedScheme
"""


def counted(texts: list[str]) -> float | None:
    """The definition, word by word."""
    seen: set[tuple[str, ...]] = set()
    before = total = 0
    for text in texts:
        words = text.split()
        for start in range(len(words)):
            gram = tuple(words[start : start + 4])
            if len(gram) == 4:
                total += 1
                before += gram in seen
                seen.add(gram)
    return before / total if total else None


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=12).map(" ".join), max_size=6))
def test_repeated_4_grams_are_those_that_stood_before(texts: list[str]) -> None:
    expected = counted(texts)
    share = repeated_ngrams(texts, "en")
    assert share == (None if expected is None else pytest.approx(expected))


def test_hand_worked() -> None:
    assert repeated_ngrams(["a b c d e", "b c d e f"], "en") == 1 / 4
    assert repeated_ngrams(["一二三四", "一二三四五"], "zh") == pytest.approx(1 / 3)
    assert repeated_ngrams(["a b c", ""], "en") is None


def test_shared_4_grams_are_those_that_another_text_holds() -> None:
    """Of two 4-grams each: one shared, one of a text alone; repeating oneself is not sharing."""
    assert shared_ngrams(["a b c d e", "b c d e f"], "en") == 1 / 2
    assert shared_ngrams(["a b c d a b c d", "e f g h"], "en") == 0
    assert shared_ngrams(["a b c d", "a b c d", "e f g h i"], "en") == pytest.approx(2 / 3)
    assert shared_ngrams(["一二三四", "一二三四五"], "zh") == pytest.approx(3 / 4)
    assert shared_ngrams(["a b c d", "a b"], "en") is None


def drawn_for(monkeypatch: pytest.MonkeyPatch, bits: int | None, keys: int) -> tuple[object, object]:
    """Keys and messages that ``generate`` is given for the eight texts of a prompt."""
    given: list[tuple[object, object]] = []

    def noted(*arguments: object) -> list[list[object]]:
        given.append((arguments[5], arguments[7]))
        return []

    monkeypatch.setattr("stela_metrics.quality.samples.generate", noted)
    mark = stela.create("gumbel", model="tiny", bits=bits, key=1)
    models = SimpleNamespace(load=lambda name: None)
    sample = SimpleNamespace(length=9, temperature=0.7, seed=0, watermark=mark, model="tiny", models=models)
    Samples(SamplesParameters(samples=8, keys=keys))._texts_after(["a"], sample)  # type: ignore[arg-type]
    return given[0]


def test_each_text_has_a_message_or_a_key_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    assert drawn_for(monkeypatch, None, 1) == (None, None)
    keys, messages = drawn_for(monkeypatch, 32, 1)
    assert keys is None
    assert isinstance(messages, list)
    assert len(set(messages)) == len(messages) == 8
    keys, messages = drawn_for(monkeypatch, None, 1 << 16)
    assert messages is None
    assert isinstance(keys, list)
    assert len(set(keys)) == len(keys) == 8
    few, _ = drawn_for(monkeypatch, None, 2)
    assert isinstance(few, list)
    assert len(set(few)) == 2


@pytest.mark.parametrize("scheme", ["gumbel", "synthid"])
def test_a_context_marks_once_among_the_rows_of_a_group(scheme: str) -> None:
    """Elsewhere, and afterwards, seeds are those that detection works out."""
    hasher = stela.create(scheme, model="tiny", key=1).parts.hasher
    contexts = np.array([[1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4], [5, 6, 7, 8]])
    plain = hasher.seeds(contexts)
    with marked_once(hasher, 2):
        first = hasher.seeds_of([0, 1, 2, 3], contexts)
        then = hasher.seeds_of([1, 3], contexts[[3, 0]])
        assert hasher.seeds(contexts).tolist() == plain.tolist()
    assert (first == plain).tolist() == [True, False, True, True]
    assert (then == plain[[3, 0]]).tolist() == [True, False], "of another group; marked before"
    assert hasher.seeds_of([0, 1, 2, 3], contexts).tolist() == plain.tolist()


def test_p_values_are_times_the_number_of_keys() -> None:
    """A marked text under its key, and under one of four: four times the p-value."""
    mark = stela.create("kgw", model="tiny", key=key_of(5, 2))
    text = marked_text(mark)
    one = SimpleNamespace(text=text, prompt="")
    models = SimpleNamespace(load=lambda name: SimpleNamespace(tokenizer=None))
    sample = SimpleNamespace(watermark=mark, model="tiny", models=models, seed=5)
    alone = Samples(SamplesParameters())._p_values([one], sample)  # type: ignore[arg-type,list-item]
    among = Samples(SamplesParameters(keys=4))._p_values([one], sample)  # type: ignore[arg-type,list-item]
    assert alone == [mark.detect(text).deciding_p]
    assert among == [pytest.approx(4 * alone[0])]
    assert alone[0] < 1e-6


def test_self_bleu() -> None:
    """Equal texts have 1; one word of eight changed keeps 7/8 and 6/7, 5/6 and 4/5 of the n-grams."""
    text = "the old town had a market every week"
    assert self_bleu([text, text, text], "en") == pytest.approx(1)
    changed = text.replace("week", "day")
    assert self_bleu([text, changed], "en") == pytest.approx((7 / 8 * 6 / 7 * 5 / 6 * 4 / 5) ** 0.25)
    assert self_bleu(["一二三四五", "一二三四五"], "zh") == pytest.approx(1)
    few = (1 / 4 * 0.1 / 3 * 0.1 / 2 * 0.1) ** 0.25
    assert self_bleu(["a b c d", "a f g h"], "en") == pytest.approx(few)
    assert self_bleu(["a b c d", "e f g h"], "en") == 0
    assert self_bleu([text, "a b"], "en") is None


@pytest.mark.slow
def test_of_a_real_sample(registry: stela.Registry, sample: stela_run.Sample) -> None:
    metric = Samples(SamplesParameters(samples=4, prompts=2))
    values = {value.name: value for value in metric.measure(replace(sample, length=20))}
    assert values["distinct-texts"].value == 4, "green lists leave the choice to chance"
    assert values["distinct-texts"].n == 2
    assert 0 <= values["repeated-4-grams"].value < 0.5
    assert 0 <= values["shared-4-grams"].value < 0.5
    assert 0 <= values["self-bleu"].value < 0.5
    assert 0 <= values["found"].value <= 1
    assert values["evidence"].value > 0.5, "of unmarked text it is at most log10(e)"
    assert values == {value.name: value for value in metric.measure(replace(sample, length=20))}
    again = metric.measure(replace(sample, length=20, temperature=0.0))
    assert again[0].value == 1, "greedy texts are the same"


@pytest.mark.slow
def test_a_mark_that_leaves_nothing_to_chance_gives_one_text(tmp_path: Path) -> None:
    (tmp_path / "fixed.py").write_text(PLUGIN, encoding="utf-8")
    registry = stela.create_registry([tmp_path / "fixed.py"])
    sample = make_sample(registry, "fixed", length=20, keys=1)
    values = {
        value.name: value.value for value in Samples(SamplesParameters(samples=5, prompts=2)).measure(sample)
    }
    assert values["distinct-texts"] == 1
    assert values["repeated-4-grams"] >= 4 / 5
    assert values["shared-4-grams"] == 1
    assert values["self-bleu"] == pytest.approx(1)
