"""The examples of TextSeal's test of localised detection, by ``stela detect --windows``.

In ``tests/test_localized_detection.py`` (main, cafd93351723) they are drawn scores; here human text holds
passages that a model wrote under two keys. Lengths, places and alpha are theirs.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from stela_models.generation.generate import Sampling, generate
from stela_models.load import load_model
from stela_testing.texts import little_english

import stela_core as stela
from tests.tiers import Draws

pytestmark = pytest.mark.slow

SCHEME = "gumbel-textseal-dual"


@pytest.fixture(scope="module")
def mark(registry: stela.Registry) -> stela.Watermark:
    return stela.create(SCHEME, model="tiny", key=1234567, alpha=0.01, registry=registry)


@pytest.fixture(scope="module")
def human(mark: stela.Watermark) -> list[int]:
    [ids] = mark.detector.ids_of([little_english()[:40_000]])
    return list(ids)


@pytest.fixture(scope="module")
def written(mark: stela.Watermark, registry: stela.Registry) -> list[int]:
    tiny = load_model(registry, "tiny", device="cpu")
    sampling = Sampling(max_new_tokens=210, temperature=1.0, seed=3)
    [[text]] = generate(mark, tiny, ["The history of the city"], sampling, 1)
    return list(text.token_ids)


@pytest.mark.parametrize(("length", "marked"), [(600, [(250, 450)]), (700, [(100, 200), (400, 500)])])
def test_passages_are_found_where_they_are(
    length: int, marked: list[tuple[int, int]], mark: stela.Watermark, human: list[int], written: list[int]
) -> None:
    """At least 80 % of each, in characters, and no more than 5 % of the rest."""
    ids, used = human[:length], 0
    for start, end in marked:
        ids[start:end] = written[used : used + end - start]
        used += end - start
    cuts = [len(mark.tokenizer.decode(ids[:place])) for span in marked for place in span]
    text = mark.tokenizer.decode(ids)
    detection = mark.with_passage(mark.detect(text))
    named = np.zeros(len(text), dtype=bool)
    for passage in detection.passages:
        named[passage.start : passage.end] = True
    true = np.zeros(len(text), dtype=bool)
    for start, end in list(pairwise(cuts))[::2]:
        true[start:end] = True
        assert named[start:end].mean() > 0.8
    assert named[~true].mean() < 0.05
    assert detection.watermarked


def test_unmarked_text_is_seldom_called_marked(
    human: list[int], registry: stela.Registry, draws: Draws
) -> None:
    """Of 20 texts of 400 tokens under other keys at alpha 0.01: at most 2 (more has probability 1e-3)."""
    texts = draws(20, 8)
    alarms = 0
    for number, key in enumerate(np.random.default_rng(6).integers(0, 2**62, texts).tolist()):
        other = stela.create(SCHEME, model="tiny", key=key, alpha=0.01, registry=registry)
        start = 97 * number % (len(human) - 400)
        [detection] = other.detect_ids([human[start : start + 400]])
        alarms += other.with_passage(detection).watermarked
    assert alarms <= (2 if texts == 20 else 1)


def test_short_and_empty_texts_bear_no_mark(mark: stela.Watermark, human: list[int]) -> None:
    for ids in ([], human[:30]):
        [detection] = mark.detect_ids([ids])
        assert not mark.with_passage(detection).watermarked
