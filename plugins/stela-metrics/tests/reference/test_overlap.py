from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache

import pytest
import stela_run
from stela_metrics.reference import Bleu, Chrf, Rouge
from stela_metrics.reference.overlap import ROUGE
from stela_run.testing import MetricContract

import stela_core as stela


@pytest.mark.parametrize("metric", [Bleu, Chrf])
def test_a_text_against_itself_scores_100(metric: type[Bleu | Chrf], sample: stela_run.Sample) -> None:
    same = [replace(sample.human[0], prompt=one.generated.prompt, text=one.text) for one in sample.marked]
    for language in ("en", "zh", "ko"):
        both = replace(sample, language=language, human=same, model_text=())
        (value,) = metric(stela.Parameters()).measure(both)
        assert value.name == f"{metric.name.removeprefix('reference-')}:human"
        assert value.value == pytest.approx(100)
        assert value.n == len(sample.marked)


@pytest.mark.parametrize("language", ["en", "zh", "ko"])
def test_rouge_against_its_definition(sample: stela_run.Sample, language: str) -> None:
    """Lin 2004: F1 of shared n-grams, each counted as often as both have it, and of the longest sequence."""
    text, others = "The cat sat, the CAT ran 3 miles", ["A cat ran the 3 miles", "the cat sat"]
    scores = Rouge(stela.Parameters()).scores([(text, others)], replace(sample, language=language))
    best = dict.fromkeys(ROUGE, 0.0)
    for other in others:
        mine, theirs = (
            [one for one in each.casefold() if one.isalnum()]
            if language != "en"
            else each.casefold().replace(",", "").split()
            for each in (text, other)
        )
        for name in ROUGE:
            own = longest(tuple(mine), tuple(theirs)), len(mine), len(theirs)
            if name != "rougeL":
                grams = [Counter(n_grams(row, int(name[-1]))) for row in (mine, theirs)]
                own = (grams[0] & grams[1]).total(), grams[0].total(), grams[1].total()
            best[name] = max(best[name], 2 * own[0] / (own[1] + own[2]))
    for name, [score] in scores.items():
        assert score == pytest.approx(best[name], rel=1e-6)
        assert 0 < score < 1


def n_grams(words: list[str], n: int) -> list[tuple[str, ...]]:
    return [tuple(words[start : start + n]) for start in range(len(words) - n + 1)]


@cache
def longest(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """Length of the longest common subsequence, by its definition."""
    if not one or not other:
        return 0
    if one[-1] == other[-1]:
        return longest(one[:-1], other[:-1]) + 1
    return max(longest(one[:-1], other), longest(one, other[:-1]))


def test_rouge_of_a_text_against_itself_is_1(sample: stela_run.Sample) -> None:
    same = [replace(sample.human[0], prompt=one.generated.prompt, text=one.text) for one in sample.marked]
    values = Rouge(stela.Parameters()).measure(replace(sample, human=same, model_text=()))
    assert [value.name for value in values] == [f"{name}:human" for name in ROUGE]
    assert all(value.value == pytest.approx(1) for value in values)


@pytest.mark.parametrize("metric", [Bleu, Chrf])
def test_texts_without_a_reference(metric: type[Bleu | Chrf], sample: stela_run.Sample) -> None:
    with pytest.raises(stela.StelaError, match="reference"):
        metric(stela.Parameters()).measure(replace(sample, human=(), model_text=()))


def test_chinese_and_korean_characters_count() -> None:
    for language, text, other in (
        ("zh", "今天天气很好", "今天天气不好"),
        ("ko", "오늘 날씨가 좋다", "오늘 날씨는 좋다"),
    ):
        assert 10 < Bleu(stela.Parameters()).scorer(language).sentence_score(text, [other]).score < 100


class TestContract(MetricContract):
    """Of all three metrics."""

    @pytest.fixture(
        scope="class",
        params=[one(stela.Parameters()) for one in (Bleu, Chrf, Rouge)],
        ids=lambda one: one.name,
    )
    @classmethod
    def metric(cls, request: pytest.FixtureRequest) -> stela_run.Metric:
        return request.param
