"""One text under several marks: the same as one by one, and p-values that hold for all of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from stela_testing.texts import marked_text, random_text
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.detection.batch import Batch
from stela_core.detection.many_keys import detections_under
from stela_core.profile.create import Settings
from tests.helpers import all_readings
from tests.tiers import Draws

PLAIN_GUMBEL = Path(__file__).parents[1] / "sampling" / "plain_gumbel.py"

TEXTS = [random_text(n) for n in range(6)] + ["", "short", "The\u00a0city of the\u200b old library. " * 8]
"""The last one has a canonical form."""


def watermark(
    registry: stela.Registry, tokenizer: Tokenizer, key: int, scheme: str = "kgw"
) -> stela.Watermark:
    archive = Settings(scheme).create(registry, tokenizer, key, public=True).archive
    return stela.Watermark(archive, None, registry)


@pytest.fixture(scope="module")
def marks(registry: stela.Registry, tokenizer: Tokenizer) -> dict[str, stela.Watermark]:
    made = {f"{key}.stela": watermark(registry, tokenizer, key) for key in (1, 2, 3)}
    return made | {"unigram.stela": watermark(registry, tokenizer, 1, "unigram")}


@pytest.mark.parametrize("windows", [False, True])
def test_the_same_as_one_by_one_times_their_number(marks: dict[str, stela.Watermark], windows: bool) -> None:
    several = stela.Watermarks(marks)
    texts = [*TEXTS, marked_text(marks["2.stela"])]
    for text, attribution in zip(texts, several.detect_many(texts, windows=windows), strict=True):
        assert len(attribution.tested) == 4
        for one in attribution.tested:
            alone = marks[one.name].detect(text)
            assert one.p_value == pytest.approx(min(1.0, 4 * alone.p_value), rel=1e-12)
            if one.p_value < 1:  # else another reading may come first
                assert (one.z, one.unique_pairs) == (alone.z, alone.unique_pairs)
            if windows and alone.scored_tokens:
                window = marks[one.name].with_passage(alone).window
                assert window is not None
                assert one.p_window is not None
                assert one.p_window == pytest.approx(min(1.0, 4 * window.p_value), rel=1e-9)
        assert attribution.name == attribution.tested[0].name
        assert attribution.p_value == attribution.tested[0].p_value
        assert attribution.detection.tests == 4


def test_recoloured_evidence_is_that_of_the_other_detector(marks: dict[str, stela.Watermark]) -> None:
    detectors = [marks[f"{key}.stela"].detector for key in (1, 2, 3)]
    outcomes = list(detections_under(detectors, Batch.of_texts(TEXTS, reader=all_readings), 1))
    assert [(n, m) for n, m, _ in outcomes] == [(n, m) for n in range(3) for m in range(len(TEXTS))]
    for n, m, detection in outcomes:
        alone = detectors[n].detect_batch(Batch.of_texts([TEXTS[m]], reader=all_readings))[0]
        assert detection == alone
        assert detection.tokens == alone.tokens
        for name in ("positions", "green", "weights", "groups"):
            np.testing.assert_array_equal(getattr(detection.evidence, name), getattr(alone.evidence, name))


def test_marks_that_choose_tokens_are_recoloured_exactly(tokenizer: Tokenizer) -> None:
    """Signals in place of colours; contexts that came before are left out, key or no key."""
    registry = stela.create_registry([PLAIN_GUMBEL])
    made = {}
    for key in (1, 2, 3):
        archive = Settings("plain_gumbel").create(registry, tokenizer, key, public=True).archive
        made[f"{key}.stela"] = stela.Watermark(archive, None, registry)
    for text, attribution in zip(TEXTS, stela.Watermarks(made).detect_many(TEXTS), strict=True):
        for one in attribution.tested:
            alone = made[one.name].detect(text)
            assert one.p_value == pytest.approx(min(1.0, 3 * alone.p_value), rel=1e-12)
            if one.p_value < 1:
                assert one.z == alone.z
    detectors = [mark.detector for mark in made.values()]
    for n, m, detection in detections_under(detectors, Batch.of_texts(TEXTS, reader=all_readings), 1):
        alone = detectors[n].detect_batch(Batch.of_texts([TEXTS[m]], reader=all_readings))[0]
        assert detection == alone
        np.testing.assert_array_equal(detection.evidence.draws, alone.evidence.draws)


def test_whose_mark_it_is(marks: dict[str, stela.Watermark]) -> None:
    several = stela.Watermarks(marks)
    for name in ("1.stela", "2.stela", "3.stela"):
        attribution = several.detect(marked_text(marks[name]))
        assert attribution.watermarked
        assert attribution.name == name
        assert [one.name for one in attribution.marks] == [name]
        assert attribution.key_id == marks[name].profile.hasher.key_id
    nobody = several.detect(random_text(99))
    assert nobody.verdict == "no watermark found"
    assert not nobody.marks
    with pytest.raises(stela.StelaError, match="neither true nor false"):
        assert nobody


def test_a_verdict_rests_on_the_corrected_p_value(marks: dict[str, stela.Watermark]) -> None:
    """A text that one test calls marked with p in (alpha / 4, alpha] is not, where four are made."""
    mark = marks["1.stela"]
    between = 0
    for tokens in range(8, 20):
        text = marked_text(mark, tokens)
        alone, [among] = mark.detect(text), stela.Watermarks(marks).detect_many([text])
        assert among.watermarked == (4 * alone.p_value <= 1e-3)
        between += alone.watermarked and not among.watermarked
    assert between


def test_a_text_too_short_for_the_correction_is_insufficient(
    registry: stela.Registry, tokenizer: Tokenizer, marks: dict[str, stela.Watermark]
) -> None:
    """All green, 2**-pairs is below alpha but not below alpha / 256."""
    many = {f"{key}.stela": watermark(registry, tokenizer, key) for key in range(4)}
    text = marked_text(marks["1.stela"], 11)
    assert marks["1.stela"].detect(text).verdict == "watermarked"
    evidence = marks["1.stela"].detect(text).evidence
    detector = many["1.stela"].detector
    [(_, _, detection)] = detections_under([detector], Batch.of_texts([text], reader=all_readings), 256)
    least = 256 * detector.judge(replace(evidence, green=np.ones_like(evidence.green))).p_value
    assert least > 1e-3
    assert detection.verdict == "insufficient text"
    assert detection.power == 0.0


def test_one_mark_under_two_names_is_tested_once(
    registry: stela.Registry, tokenizer: Tokenizer, marks: dict[str, stela.Watermark]
) -> None:
    stronger = Settings("kgw", {"delta": 5.0}).create(registry, tokenizer, 1, public=False)
    copied = {"copy.stela": stela.Watermark(stronger.archive, 1, registry)}
    several = stela.Watermarks(marks | copied)
    assert (len(several), several.same) == (4, {"copy.stela": "1.stela"})
    other = stela.Watermarks({"1.stela": marks["1.stela"], "unigram.stela": marks["unigram.stela"]})
    assert (len(other), other.same) == (2, {}), "one key, two schemes"


def test_mistakes_are_one_line(marks: dict[str, stela.Watermark]) -> None:
    with pytest.raises(stela.StelaError, match="0 marks"):
        stela.Watermarks({})
    with pytest.raises(stela.StelaError, match="text 2 is a NoneType"):
        stela.Watermarks(marks).detect_many(["one", None])  # type: ignore[list-item]
    with pytest.raises(stela.StelaError, match="1 prompts for 2 texts"):
        stela.Watermarks(marks).detect_many(["one", "two"], ["prompt"])


@pytest.mark.slow
def test_the_smallest_corrected_p_value_is_a_p_value(
    registry: stela.Registry, tokenizer: Tokenizer, draws: Draws
) -> None:
    """Unmarked texts, five random keys each: any mark is found at a with probability at most a.

    Without the correction two thirds are at most .2, and 400 texts tell.
    """
    mark = watermark(registry, tokenizer, 0)
    rng = np.random.default_rng(5)
    least = []
    for n in range(draws(2_000, 400)):
        detectors = [
            mark.detector.with_composition(
                replace(mark.parts, hasher=type(mark.parts.hasher)(mark.parts.hasher.parameters, int(key)))
            )
            for key in rng.integers(0, 2**63, 5)
        ]
        batch = Batch.of_texts([random_text(n)], reader=all_readings)
        least.append(min(one.p_value for _, _, one in detections_under(detectors, batch, 5)))
    p = np.array(least)
    for alpha in (0.2, 0.1, 0.05, 0.01):
        assert (p <= alpha).mean() <= alpha + 4 * (alpha * (1 - alpha) / len(p)) ** 0.5
    assert (p <= 0.2).mean() > 0.1, "the correction is not absurdly wide"
