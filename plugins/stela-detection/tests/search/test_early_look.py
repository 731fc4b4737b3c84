"""Ten keys or ten thousand: the early look names the key and the p-value that testing all of them does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_detection.search import early_look
from stela_detection.search.candidates import Candidate
from stela_detection.search.early_look import SHOWN
from stela_run.statistics.shares import clopper_pearson
from stela_testing.texts import marked_text, random_text
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.detection.batch import Batch
from stela_core.profile.create import Settings
from stela_core.profile.parts import LoadOptions, open_archive
from tests.helpers import all_readings
from tests.tiers import Draws, examples

PLAIN_GUMBEL = Path(__file__).parents[4] / "tests" / "sampling" / "plain_gumbel.py"

READ_TWICE = "The\u00a0city of the\u200b old library is long. " * 8
"""Has a canonical form."""


def candidates(count: int, seed: int = 0) -> list[Candidate]:
    draw = Random(seed)
    return [Candidate(key_id=f"c{n}", key=draw.getrandbits(64)) for n in range(count)]


def watermark(
    registry: stela.Registry, tokenizer: Tokenizer, settings: Settings, keys: Sequence[Candidate]
) -> stela.Watermark:
    archive = settings.create(registry, tokenizer, 1, public=True).archive
    parts = open_archive(archive, LoadOptions(registry, candidates=keys))
    return stela.Watermark(archive, None, registry, parts=parts)


@contextmanager
def one_by_one() -> Iterator[None]:
    """Every key is tested."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(early_look, "promising", lambda *_: None)
        yield


def require_same(mark: stela.Watermark, texts: Sequence[str]) -> list[stela.Detection]:
    """Equal in all that a detection says."""
    soon = mark.detect_many(texts)
    with one_by_one():
        assert soon == mark.detect_many(texts)
    return soon


@pytest.fixture(scope="module")
def kgw(registry: stela.Registry, tokenizer: Tokenizer) -> stela.Watermark:
    return watermark(registry, tokenizer, Settings("kgw"), candidates(300))


@examples(25)
@given(st.integers(0, 10**6), st.integers(1, 120))
def test_the_same_key_and_the_same_p_on_any_text(kgw: stela.Watermark, seed: int, words: int) -> None:
    require_same(kgw, [random_text(seed, words)])


def test_marked_texts_and_readings(kgw: stela.Watermark) -> None:
    known = kgw.keys.known
    marked = replace_key(kgw, known[217].number)
    texts = [marked_text(marked), READ_TWICE + marked_text(marked), READ_TWICE, "short", ""]
    best, *others = require_same(kgw, texts)
    assert (best.key_id, best.tests, best.watermarked) == ("c217", 300, True)
    assert others[0].readings > 1
    assert others[0].key_id == "c217"
    alone = marked.detector.detect_batch(Batch.of_texts(texts[:1], reader=all_readings))[0]
    assert best.p_value == min(1.0, 300 * alone.p_value)
    assert len(best.by_key) == SHOWN
    assert best.by_key[0].p_value == best.p_value


def replace_key(mark: stela.Watermark, key: int) -> stela.Watermark:
    """The same, whose current key is this one."""
    other = object.__new__(stela.Watermark)
    parts = mark.parts.under(key)
    changed = {"parts": parts, "detector": mark.detector.with_composition(parts)}
    other.__dict__.update(mark.__dict__, **changed)
    return other


@pytest.mark.deep(keep=["0.1-split", "0.5-whole"])
@pytest.mark.parametrize("ties", ["split", "whole"])
@pytest.mark.parametrize("gamma", [0.1, 0.5, 0.9])
def test_ties_at_the_top(registry: stela.Registry, tokenizer: Tokenizer, ties: str, gamma: float) -> None:
    """Few coins: many keys have the same sum, and the order of green and red decides, or the first key."""
    settings = Settings("kgw", {"ties": ties}, gamma=gamma)
    mark = watermark(registry, tokenizer, settings, candidates(200, 7))
    require_same(mark, [random_text(n, words) for n, words in enumerate((3, 5, 8, 12, 20, 40))])


def test_a_mark_without_a_short_cut_is_tested_key_after_key(tokenizer: Tokenizer) -> None:
    registry = stela.create_registry([PLAIN_GUMBEL])
    mark = watermark(registry, tokenizer, Settings("plain_gumbel"), candidates(40))
    assert not mark.parts.hasher.sums_quickly
    text = random_text(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(early_look, "_least", None)
        assert mark.detect(text).tests == 40


def test_windows_are_scanned_under_the_likeliest_keys(kgw: stela.Watermark) -> None:
    marked = replace_key(kgw, kgw.keys.known[99].number)
    text = random_text(5, 150) + marked_text(marked, 120) + random_text(6, 150)
    scanned = kgw.with_passage(kgw.detect(text))
    assert (scanned.key_id, scanned.watermarked) == ("c99", True)
    own = marked.with_passage(
        marked.detector.detect_batch(Batch.of_texts([text], reader=all_readings))[0]
    ).window
    assert scanned.window is not None
    assert own is not None
    assert scanned.window.p_value == pytest.approx(300 * own.p_value)


@pytest.mark.slow
def test_the_corrected_p_holds_on_unmarked_text(
    registry: stela.Registry, tokenizer: Tokenizer, draws: Draws
) -> None:
    """New keys for each text: the least of 300 p-values, times 300, is at most a in a share a of them."""
    values = []
    texts = [random_text(n, 60) for n in range(25)]
    for draw in range(draws(40, 5)):
        mark = watermark(registry, tokenizer, Settings("kgw"), candidates(300, 1_000 + draw))
        values += [detection.p_value for detection in mark.detect_many(texts)]
    p = np.array(values)
    for level in (0.3, 0.1, 0.01):
        low, high = clopper_pearson(int((p <= level).sum()), len(p), 0.999)
        assert low <= level, f"{(p <= level).mean()} of p-values are at most {level}"
        assert high >= 0.5 * level, "the test has lost its power"
