"""Permutation tests of alignment: valid on unmarked text, and found where the text was cut or edited."""

from __future__ import annotations

import sys
from hashlib import shake_256
from itertools import islice

import numpy as np
import pytest
from exp_texts import make, written
from scipy import stats
from stela_exp.alignment import AlignmentScorer, AlignScorer, EditScorer
from stela_exp.exponential import ExpHasher
from stela_exp.inverse import ItsHasher
from stela_exp.key_sequence import KeySequenceHasher
from stela_exp.resampling import ENOUGH, permutation_test, resampled_sequences
from stela_testing import ScorerContract

import stela_core as stela
from stela_core.api import KeyedHasher

SCORERS = [AlignScorer, EditScorer]


def scorer(kind: type[AlignmentScorer], **values: object) -> AlignmentScorer:
    return kind(kind.Parameters.model_validate(values))


def p_value(of: AlignmentScorer, hasher: KeySequenceHasher, ids: list[int]) -> float:
    score = of.score_text(np.array(ids), np.arange(1, len(ids)), hasher)
    return score.p_value


class TestAlignment(ScorerContract):
    """With a sequence shorter than the texts, and blocks shorter than they."""

    @pytest.fixture(scope="class", params=SCORERS)
    @classmethod
    def scorer(cls, request: pytest.FixtureRequest) -> AlignmentScorer:
        return scorer(request.param, resamples=39, block=12)

    @pytest.fixture(scope="class", params=[ExpHasher, ItsHasher])
    @classmethod
    def mark(cls, request: pytest.FixtureRequest) -> KeySequenceHasher:
        return make(request.param, 1, length=10)


@pytest.mark.parametrize("hashes", [ExpHasher, ItsHasher])
def test_texts_without_their_beginning_are_aligned(hashes: type[KeySequenceHasher]) -> None:
    rng = np.random.default_rng(1)
    model = np.full((200, 200), 1 / 200)
    hasher = make(hashes, 77, length=64)
    ids = written(hasher, model, 60, rng)
    cut = ids[25:]
    of = scorer(AlignScorer, resamples=199)
    assert p_value(of, hasher, cut) == 1 / 200
    assert np.median([p_value(of, make(hashes, key, length=64), cut) for key in range(5)]) > 0.05


@pytest.mark.parametrize("hashes", [ExpHasher, ItsHasher])
def test_texts_with_words_left_out_and_put_in_are_found_by_edits(hashes: type[KeySequenceHasher]) -> None:
    rng = np.random.default_rng(2)
    model = np.full((200, 200), 1 / 200)
    hasher = make(hashes, 77, length=64)
    ids = written(hasher, model, 60, rng)
    edited: list[int] = []
    for t, token in enumerate(ids):
        if t % 8 == 3:
            continue
        edited += [token, int(rng.integers(200))] if t % 10 == 5 else [token]
    of = scorer(EditScorer, resamples=199)
    assert p_value(of, hasher, edited) == 1 / 200
    text = np.array(edited), np.arange(1, len(edited)), hasher
    assert of.score_text(*text).z > 1.5 * scorer(AlignScorer, resamples=199).score_text(*text).z
    assert np.median([p_value(of, make(hashes, key, length=64), edited) for key in range(5)]) > 0.05


def test_the_same_text_gets_the_same_p_value_and_others_get_other_sequences() -> None:
    ids = np.array([1, 2, 3])
    first, again = (list(islice(resampled_sequences(7, ids, 4), 3)) for _ in range(2))
    assert [s.tolist() for s in first] == [s.tolist() for s in again]
    seen = {tuple(s.tolist()) for s in first}
    for key, text in ((8, ids), (7, ids + 1)):
        seen |= {tuple(s.tolist()) for s in islice(resampled_sequences(key, text, 4), 3)}
    assert len(seen) == 9
    assert all(s.dtype == np.uint64 and s.shape == (4,) for s in first)
    # The definition, so that a text's p-value stays what it is.
    text = shake_256(b"".join(int(token).to_bytes(4, "little") for token in ids)).digest(32)
    data = b"stela-exp/resampled sequences/1" + (7).to_bytes(8, "little") + (2).to_bytes(4, "little") + text
    stream = shake_256(data).digest(32)
    assert first[2].tolist() == [int.from_bytes(stream[at : at + 8], "little") for at in range(0, 32, 8)]


@pytest.mark.parametrize("values", [3, 10**9])
def test_stopping_early_keeps_p_values_valid(values: int) -> None:
    """Against draws of one distribution, with and without ties; no more are looked at than needed."""
    rng = np.random.default_rng(3)
    resamples = 99

    def one() -> tuple[float, int]:
        numbers = rng.integers(0, values, resamples + 1).astype(np.uint64)
        others = iter(numbers[1:, None])
        outcome = permutation_test(lambda seeds: float(seeds[0]), numbers[:1], others, resamples)
        return outcome.p_value, outcome.tried

    outcomes = [one() for _ in range(1_500)]
    p = np.array([outcome[0] for outcome in outcomes])
    for a in (0.01, 0.05, 0.1, 0.25, 0.5, 0.9):
        assert stats.binomtest(int((p <= a).sum()), len(p), a, alternative="greater").pvalue > 1e-3
    assert max(count for _, count in outcomes) == resamples or values == 3
    assert min(count for _, count in outcomes) == ENOUGH


def test_a_text_that_fits_best_gets_the_least_p_value() -> None:
    outcome = permutation_test(
        lambda seeds: float(seeds[0]),
        np.array([0], dtype=np.uint64),
        (np.array([n], dtype=np.uint64) for n in range(1, 50)),
        49,
    )
    assert outcome.p_value == 1 / 50
    assert outcome.z == pytest.approx(25 / np.std(np.arange(1, 50), ddof=1))


def test_hashers_without_a_key_sequence_are_refused_in_one_line() -> None:
    with pytest.raises(stela.StelaError, match='hasher "keyed" has none') as caught:
        scorer(AlignScorer).score_text(
            np.arange(5), np.arange(1, 5), KeyedHasher(KeyedHasher.Parameters(), 1)
        )
    assert "\n" not in str(caught.value)


def test_without_numba_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(stela.MissingLibraryError, match="numba") as caught:
        scorer(AlignScorer).score_text(np.arange(5), np.arange(1, 5), make(ExpHasher, 1))
    assert "stela-core[generate]" in str(caught.value)
