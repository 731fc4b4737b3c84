"""The statistics against scikit-learn on the scores written out, resample by resample."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score, roc_auc_score, roc_curve
from stela_run.statistics import roc
from stela_run.statistics.bootstrap import Counts, Floats, Indices, counts_of
from stela_run.statistics.roc import Roc, Scores, curve, scores_of, tells

from tests.tiers import examples

RATES = (0.4, 0.1, 0.05)


def points(marked: Floats, negatives: Floats, rates: Sequence[float]) -> Floats:
    return Roc(Scores.single(marked), Scores.single(negatives), rates).values()


def oracle(marked: Floats, negative: Floats) -> list[float]:
    """By counting at every threshold; no curve."""
    thresholds = [*np.unique([*marked, *negative]), np.inf]
    tpr = np.array([np.mean(marked >= t) for t in thresholds])
    fpr = np.array([np.mean(negative >= t) for t in thresholds])
    balanced_marked = np.tile(marked, len(negative))
    balanced_negative = np.tile(negative, len(marked))
    truth = np.repeat([1, 0], [len(balanced_marked), len(balanced_negative)])
    scores = np.concatenate([balanced_marked, balanced_negative])
    f1 = max(f1_score(truth, scores >= t, zero_division=0) for t in thresholds)
    wins = np.mean([(m > n) + 0.5 * (m == n) for m in marked for n in negative])
    return [*(tpr[fpr <= rate].max() for rate in RATES), wins, f1]


def wins(marked: Scores, negatives: Scores) -> Floats:
    """Pairs of tests that each marked text wins over each negative text, (marked, negatives); ties: half."""
    won = np.zeros((marked.count, negatives.count))
    for score, text in zip(marked.scores, marked.texts, strict=True):
        won[text] += np.bincount(
            negatives.texts, (score > negatives.scores) + (score == negatives.scores) / 2, negatives.count
        )
    return won


def auc_of_pairs(marked: Scores, negatives: Scores, drawn: tuple[Indices, Indices]) -> Floats:
    """Each resample's share of pairs won, from the matrix of all pairs of texts: (resamples,)."""

    def weights(side: Scores, texts: Indices) -> tuple[Counts, Counts]:
        each = counts_of(texts, side.count)
        return each, each @ np.bincount(side.texts, minlength=side.count)

    (of_marked, all_marked), (of_negatives, all_negatives) = map(weights, (marked, negatives), drawn)
    won = np.einsum("rm,mn,rn->r", of_marked, wins(marked, negatives), of_negatives)
    return np.asarray(won / (all_marked * all_negatives))


# Few distinct scores: ties within and between the classes.
score = st.integers(0, 6).map(float)


ROWS = st.lists(st.lists(score, min_size=1, max_size=4).map(np.array), min_size=1, max_size=5)


@pytest.mark.slow
@examples(50)
@given(ROWS, ROWS, st.integers(0, 2**32))
def test_agrees_with_scikit_learn_and_with_counting(
    marked: list[Floats], negatives: list[Floats], seed: int
) -> None:
    """Texts drawn with all their tests, on both sides."""
    rng = np.random.default_rng(seed)
    drawn = [rng.integers(0, len(rows), (4, len(rows))) for rows in (marked, negatives)]
    statistics = Roc(Scores.of_texts(marked), Scores.of_texts(negatives), RATES)
    assert statistics.values() == pytest.approx(oracle(np.concatenate(marked), np.concatenate(negatives)))
    found = statistics(*drawn)
    for number in range(4):
        some, others = (
            np.concatenate([rows[text] for text in of[number]])
            for rows, of in zip((marked, negatives), drawn, strict=True)
        )
        assert found[:, number] == pytest.approx(oracle(some, others))


@examples(50)
@given(ROWS, ROWS, st.integers(0, 2**32), st.integers(1, 9))
def test_sums_give_what_all_pairs_give_to_the_last_bit(
    marked: list[Floats], negatives: list[Floats], seed: int, at_once: int
) -> None:
    """Also where few resamples are worked on at once."""
    rng = np.random.default_rng(seed)
    sides = Scores.of_texts(marked), Scores.of_texts(negatives)
    drawn = tuple(rng.integers(0, side.count, (7, side.count)) for side in sides)
    whole = Roc(*sides, RATES)(*drawn)
    assert whole[-2].tolist() == auc_of_pairs(*sides, drawn).tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(roc, "AT_ONCE", at_once)
        assert Roc(*sides, RATES)(*drawn).tolist() == whole.tolist()


