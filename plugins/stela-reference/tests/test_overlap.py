from __future__ import annotations

from dataclasses import replace

import pytest
import stela_run
from stela_reference import Bleu, Chrf
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
    """Of both metrics."""

    @pytest.fixture(
        scope="class", params=[Bleu(stela.Parameters()), Chrf(stela.Parameters())], ids=lambda one: one.name
    )
    @classmethod
    def metric(cls, request: pytest.FixtureRequest) -> stela_run.Metric:
        return request.param
