"""Answers to verdicts, verdicts to numbers."""

from __future__ import annotations

import pytest
import stela_run
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from stela_metrics.judge.pairs import Answers
from stela_metrics.judge.summary import summarise, wilson
from stela_metrics.judge.verdicts import verdict_of

import stela_core as stela


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("[[A]]", "first"),
        ("Both are fine, but B repeats itself. [[a]]", "first"),
        ("[[A]] at first sight; yet on reading again [[B]].", "second"),
        ("<think>[[B]]?</think>[[C]]", "tie"),
        ("[[ Tie ]]", "tie"),
        (" **B**.\n", "second"),
        ("[A]", "first"),
        ("tie", "tie"),
        ("", None),
        ("A is better than B", None),
        ("[[D]]", None),
        ("Apples", None),
    ],
)
def test_verdict(answer: str, verdict: str | None) -> None:
    assert verdict_of(answer) == verdict


def by_name(answers: list[Answers]) -> dict[str, stela_run.Value]:
    return {value.name: value for value in summarise(answers)}


def test_hand_worked() -> None:
    """Five pairs. First answer: marked stands first; second answer: unmarked does.

    1 marked wins both; 2 the first place wins both; 3 tie, then unmarked (it is first); 4 unmarked wins
    both; 5 unclear. Scores of marked: 1, 1/2, (1/2 + 0)/2 = 1/4, 0: mean 7/16. Of the first place:
    1/2, 1, (1/2 + 1)/2 = 3/4, 1/2: mean 11/16, above 1/2 in two pairs and below in none: p = 2/4.
    """
    found = by_name(
        [
            Answers("first", "second"),
            Answers("first", "first"),
            Answers("tie", "first"),
            Answers("second", "first"),
            Answers("first", None),
        ]
    )
    assert found["judge-win"].value == pytest.approx(7 / 16)
    assert found["judge-tie"].value == pytest.approx(1 / 8)
    assert found["judge-disagree"].value == pytest.approx(2 / 4)
    assert found["judge-first"].value == pytest.approx(11 / 16)
    assert found["judge-first-p"].value == pytest.approx(0.5)
    assert found["judge-unclear"].value == pytest.approx(1 / 10)
    assert [value.n for value in found.values()] == [4, 4, 4, 4, 2, 5]
    exact = binomtest(2, 4).proportion_ci(method="exact")
    assert found["judge-disagree"][2:4] == pytest.approx((exact.low, exact.high))


def test_sign_test_of_a_biased_judge() -> None:
    """Ten pairs of ten to the first place: 2 / 2**10 on both sides."""
    found = by_name([Answers("first", "first")] * 10)
    assert found["judge-first-p"].value == pytest.approx(2 / 1024)
    assert found["judge-first"].value == 1
    assert found["judge-win"].value == 0.5


def test_a_consistent_judge_shows_no_bias() -> None:
    found = by_name([Answers("first", "second")] * 10)
    assert (found["judge-first"].value, found["judge-first-p"].value) == (0.5, 1.0)
    assert found["judge-first-p"].n == 0


@pytest.mark.slow
@given(st.integers(1, 60), st.data())
def test_interval_is_wilsons_for_shares(count: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, count))
    expected = binomtest(hits, count).proportion_ci(method="wilson")
    assert wilson(hits / count, count) == pytest.approx((expected.low, expected.high), abs=1e-12)


VERDICTS = st.sampled_from(["first", "second", "tie"])


@given(st.lists(st.builds(Answers, VERDICTS, VERDICTS), min_size=1, max_size=12))
def test_exchanged_roles(answers: list[Answers]) -> None:
    """With marked and unmarked exchanged the win rate is the other's; bias and agreement stay."""
    there = by_name(answers)
    back = by_name([Answers(b, a) for a, b in answers])
    assert there["judge-win"].value + back["judge-win"].value == pytest.approx(1)
    for name in ("judge-first", "judge-first-p", "judge-tie", "judge-disagree"):
        assert there[name].value == pytest.approx(back[name].value)
    for value in there.values():
        if value.low is not None and value.high is not None:
            assert 0 <= value.low <= value.value <= value.high <= 1


def test_nothing_clear() -> None:
    with pytest.raises(stela.StelaError, match="no answer of the judge holds a verdict"):
        summarise([Answers(None, "first"), Answers("tie", None)])