def test_points_are_those_of_a_hand_worked_example() -> None:
    """Ten negatives, one at 3: at 10 % the threshold may flag it, at 5 % all below or at 3 is lost."""
    marked = np.array([5.0, 4.0, 3.0, 1.0])
    negative = np.array([3.0, *[0.0] * 9])
    tpr40, tpr10, tpr5, auc, f1 = points(marked, negative, RATES)
    assert (tpr40, tpr10, tpr5) == (1.0, 1.0, 0.5)
    assert auc == pytest.approx((10 + 10 + 9.5 + 9) / 40)
    assert f1 == pytest.approx(2 * 1 / (1 + 1 + 0.1))  # all four and the one negative flagged


def test_a_tie_with_a_negative_that_must_not_be_flagged_is_not_flagged() -> None:
    marked = np.array([2.0, 2.0, 2.0])
    negative = np.array([2.0, *[0.0] * 9])
    assert points(marked, negative, [0.05])[0] == 0
    assert points(marked, negative, [0.1])[0] == 1


def test_a_point_within_a_straight_part_of_the_curve_is_not_lost() -> None:
    """On the line between other points, where roc_curve leaves points out by default."""
    scores = np.arange(100.0)
    fpr, tpr, _ = roc_curve(np.tile([1, 0], 100), np.repeat(scores, 2))
    assert len(fpr) < 10
    assert tpr[fpr <= 0.055].max() == pytest.approx(0.01)
    assert points(scores, scores, [0.055])[0] == pytest.approx(0.05)


@examples(50)
@given(st.lists(st.floats(-50, 50), min_size=2, max_size=20), st.lists(st.floats(-50, 50), min_size=2))
def test_monotone_maps_change_nothing(marked: list[float], negative: list[float]) -> None:
    """By rank: any increasing map of the scores gives the same statistics."""
    ranks = np.unique([*marked, *negative], return_inverse=True)[1].astype(float)
    m, n = np.array(marked), np.array(negative)
    mapped = np.exp(ranks / len(ranks)) - 7
    assert points(mapped[: len(m)], mapped[len(m) :], RATES) == pytest.approx(points(m, n, RATES))
    assert points(m, n, RATES)[3] == pytest.approx(
        roc_auc_score(np.repeat([1, 0], [len(m), len(n)]), np.concatenate([m, n]))
    )


@examples(50)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.lists(st.floats(2, 3), min_size=1))
def test_perfect_separation(negative: list[float], marked: list[float]) -> None:
    assert points(np.array(marked), np.array(negative), RATES) == pytest.approx(1)


def test_curve_is_scikit_learns() -> None:
    rng = np.random.default_rng(0)
    marked, negatives = rng.integers(2, 9, 40).astype(float), rng.integers(0, 7, 60).astype(float)
    fpr, tpr, _ = roc_curve(
        np.repeat([1, 0], [40, 60]), np.concatenate([marked, negatives]), drop_intermediate=False
    )
    found = curve(marked, negatives)
    assert found[0] == pytest.approx(fpr)
    assert found[1] == pytest.approx(tpr)


def test_scores_and_what_can_be_told() -> None:
    assert scores_of([1.0, 1e-3, 0.0]) == pytest.approx([0, 3, 307.6526555685887])
    assert scores_of(np.array([0.1])) == pytest.approx([1])
    assert tells(1000, 0.001)
    assert not tells(999, 0.001)


def test_texts_without_a_test_are_left_out() -> None:
    found = Scores.of_texts([np.array([1.0, 2.0]), np.empty(0), np.array([3.0])])
    assert (found.scores.tolist(), found.texts.tolist(), found.count) == ([1, 2, 3], [0, 0, 1], 2)
    assert Scores.of_texts([]).count == 0
