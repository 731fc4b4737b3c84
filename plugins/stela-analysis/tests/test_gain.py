"""Expected z against one forward pass and one split at a time."""

from __future__ import annotations

from dataclasses import replace
from math import exp, sqrt

import numpy as np
import pytest
import stela_run
import torch
from hypothesis import given
from hypothesis import strategies as st
from stela_analysis import Gain
from stela_analysis.expected_z import expected_z, mean_rises

import stela_core as stela

DELTA, SPLITS = 1.0, 3


def slow(sample: stela_run.Sample, number: int, mean: float) -> tuple[float, float, float]:
    """Expected z of a human text: uniform, weighed at detection, weighed at both."""
    model, tokenizer = sample.models.load(sample.model)
    row = sample.human[number]
    evidence = row.detections[0].evidence
    prompt = tokenizer(row.prompt)["input_ids"]
    counted: set[int] = set()
    tops, squares = np.zeros(3), np.zeros(3)
    for position, weight, group in zip(evidence.positions, evidence.weights, evidence.groups, strict=True):
        if int(group) in counted:
            continue
        counted.add(int(group))
        ids = torch.tensor([[*prompt, *evidence.ids[: int(position)]]])
        with torch.no_grad():
            p = (model(ids).logits[0, -1].double() / sample.temperature).softmax(dim=-1).numpy()
        splits = np.random.default_rng(sample.seed).random((len(p), SPLITS), dtype=np.float32) < 0.5
        rises = []
        for bias in (DELTA, DELTA * weight / mean):
            a = exp(bias / sample.temperature)
            mass = [float(p[green].sum()) for green in splits.T]
            rises.append(np.mean([g * a / (1 - g + g * a) - g for g in mass]))
        tops += rises[0], weight * rises[0], weight * rises[1]
        squares += 1, weight**2, weight**2
    z: tuple[float, float, float] = tuple(tops / sqrt(0.25) / np.sqrt(squares))
    return z


@pytest.mark.slow
def test_against_one_token_at_a_time(sample: stela_run.Sample) -> None:
    few = replace(sample, human=sample.human[:2])
    weights = np.concatenate([row.detections[0].evidence.weights for row in few.human])
    values = {v.name: v for v in Gain(Gain.Parameters(delta=DELTA, splits=SPLITS)).measure(few)}
    expected = np.mean([slow(few, number, float(weights.mean())) for number in range(2)], axis=0)
    for name, wanted in zip(("uniform", "detection", "both"), expected, strict=True):
        assert values[f"gain-{name}"].value == pytest.approx(wanted, rel=1e-3)
    assert values["gain-ratio"].value == pytest.approx(expected[2] / expected[0], rel=1e-3)


@pytest.mark.slow
def test_equal_weights_add_nothing(kgw: stela_run.Sample) -> None:
    values = {value.name: value.value for value in Gain(Gain.Parameters(splits=2)).measure(kgw)}
    assert values["gain-ratio"] == pytest.approx(1)
    assert values["gain-detection"] == pytest.approx(values["gain-uniform"])


@pytest.mark.slow
def test_more_splits_change_little(sample: stela_run.Sample) -> None:
    rows = [row.detections[0].evidence for row in sample.human], [row.text for row in sample.human]
    model = sample.models.load(sample.model)
    few, many = (expected_z(*rows, None, model, 0.5, 1.0, 1.0, splits, 1) for splits in (32, 512))
    assert few.both.mean() == pytest.approx(many.both.mean(), rel=0.1)
    assert (few.both / few.uniform).mean() == pytest.approx((many.both / many.uniform).mean(), rel=0.02)


def test_texts_without_weight_are_one_line(sample: stela_run.Sample) -> None:
    with pytest.raises(stela.StelaError, match="no token has a weight"):
        Gain(Gain.Parameters()).measure(replace(sample, human=[]))


@given(st.floats(0, 4), st.integers(2, 6))
def test_a_bias_raises_what_is_green(bias: float, vocabulary: int) -> None:
    """Equal tokens, one of them green: ``a / (V - 1 + a) - 1 / V``."""
    green = torch.eye(vocabulary)
    [rise] = mean_rises(torch.zeros(1, vocabulary), green, np.array([bias]), 1.0)
    assert rise == pytest.approx(exp(bias) / (vocabulary - 1 + exp(bias)) - 1 / vocabulary, abs=1e-6)
