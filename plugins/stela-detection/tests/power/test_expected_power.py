"""Expected power beside the share of a model's marked texts that is found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from stela_detection.power.power import power
from stela_models.gains import expected_gain
from stela_models.generation.generate import Sampling, generate
from stela_run.statistics.shares import clopper_pearson
from stela_tables.weightings import DELTA, TEMPERATURE, gains_beside, likeliest_of

import stela_core as stela
from tests.tiers import Draws

STARTS = ("The history of", "In the winter,", "After the war,", "Most people in", "A school in", "Near")
ENDS = ("the city", "the old harbour", "the valley", "the river", "the island", "the church", "the market")
PROMPTS = [f"{start} {end}{more}" for start in STARTS for end in ENDS for more in ("", " of the north")]
LENGTHS = (30, 80)


@pytest.mark.deep(keep=["1.25-kgw"])
@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["kgw", "stela", "learned-text"])
@pytest.mark.parametrize("delta", [1.25, 2.0])
def test_about_as_many_are_found_as_is_said(
    scheme: str, delta: float, registry: stela.Registry, draws: Draws
) -> None:
    """84 texts of the embedded model (every second in ``make test``), a key each: what is said is in the
    99.9 % interval of what is found.
    """
    prompts = PROMPTS[:: draws(1, 2)]
    tagger = "penn" if scheme == "stela" else None
    mark = stela.create(
        scheme, model="tiny", tagger=tagger, key="public", delta=delta, language="en", registry=registry
    )
    keys = [int(key) for key in np.random.default_rng(3).integers(0, 2**64, len(prompts), dtype=np.uint64)]
    sampling = Sampling(max(LENGTHS) + 1, max(LENGTHS) + 1, seed=5)
    [texts] = generate(mark, stela.load_model("tiny"), prompts, sampling, len(prompts), keys)
    for length in LENGTHS:
        said, found = [], 0
        for text, key in zip(texts, keys, strict=True):
            detector = mark.detector.with_composition(
                replace(mark.parts, hasher=mark.parts.hasher.under(key))
            )
            [detection] = detector.detect_ids([text.token_ids[: length + 1]])
            assert detection.power is not None
            said.append(detection.power)
            found += detection.watermarked
        low, high = clopper_pearson(found, len(texts), 0.999)
        assert low <= np.mean(said) <= high, (
            f"{length} tokens: {np.mean(said):.2f} said, {found / len(texts):.2f} found"
        )


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["gumbel", "synthid"])
def test_of_chosen_tokens_about_as_many_are_found_as_is_said(scheme: str, registry: stela.Registry) -> None:
    """42 texts of the embedded model, a key each, so short that not all are found: within 0.15."""
    mark = stela.create(scheme, model="tiny", key="public", language="en", registry=registry)
    prompts = PROMPTS[::2]
    keys = [int(key) for key in np.random.default_rng(4).integers(0, 2**64, len(prompts), dtype=np.uint64)]
    sampling = Sampling(18, 18, seed=6)
    [texts] = generate(mark, stela.load_model("tiny"), prompts, sampling, len(prompts), keys)
    for length in (12, 18):
        said, found = [], []
        for text, key in zip(texts, keys, strict=True):
            composition = replace(mark.parts, hasher=mark.parts.hasher.under(key))
            [detection] = mark.detector.with_composition(composition).detect_ids([text.token_ids[:length]])
            said.append(detection.power)
            found.append(detection.watermarked)
        assert np.mean(said) == pytest.approx(np.mean(found), abs=0.15)


@pytest.mark.parametrize("scheme", ["gumbel", "synthid"])
def test_power_of_chosen_tokens_is_told_of_a_measured_model_alone(
    scheme: str, registry: stela.Registry
) -> None:
    def power_of(mark: stela.Watermark, count: int) -> float | None:
        [detection] = mark.detector.detect_ids([list(range(300, 300 + count))])
        return detection.power

    made = {"model": "tiny", "key": "public", "registry": registry}
    measured = stela.create(scheme, language="en", **made)
    values = [power_of(measured, count) for count in (9, 13, 16, 40)]
    assert values == sorted(values)
    assert 0 < values[1] < values[-1]
    assert values[-1] > 0.95
    assert power_of(stela.create(scheme, language="ko", **made), 40) is None


def test_a_level_near_0_has_a_power() -> None:
    """Of a mark with 64 bits, p-values are times 2**64."""
    mark = stela.create("gumbel", model="tiny", key=1, language="en", bits=64)
    [detection] = mark.detect_ids([[300 + n * n % 700 for n in range(120)]])
    assert detection.verdict == "no watermark found"
    assert 0.9 < detection.power < 1
    least = power(np.ones(600), np.full((1, 600), 0.9), 0.5, 1e-60)
    assert 0.5 < least[0] <= 1


def test_one_likely_token_has_the_gain_that_the_model_s_logits_give() -> None:
    """The family of distributions, against :func:`expected_gain` over many small tokens."""
    torch = pytest.importorskip("torch")
    likely = np.array([0.02, 0.3, 0.7, 0.95])
    shares = np.concatenate([likely[:, None], np.tile((1 - likely[:, None]) / 5000, (1, 5000))], axis=1)
    logits = torch.log(torch.tensor(shares)) * TEMPERATURE
    for delta, gamma in ((DELTA, 0.5), (2.0, 0.25)):
        gains = expected_gain(logits, TEMPERATURE, delta, gamma)
        assert gains_beside(likely, delta / TEMPERATURE, gamma) == pytest.approx(gains, abs=1e-3)


def test_a_table_s_value_gives_its_token_back() -> None:
    likely = np.linspace(0, 1, 50)
    gains = gains_beside(likely, DELTA / TEMPERATURE, 0.5)
    assert likeliest_of(gains, "expected-gain") == pytest.approx(likely, abs=1e-3)
    spikes = likeliest_of(np.array([0.0, 0.1, 0.3, 1.0]), "spike-entropy")
    assert (np.diff(spikes) <= 0).all()
    assert spikes[0] == pytest.approx(1, abs=1e-9)
    assert spikes[-1] == 0
