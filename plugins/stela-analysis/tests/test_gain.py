"""Expected z against one forward pass at a time, and the exact rise."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import exp, sqrt

import numpy as np
import pytest
import stela_run
import torch
from stela_analysis import Gain

import stela_core as stela

DELTA = 1.0


def rise(p: np.ndarray, factor: float) -> float:
    """Chance of green over halves, less 1/2, exactly: ``1 / Z`` is an integral of ``e^(-t Z)``, whose mean is
    a product over tokens.
    """
    c, value, (points, weights) = factor - 1, 0.0, np.polynomial.legendre.leggauss(6)
    for low, high in pairwise([0.0, *np.geomspace(0.1, 40, 8)]):
        t = (high - low) / 2 * points + (high + low) / 2
        means = np.log((1 + np.exp(-np.outer(t, c * p))) / 2).sum(1)
        value += (high - low) / 2 * float(weights @ np.exp(means - t))
    return factor / c * (1 - value) - 0.5


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
        biases = (DELTA, DELTA * weight / mean)
        rises = [rise(p, exp(bias / sample.temperature)) for bias in biases]
        tops += rises[0], weight * rises[0], weight * rises[1]
        squares += 1, weight**2, weight**2
    z: tuple[float, float, float] = tuple(tops / sqrt(0.25) / np.sqrt(squares))
    return z


@pytest.mark.slow
def test_against_one_token_at_a_time(sample: stela_run.Sample) -> None:
    few = replace(sample, human=sample.human[:2])
    weights = np.concatenate([row.detections[0].evidence.weights for row in few.human])
    values = {v.name: v for v in Gain(Gain.Parameters(delta=DELTA)).measure(few)}
    expected = np.mean([slow(few, number, float(weights.mean())) for number in range(2)], axis=0)
    for name, wanted in zip(("uniform", "detection", "both"), expected, strict=True):
        assert values[f"gain-{name}"].value == pytest.approx(wanted, rel=1e-3)
    assert values["gain-ratio"].value == pytest.approx(expected[2] / expected[0], rel=1e-3)


@pytest.mark.slow
def test_equal_weights_add_nothing(kgw: stela_run.Sample) -> None:
    values = {value.name: value.value for value in Gain(Gain.Parameters()).measure(kgw)}
    assert values["gain-ratio"] == pytest.approx(1)
    assert values["gain-detection"] == pytest.approx(values["gain-uniform"])


def test_texts_without_weight_are_one_line(sample: stela_run.Sample) -> None:
    with pytest.raises(stela.StelaError, match="no token has a weight"):
        Gain(Gain.Parameters()).measure(replace(sample, human=[]))
