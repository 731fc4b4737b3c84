"""The fast statistics against scikit-learn on the scores written out, resample by resample."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score, roc_auc_score, roc_curve
from stela_roc.points import points
from stela_roc.resampled import Resampled, counts_of
from stela_roc.scores import Floats, Negatives

RATES = (0.4, 0.1, 0.05)


def negatives_of(rows: list[list[float]]) -> Negatives:
    sizes = [len(row) for row in rows]
    return Negatives(np.concatenate(rows), np.repeat(np.arange(len(rows)), sizes), len(rows))


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


# Few distinct scores: ties within and between the classes.
score = st.integers(0, 6).map(float)


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(
    st.lists(score, min_size=1, max_size=7),
    st.lists(st.lists(score, min_size=1, max_size=4), min_size=1, max_size=5),
    st.randoms(use_true_random=False),
)
def test_agrees_with_scikit_learn_and_with_counting(
    marked: list[float], rows: list[list[float]], random: object
) -> None:
    rng = np.random.default_rng(random.getrandbits(32))  # type: ignore[attr-defined]
    scores, negatives = np.array(marked), negatives_of(rows)
    drawn_marked = rng.integers(0, len(marked), (4, len(marked)))
    drawn_texts = rng.integers(0, len(rows), (4, len(rows)))
    found = Resampled(scores, negatives, RATES)(drawn_marked, drawn_texts)
    for number in range(4):
        some = scores[drawn_marked[number]]
        others = np.concatenate([rows[text] for text in drawn_texts[number]])
        expected = oracle(some, others)
        assert points(some, others, RATES) == pytest.approx(expected)
        assert found[:, number] == pytest.approx(expected)


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


def test_counts() -> None:
    drawn = np.array([[0, 0, 2], [1, 1, 1]])
    assert counts_of(drawn, 4).tolist() == [[2, 0, 1, 0], [0, 3, 0, 0]]


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
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


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.lists(st.floats(2, 3), min_size=1))
def test_perfect_separation(negative: list[float], marked: list[float]) -> None:
    assert points(np.array(marked), np.array(negative), RATES) == pytest.approx(1)
