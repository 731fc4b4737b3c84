"""BERTScore by an encoder in a folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import stela_run
import torch
from stela_metrics.reference import BertScore, BertScoreParameters
from stela_metrics.reference.bertscore import encoder_of
from stela_run.testing import MetricContract

import stela_core as stela


def test_a_text_against_itself_scores_1(sample: stela_run.Sample, encoder: str) -> None:
    same = [replace(sample.human[0], prompt=one.generated.prompt, text=one.text) for one in sample.marked]
    [value] = BertScore(BertScoreParameters(model=encoder)).measure(
        replace(sample, human=same, model_text=())
    )
    assert (value.name, value.n) == ("bertscore:human", len(sample.marked))
    assert value.value == pytest.approx(1)


@pytest.mark.parametrize("layer", [None, 1])
def test_against_its_definition(sample: stela_run.Sample, encoder: str, layer: int | None) -> None:
    """Zhang et al. 2020, equation 1: each piece and the one most like it, without [CLS] and [SEP]."""
    text, others = "The city was old, and its walls", ["A town", "Its walls were of stone and the city old"]
    metric = BertScore(BertScoreParameters(model=encoder, layer=layer))
    scores = metric.scores([(text, others), (others[0], [text])], sample)["bertscore"]
    expected = [max(f1(encoder, text, one, layer) for one in others), f1(encoder, others[0], text, layer)]
    assert scores == pytest.approx(expected, rel=1e-5)


def f1(encoder: str, one: str, other: str, layer: int | None) -> float:
    network, tokenizer = encoder_of(encoder)
    rows = []
    for text in (one, other):
        with torch.inference_mode():
            made = network(**tokenizer(text, return_tensors="pt", truncation=True), output_hidden_states=True)
        states = made.hidden_states[-1 if layer is None else layer][0, 1:-1].double().numpy()
        rows.append(states / np.linalg.norm(states, axis=1, keepdims=True))
    alike = rows[0] @ rows[1].T
    precision, recall = alike.max(axis=1).mean(), alike.max(axis=0).mean()
    return float(2 * precision * recall / (precision + recall))


def test_long_texts_are_cut(sample: stela_run.Sample, encoder: str) -> None:
    metric = BertScore(BertScoreParameters(model=encoder))
    long = "The city was old, and its walls were of stone. " * 40
    assert metric.scores([(long, [long + "More."])], sample)["bertscore"] == pytest.approx([1])


def test_what_is_wrong_is_told_in_one_line(sample: stela_run.Sample, encoder: str, tmp_path: Path) -> None:
    for parameters, said in (
        ({"model": encoder, "layer": 3}, "has 2 layers, no layer 3"),
        ({"model": str(tmp_path)}, "cannot be loaded"),
    ):
        with pytest.raises(stela.StelaError, match=said) as error:
            BertScore(BertScoreParameters.model_validate(parameters)).measure(sample)
        assert "\n" not in str(error.value)


class TestContract(MetricContract):
    """Of the metric."""

    @pytest.fixture(scope="class")
    @classmethod
    def metric(cls, encoder: str) -> stela_run.Metric:
        return BertScore(BertScoreParameters(model=encoder))
