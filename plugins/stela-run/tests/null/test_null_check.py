"""The choice of a key: the test's error on numbers made for it, and what it is good for on human text."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from scipy import stats
from stela_models.tokenizer import load_tokenizer
from stela_run.null.shift import LENGTHS, LEVELS, cut, shares, shift_under_key
from stela_run.null.unmarked import Unmarked
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.builtin.hashers import KeyedHasher
from stela_core.profile.create import Settings
from tests.helpers import human_english


@pytest.mark.parametrize("alpha", [1e-3, 1e-5])
def test_excess_is_the_estimate_and_a_jackknife_over_documents(alpha: float) -> None:
    rng = np.random.default_rng(8)
    documents = np.sort(rng.integers(0, 150, 500))
    z = 0.1 + 1.1 * rng.standard_normal(500) + 0.4 * rng.standard_normal(150)[documents]
    found = shift_under_key(z, documents, alpha, 0.05)
    assert (found.mean, found.sd) == (pytest.approx(z.mean()), pytest.approx(z.std(ddof=1)))
    bounds = []
    for q in stats.norm.isf([0.1, alpha]):
        without = [z[documents != d] for d in np.unique(documents)]
        estimates = np.array([x.mean() + q * (x.std(ddof=1) - 1) for x in without])
        error = math.sqrt((len(without) - 1) / len(without) * ((estimates - estimates.mean()) ** 2).sum())
        bounds.append((z.mean() + q * (z.std(ddof=1) - 1), 1.6449 * error))
    value, margin = bounds[1]  # the tail is the worse of the two here
    assert found.excess == pytest.approx(value + margin, abs=0.05 * margin)
    assert not found.accepted


@pytest.mark.parametrize(("mean", "sd"), [(0.0, 1.0), (-0.15, 1.0485), (0.0256, 0.98)])
def test_a_bad_key_passes_rarely(mean: float, sd: float) -> None:
    """Keys just at the border at one of the two levels, or beyond: accepted at most as often as said."""
    q = [-NormalDist().inv_cdf(level) for level in (0.1, 1e-3)]
    assert max(mean + x * (sd - 1) for x in q) > -1e-3
    rng, each = np.random.default_rng(11), np.arange(500)
    accepted = sum(shift_under_key(rng.normal(mean, sd, 500), each, 1e-3, 0.05).accepted for _ in range(2000))
    assert accepted <= stats.binom.isf(1e-6, 2000, 0.05)


@pytest.mark.deep(stand_in="test_a_bad_key_passes_rarely")
@pytest.mark.slow
@pytest.mark.parametrize(("mean", "sd"), [(-0.3, 1.09708), (0.1, 0.92197)])
def test_a_bad_key_passes_rarely_on_few_documents_that_hold_many_texts(mean: float, sd: float) -> None:
    """At the border, of the tail or of 0.1: with an error that shrinks with s, three times as many pass."""
    rng, documents = np.random.default_rng(13), np.repeat(np.arange(150), 4)
    accepted = 0
    for _ in range(8000):
        z = mean + sd * (rng.standard_normal(600) + rng.standard_normal(150)[documents]) / math.sqrt(2)
        accepted += shift_under_key(z, documents, 1e-3, 0.0025).accepted
    assert accepted <= stats.binom.isf(1e-4, 8000, 0.0025)


def test_a_good_key_passes() -> None:
    rng, each = np.random.default_rng(12), np.arange(2000)
    passed = [shift_under_key(rng.normal(-0.2, 0.98, 2000), each, 1e-3, 0.0025).accepted for _ in range(200)]
    assert np.mean(passed) > 0.8


def test_documents_are_cut_in_turn(tokenizer: Tokenizer) -> None:
    words = "city people history library " * 400
    texts = [words, words, "too short", words, words, words[:700], words]
    pieces = list(cut(texts, tokenizer, 6))
    ids = tokenizer.encode(words).ids
    fits = max(n for n in LENGTHS if n <= len(tokenizer.encode(words[:700]).ids))
    assert [len(piece.ids) for piece in pieces] == [50, 100, 200, 400, min(50, fits), 100]
    assert [piece.document for piece in pieces] == [0, 1, 2, 3, 4, 5]
    assert all(piece.ids == ids[: len(piece.ids)] for piece in pieces)
    assert len(list(cut(texts, tokenizer, 2))) == 2


def test_pieces_of_a_document_do_not_overlap(tokenizer: Tokenizer) -> None:
    words = "city people history library " * 90
    ids = tokenizer.encode(words).ids
    pieces = list(cut([words, "short", words], tokenizer, 100, per_document=4))
    for document in (0, 1):
        own = [piece.ids for piece in pieces if piece.document == document]
        joined = [i for piece in own for i in piece]
        assert joined == ids[: len(joined)]
        assert 2 <= len(own) <= 4
    assert {piece.document for piece in pieces} == {0, 1}
    assert {len(piece.ids) for piece in pieces} <= set(LENGTHS)


def test_shares_count_and_cover() -> None:
    p = np.array([0.001, 0.0005, 0.05, 0.5] + [0.9] * 96)
    found = shares(p, np.arange(100))
    assert [s.level for s in found] == list(LEVELS)
    assert [s.observed for s in found] == [0.03, 0.02, 0.02]
    exact = stats.binomtest(3, 100).proportion_ci(0.95, "exact")
    assert (found[0].low, found[0].high) == (pytest.approx(exact.low), pytest.approx(exact.high))
    # Two texts from each document that always agree: half as many texts.
    twice = shares(np.repeat(p, 2), np.repeat(np.arange(100), 2))
    assert (twice[0].low, twice[0].high) == (
        pytest.approx(exact.low, rel=0.02),
        pytest.approx(exact.high, rel=0.02),
    )


@pytest.fixture(scope="module")
def halves(registry: stela.Registry) -> tuple[Unmarked, Unmarked]:
    """Human English, cut into documents of 50 to 400 tokens, dealt out to two halves."""
    tokenizer = load_tokenizer(registry, "tiny")
    text = human_english()
    pieces = [text[i : i + 1000] for i in range(0, len(text), 1000)]
    rows = [piece.ids for piece in cut(pieces, tokenizer, len(pieces))]
    made = Settings("kgw").create(registry, tokenizer, 1, public=True)
    mark = stela.Watermark(made.archive, None, registry)
    dealt = np.random.default_rng(0).permutation(len(rows))
    first, second = (
        Unmarked(mark.detector.evidence([rows[i] for i in half]), mark.parts.hasher, mark.parts.scorer)
        for half in np.array_split(dealt, 2)
    )
    return first, second


@pytest.mark.deep(stand_in="test_a_bad_key_passes_rarely")
@pytest.mark.slow
def test_keys_that_pass_on_one_half_hold_on_the_other(halves: tuple[Unmarked, Unmarked]) -> None:
    first, second = halves
    assert min(first.count, second.count) > 500
    accepted, refused = [], []
    for key in np.random.default_rng(1).integers(0, 2**63, 100).tolist():
        hasher = KeyedHasher(KeyedHasher.Parameters(), key)
        kept = shift_under_key(first.z_scores(hasher), np.arange(first.count), 1e-3, 0.0025).accepted
        (accepted if kept else refused).append(second.z_scores(hasher))
    assert len(accepted) >= 10
    q = float(stats.norm.isf(0.1))
    rates = np.array([(z > q).mean() for z in accepted])
    # Bonferroni over the accepted keys: none is above nominal by more than chance.
    assert (rates * second.count <= stats.binom.isf(0.01 / len(rates), second.count, 0.1)).all()
    assert rates.mean() < 0.1
    for level in (0.01, 0.001):
        hits = sum(int((z > stats.norm.isf(level)).sum()) for z in accepted)
        assert hits <= level * second.count * len(accepted)
    assert max((z > q).mean() for z in refused) > 0.15, "without a choice, the worst key is far off"
