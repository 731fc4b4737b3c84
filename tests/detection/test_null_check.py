"""The choice of a key: the test's error on numbers made for it, and what it is good for on human text."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from scipy import stats
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.detection.null_check import LENGTHS, LEVELS, cut, shares, shift_under_key
from stela_core.detection.unmarked import Unmarked
from stela_core.generation.load import load_tokenizer
from stela_core.hashers import KeyedHasher
from stela_core.profile.create import Settings, create_profile
from tests.helpers import human_english


def test_excess_is_the_formula() -> None:
    """z with mean 0.1 and sd 1.02 over 400 texts, at 0.1 (q 1.2816) and 1e-3 (q 3.0902), error 0.05."""
    z = stats.norm.ppf((np.arange(400) + 0.5) / 400)
    z = 0.1 + 1.02 * (z - z.mean()) / z.std(ddof=1)
    found = shift_under_key(z, 1e-3, 0.05)
    assert (found.mean, found.sd) == (pytest.approx(0.1), pytest.approx(1.02))
    at_tail = 0.1 + 3.0902 * 0.02 + 1.6449 * 1.02 * math.sqrt((1 + 3.0902**2 / 2) / 400)
    assert found.excess == pytest.approx(at_tail, abs=1e-4)
    assert not found.accepted


@pytest.mark.parametrize(("mean", "sd"), [(0.0, 1.0), (-0.15, 1.0485), (0.0256, 0.98)])
def test_a_bad_key_passes_rarely(mean: float, sd: float) -> None:
    """Keys just at the border at one of the two levels, or beyond: accepted at most as often as said."""
    q = [-NormalDist().inv_cdf(level) for level in (0.1, 1e-3)]
    assert max(mean + x * (sd - 1) for x in q) > -1e-3
    rng = np.random.default_rng(11)
    accepted = sum(shift_under_key(rng.normal(mean, sd, 500), 1e-3, 0.05).accepted for _ in range(2000))
    assert accepted <= stats.binom.isf(1e-6, 2000, 0.05)


def test_a_good_key_passes() -> None:
    rng = np.random.default_rng(12)
    passed = [shift_under_key(rng.normal(-0.2, 0.98, 2000), 1e-3, 0.0025).accepted for _ in range(200)]
    assert np.mean(passed) > 0.8


def test_documents_are_cut_in_turn(tokenizer: Tokenizer) -> None:
    words = "city people history library " * 400
    texts = [words, words, "too short", words, words, words[:700], words]
    rows = list(cut(texts, tokenizer, 6))
    ids = tokenizer.encode(words).ids
    lengths = [len(row) for row in rows]
    fits = max(n for n in LENGTHS if n <= len(tokenizer.encode(words[:700]).ids))
    assert lengths == [50, 100, 200, 400, min(50, fits), 100]
    assert all(row == ids[: len(row)] for row in rows)
    assert len(list(cut(texts, tokenizer, 2))) == 2


def test_shares_count_and_cover() -> None:
    p = np.array([0.001, 0.0005, 0.05, 0.5] + [0.9] * 96)
    found = shares(p)
    assert [s.level for s in found] == list(LEVELS)
    assert [s.observed for s in found] == [0.03, 0.02, 0.02]
    assert all(s.low < s.observed < s.high for s in found)


@pytest.fixture(scope="module")
def halves(registry: stela.Registry) -> tuple[Unmarked, Unmarked]:
    """Human English, cut into documents of 50 to 400 tokens, dealt out to two halves."""
    tokenizer = load_tokenizer(registry, "tiny")
    text = human_english()
    pieces = [text[i : i + 1000] for i in range(0, len(text), 1000)]
    rows = list(cut(pieces, tokenizer, len(pieces)))
    made = create_profile(registry, Settings("kgw"), tokenizer, 1, public=True)
    mark = stela.Watermark(made.archive, None, registry)
    dealt = np.random.default_rng(0).permutation(len(rows))
    first, second = (
        Unmarked(mark.detector.evidence([rows[i] for i in half]), 1) for half in np.array_split(dealt, 2)
    )
    return first, second


def test_keys_that_pass_on_one_half_hold_on_the_other(halves: tuple[Unmarked, Unmarked]) -> None:
    first, second = halves
    assert min(first.count, second.count) > 500
    accepted, refused = [], []
    for key in np.random.default_rng(1).integers(0, 2**63, 100).tolist():
        hasher = KeyedHasher(KeyedHasher.Parameters(), key)
        kept = shift_under_key(first.z_scores(hasher), 1e-3, 0.0025).accepted
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
