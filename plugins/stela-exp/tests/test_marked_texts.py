"""Texts of the embedded model: marked by ``generate``, found by each scheme, cut or edited too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from stela_models.generation.generate import Sampling, generate

import stela_core as stela
from tests.tiers import Draws

torch = pytest.importorskip("torch")

PROMPTS = ["The river rises", "A house is", "We went to the market"]
SCHEMES = ["exp", "exp-its"]


@pytest.fixture(scope="module")
def registry() -> stela.Registry:
    return stela.create_registry()


@pytest.fixture(scope="module")
def model(registry: stela.Registry) -> Any:
    return stela.load_model("tiny", registry=registry)


def mark_of(scheme: str, registry: stela.Registry, **values: object) -> stela.Watermark:
    return stela.create(scheme, model="tiny", key=f"{5:016x}", registry=registry, **values)


def texts_of(mark: stela.Watermark, model: Any) -> list[Any]:
    [texts] = list(generate(mark, model, PROMPTS, Sampling(80, 80, temperature=1.0), 8))
    return list(texts)


@pytest.fixture(scope="module")
def exponential(registry: stela.Registry, model: Any) -> list[Any]:
    return texts_of(mark_of("exp", registry), model)


@pytest.fixture(scope="module")
def inverse(registry: stela.Registry, model: Any) -> list[Any]:
    return texts_of(mark_of("exp-its", registry), model)


@pytest.mark.slow
def test_all_but_the_first_token_are_marked_and_their_signals_large(
    exponential: list[Any], inverse: list[Any], registry: stela.Registry
) -> None:
    for scheme, texts, least in (("exp", exponential, 2.0), ("exp-its", inverse, 1.3)):
        detector = mark_of(scheme, registry).detector
        for text in texts:
            assert [weight is not None for weight in text.weights] == [False] + [True] * 79
            [evidence] = detector.evidence([text.token_ids])
            assert evidence.positions.tolist() == list(range(1, 80))
            assert evidence.signal.mean() > least
            assert len(np.unique(evidence.groups)) == 79


@pytest.mark.slow
def test_known_shifts_find_whole_texts(
    exponential: list[Any], inverse: list[Any], registry: stela.Registry
) -> None:
    for scheme, texts in (("exp", exponential), ("exp-its", inverse)):
        own = mark_of(scheme, registry)
        other = stela.create(scheme, model="tiny", key=f"{6:016x}", registry=registry)
        for text in texts:
            assert own.detector.detect_ids([text.token_ids])[0].p_value < 1e-6
            assert other.detector.detect_ids([text.token_ids])[0].p_value > 1e-3
            # The shift is lost with the first token.
            assert own.detector.detect_ids([text.token_ids[30:]])[0].p_value > 1e-3


@pytest.mark.slow
def test_alignment_finds_texts_without_their_beginning(
    exponential: list[Any], registry: stela.Registry
) -> None:
    detector, scan = mark_of("exp-align", registry).detector, mark_of("exp-scan", registry).detector
    for text in exponential:
        assert scan.detect_ids([text.token_ids[30:]])[0].p_value < 1e-6
        [tested] = detector.detect_ids([text.token_ids[30:]])
        assert (tested.verdict, tested.p_value) == ("watermarked", 1 / 2000)
        assert tested.foreign_scores == {"resampled sequences": 1999}
    human = list(range(200, 260))
    [tested] = detector.detect_ids([human])
    assert tested.p_value > 0.01
    assert tested.foreign_scores["resampled sequences"] < 1999


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["exp-edit", "exp-its-edit"])
def test_edits_are_followed(
    scheme: str, exponential: list[Any], inverse: list[Any], registry: stela.Registry, draws: Draws
) -> None:
    detector = mark_of(scheme, registry).detector
    for text in (exponential if scheme == "exp-edit" else inverse)[: draws(3, 1)]:
        ids = [*text.token_ids[5:20], 300, 301, *text.token_ids[20:40], *text.token_ids[43:]]
        assert detector.detect_ids([ids])[0].p_value == 1 / 2000


def test_too_few_resamples_for_alpha_are_insufficient(registry: stela.Registry) -> None:
    mark = mark_of("exp-align", registry, parameters={"resamples": 99})
    [tested] = mark.detector.detect_ids([list(range(200, 260))])
    assert tested.verdict == "insufficient text"


@pytest.mark.slow
def test_windows_rest_on_the_scan_of_the_whole_text_too(
    exponential: list[Any], registry: stela.Registry
) -> None:
    """A cut text has another shift than its first ids say: no window of its signals shows anything."""
    mark = mark_of("exp-scan", registry)
    for text in exponential:
        cut = mark.detect_ids([text.token_ids[13:]])[0]
        assert cut.watermarked
        scanned = mark.with_passage(cut)
        assert scanned.watermarked
        assert scanned.window is not None
        # Half of the rate belongs to the whole text (windows.py).
        assert scanned.window.p_value <= 2.01 * cut.p_value
