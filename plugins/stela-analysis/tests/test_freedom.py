"""Correlation of weights with entropies of a real model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import stela_run
import torch
from scipy.stats import entropy, pearsonr, spearmanr
from stela_analysis import Freedom
from stela_analysis.freedom import sentence_means
from stela_analysis.sentences import sentence_numbers
from stela_analysis.token_entropies import common_starts, token_entropies

import stela_core as stela
from tests.tiers import Draws

MODULUS = 0.7616


def slow(sample: stela_run.Sample, number: int) -> list[tuple[float, float, float]]:
    """Weight, Shannon and spike entropy of each scored token of a human text, one forward pass each."""
    model, tokenizer = sample.models.load(sample.model)
    row = sample.human[number]
    evidence = row.detections[0].evidence
    prompt = tokenizer(row.prompt)["input_ids"]
    rows_of_tokens = []
    for position, weight in zip(evidence.positions.tolist(), evidence.weights.tolist(), strict=True):
        ids = torch.tensor([[*prompt, *evidence.ids[:position]]])
        with torch.no_grad():
            p = model(ids).logits[0, -1].double().softmax(dim=-1).numpy()
        rows_of_tokens.append((weight, float(entropy(p)), float((p / (1 + MODULUS * p)).sum())))
    return rows_of_tokens


@pytest.mark.slow
def test_against_scipy_on_a_real_sample(sample: stela_run.Sample, draws: Draws) -> None:
    texts = draws(3, 2)
    few = replace(sample, human=sample.human[:texts])
    values = {value.name: value for value in Freedom(Freedom.Parameters()).measure(few)}
    weight, shannon, spike = np.array([one for n in range(texts) for one in slow(sample, n)]).T
    for name, y in (("shannon", shannon), ("spike", spike)):
        assert values[f"freedom-token-{name}-pearson"].value == pytest.approx(
            pearsonr(weight, y).statistic, abs=1e-4
        )
        # Ranks change where entropies differ by a rounding error.
        assert values[f"freedom-token-{name}-spearman"].value == pytest.approx(
            spearmanr(weight, y).statistic, abs=1e-3
        )
    assert values["freedom-token-spike-pearson"].n == texts


@pytest.mark.slow
def test_a_weight_that_is_the_entropy_follows_it(registry: stela.Registry, sample: stela_run.Sample) -> None:
    """Each text's own spike entropies in place of its weights: r is 1, by token and by sentence."""
    rows = []
    model = sample.models.load(sample.model)
    entropies = token_entropies(
        [row.detections[0].evidence for row in sample.human],
        [row.text for row in sample.human],
        [row.prompt for row in sample.human],
        model,
        MODULUS,
    )
    for row, one in zip(sample.human, entropies, strict=True):
        detection = row.detections[0]
        assert one.scored.tolist() == list(range(len(detection.evidence.weights)))
        rows.append(
            replace(
                row, detections=[replace(detection, evidence=replace(detection.evidence, weights=one.spike))]
            )
        )
    values = {v.name: v for v in Freedom(Freedom.Parameters()).measure(replace(sample, human=rows))}
    for name in (
        "freedom-token-spike-pearson",
        "freedom-token-spike-spearman",
        "freedom-sentence-spike-pearson",
    ):
        assert values[name].value == pytest.approx(1, abs=1e-6)
    assert values["freedom-token-shannon-spearman"].value > 0.8


@pytest.mark.slow
def test_another_tokenizer(sample: stela_run.Sample) -> None:
    """Tokens that begin together are compared: most, and each at its own place."""
    model = sample.models.load("tiny-small")
    evidence = [row.detections[0].evidence for row in sample.human]
    texts = [row.text for row in sample.human]
    entropies = token_entropies(evidence, texts, None, model, MODULUS)
    shared = sum(len(one.scored) for one in entropies)
    assert 0.5 * sum(len(one.weights) for one in evidence) < shared
    one, at = evidence[0], entropies[0].scored[-1]
    before = b"".join(one.token_bytes[i] for i in one.ids[: one.positions[at]]).decode()
    ids = model.tokenizer(before, return_tensors="pt", add_special_tokens=False)["input_ids"]
    first = model.tokenizer.bos_token_id or model.model.config.bos_token_id
    if first is not None:
        ids = torch.cat([torch.tensor([[first]]), ids], dim=1)
    with torch.no_grad():
        p = model.model(ids).logits[0, -1].double().softmax(dim=-1).numpy()
    assert entropies[0].shannon[-1] == pytest.approx(float(entropy(p)), abs=1e-4)
    values = Freedom(Freedom.Parameters(model="tiny-small")).measure(sample)
    assert {value.n for value in values} == {8}


def test_common_starts() -> None:
    mine, theirs = common_starts([b"ab", b"c", b" d"], [b" ", b"a", b"bc", b" d"])
    assert mine.tolist() == [0, 2]
    assert theirs.tolist() == [1, 3]
    assert common_starts([b"ab"], [b"AB"])[0].tolist() == []
    # 가 is three bytes; one tokenizer parts it, the other does not.
    whole = "가나".encode()
    mine, theirs = common_starts([whole[:2], whole[2:3], whole[3:]], [whole[:3], whole[3:]])
    assert (mine.tolist(), theirs.tolist()) == ([0, 2], [0, 1])


def test_sentences() -> None:
    text = 'It is 3.5 m. "Why?" No… yes!\nEnd'
    starts = [text.index(word) for word in ("It", "3.5", ".5", "m.", '"', "No", "yes", "End")]
    assert sentence_numbers(text, starts) == [0, 0, 0, 0, 1, 2, 3, 5]
    assert sentence_numbers("好。“不！”她说。", range(9)) == [0, 0, 1, 1, 1, 1, 2, 2, 2]


def test_sentence_means() -> None:
    """Two texts: sentences of 2, 1 and 2 points; those of one point are left out."""
    x = np.array([1.0, 3, 10, 5, 6])
    text, sentence = np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 0, 0])
    means = sentence_means(x, -x, text, sentence, 2)
    assert [part.tolist() for part in means] == [[2, 5.5], [-2, -5.5], [0, 1]]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["marked", "model"])
def test_generated_text(sample: stela_run.Sample, kind: str) -> None:
    """The same numbers as of human text that is these texts, under names of their own."""
    values = Freedom(Freedom.Parameters.model_validate({"texts": kind})).measure(sample)
    if kind == "model":
        rows = sample.model_text
    else:
        human = sample.human[0]
        rows = [
            replace(human, prompt=one.generated.prompt, text=one.text, detections=[one.detection])
            for one in sample.marked
        ]
    expected = Freedom(Freedom.Parameters()).measure(replace(sample, human=rows))
    assert expected
    assert [one.name.replace(f"-{kind}-", "-") for one in values] == [one.name for one in expected]
    assert [(one.value, one.low, one.high, one.n) for one in values] == [
        (one.value, one.low, one.high, one.n) for one in expected
    ]


@pytest.mark.slow
def test_equal_weights_and_no_text(kgw: stela_run.Sample) -> None:
    with pytest.raises(stela.StelaError, match='scheme "kgw" weighs all tokens alike'):
        Freedom(Freedom.Parameters()).measure(kgw)
    with pytest.raises(stela.StelaError, match="no human text"):
        Freedom(Freedom.Parameters()).measure(replace(kgw, human=[]))
