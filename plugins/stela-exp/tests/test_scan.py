"""The search over all shifts: the best as by a slow search, valid over keys, also for cut texts."""

from __future__ import annotations

import numpy as np
import pytest
from exp_texts import make, written
from hypothesis import given
from hypothesis import strategies as st
from stela_exp.exponential import ExpHasher
from stela_exp.inverse import ItsHasher
from stela_exp.key_sequence import KeySequenceHasher
from stela_exp.scan import ScanScorer, block_at_best_shift, signals_at_all_places
from stela_testing import ScorerContract

import stela_core as stela
from stela_core.api import KeyedHasher

kinds = pytest.mark.parametrize("kind", [ExpHasher, ItsHasher])


def scored(hasher: KeySequenceHasher, ids: list[int], **values: object) -> stela.Score:
    scorer = ScanScorer(ScanScorer.Parameters.model_validate(values))
    return scorer.score_text(np.array(ids), np.arange(1, len(ids)), hasher)


@given(st.integers(1, 9), st.integers(0, 9), st.integers(0, 2**32))
def test_the_best_shift_is_that_of_a_slow_search(tokens: int, more: int, seed: int) -> None:
    places = tokens + more
    signals = np.random.default_rng(seed).exponential(size=(tokens, places))
    slow = [[signals[t, (shift + t) % places] for t in range(tokens)] for shift in range(places)]
    assert block_at_best_shift(signals).tolist() == max(slow, key=sum)


@kinds
def test_signals_are_the_hasher_s(kind: type[KeySequenceHasher]) -> None:
    hasher = make(kind, 3, length=5)
    ids = np.array([7, 2, 7, 40])
    signals = signals_at_all_places(ids, hasher)
    for place in range(5):
        seeds = np.repeat(hasher.seeds(np.array([[place]])), 4)
        assert signals[:, place].tolist() == hasher.draws(seeds, ids)[:, 0].tolist()


class TestScan(ScorerContract):
    """With a sequence shorter than the texts, of several blocks."""

    @pytest.fixture(scope="class")
    @classmethod
    def scorer(cls) -> ScanScorer:
        return ScanScorer(ScanScorer.Parameters(block=8))

    @pytest.fixture(scope="class", params=[ExpHasher, ItsHasher])
    @classmethod
    def mark(cls, request: pytest.FixtureRequest) -> KeySequenceHasher:
        return make(request.param, 1, length=10)


@kinds
def test_texts_that_were_cut_anywhere_are_found(kind: type[KeySequenceHasher]) -> None:
    rng = np.random.default_rng(1)
    hasher = make(kind, 77, length=128)
    ids = written(hasher, np.full((200, 200), 1 / 200), 120, rng)
    human = rng.integers(200, size=60).tolist()
    assert scored(hasher, ids[25:]).p_value < 1e-15
    assert scored(hasher, human + ids[60:], block=64).p_value < 1e-9
    assert scored(make(kind, 78, length=128), ids[25:]).p_value > 0.01
    assert scored(hasher, human).p_value > 0.01


def test_what_was_tested_is_told_and_corrected_for() -> None:
    hasher = make(ExpHasher, 1, length=16)
    score = scored(hasher, list(range(30)), block=10)
    assert score.beside == {"shifts and blocks tested": 5 * 16}  # from 0, 5, 10, 15 and 20 on


def test_hashers_without_a_key_sequence_are_refused() -> None:
    scorer = ScanScorer(ScanScorer.Parameters())
    with pytest.raises(stela.StelaError, match='hasher "keyed" has none'):
        scorer.score_text(np.arange(5), np.arange(1, 5), KeyedHasher(KeyedHasher.Parameters(), 1))
