"""Decomposition of z by word class."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
import stela_run
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from stela_analysis import Classes
from stela_analysis.classes import PART, PART_PLAIN, TOKENS, Z, decompose
from stela_analysis.word_classes import CLASSES

import stela_core as stela
from stela_core.api import Evidence, GroupedParameters, GroupedScorer

SUMMED = GroupedScorer(GroupedParameters(repeats="sum"))


def evidence(green: list[bool], weights: list[float], groups: list[int]) -> Evidence:
    n = len(green)
    return Evidence(
        ids=list(range(n)),
        positions=np.arange(n),
        green=np.array(green, dtype=np.bool_),
        weights=np.array(weights, dtype=np.float64),
        groups=np.array(groups, dtype=np.int64),
        contexts=(),
        token_bytes=None,  # type: ignore[arg-type]
    )


def names(*listed: str) -> np.ndarray:  # type: ignore[type-arg]
    return np.array(listed, dtype=object)


def test_hand_worked() -> None:
    """Five tokens, gamma 1/2; the last two are one pair.

    Weights 1, 2, 1, 1, 1; groups 1, 2, 1, 2: sum of squares 1 + 4 + 1 + 4 = 10 (plain: 8).
    Numerators: content 1/2 + 1 = 3/2, function -1/2, other 1/2 + 1/2 = 1.
    """
    one = evidence([True, True, False, True, True], [1, 2, 1, 1, 1], [0, 1, 2, 3, 3])
    table = decompose(one, names("content", "content", "function", "other", "other"), 0.5, SUMMED)
    assert table[:, TOKENS].tolist() == [2, 1, 2]
    assert table[:, 1].tolist() == [2, 0, 2]
    assert table[:, 2].tolist() == [3, 1, 2]
    assert table[:, PART] == pytest.approx(np.array([1.5, -0.5, 1]) / (0.5 * sqrt(10)))
    assert table[:, PART_PLAIN] == pytest.approx(np.array([1.5, -0.5, 1]) / (0.5 * sqrt(8)))
    # Alone: (3/2) / (sqrt(5) / 2), (-1/2) / (1/2), and one coin of weight 2: 1 / (1/2 * 2).
    assert table[:, Z] == pytest.approx([3 / sqrt(5), -1, 1])


TOKEN = st.tuples(st.integers(0, 5), st.floats(0, 3), st.sampled_from(CLASSES))


@given(
    st.lists(TOKEN, max_size=30),
    st.integers(0, 2**6 - 1),
    st.sampled_from([0.25, 0.5]),
    st.sampled_from([SUMMED, GroupedScorer(GroupedParameters())]),
)
def test_parts_sum_to_the_scorers_z(
    tokens: list[tuple[int, float, str]], colours: int, gamma: float, scorer: GroupedScorer
) -> None:
    """Whatever the groups, though a pair may lie in two classes."""
    groups = [group for group, _, _ in tokens]
    one = evidence([bool(colours >> g & 1) for g in groups], [w for _, w, _ in tokens], groups)
    table = decompose(one, names(*(name for _, _, name in tokens)), gamma, scorer)
    score = scorer.score(one.green, one.weights, one.groups, gamma)
    assert table[:, PART].sum() == pytest.approx(score.z, abs=1e-9)
    assert table[:, PART_PLAIN].sum() == pytest.approx(score.z_plain, abs=1e-9)


def test_a_class_without_weight_has_no_z() -> None:
    table = decompose(evidence([True, True], [0, 1], [0, 1]), names("function", "content"), 0.5, SUMMED)
    assert np.isnan(table[:, Z]).tolist() == [False, True, True]


@pytest.mark.slow
def test_real_sample(sample: stela_run.Sample) -> None:
    values_by_name = {value.name: value for value in Classes(Classes.Parameters()).measure(sample)}
    z = [marked.detection.z for marked in sample.marked]
    assert values_by_name["classes-z"].value == pytest.approx(np.mean(z))
    for whole in ("z", "z-plain"):
        part = whole.replace("z", "part")
        parts = [values_by_name[f"classes-{name}-{part}"].value for name in CLASSES]
        assert sum(parts) == pytest.approx(values_by_name[f"classes-{whole}"].value)
    shares = {name: values_by_name[f"classes-{name}-share"].value for name in CLASSES}
    assert sum(shares.values()) == pytest.approx(1)
    greens = sum(shares[name] * values_by_name[f"classes-{name}-green"].value for name in CLASSES)
    everything = np.concatenate([marked.detection.evidence.green for marked in sample.marked])
    assert greens == pytest.approx(everything.mean())
    weights = sum(shares[name] * values_by_name[f"classes-{name}-weight"].value for name in CLASSES)
    assert weights == pytest.approx(
        np.mean(np.concatenate([marked.detection.evidence.weights for marked in sample.marked]))
    )
    for value in values_by_name.values():
        assert value.low is not None
        assert value.high is not None
        assert value.low <= value.value <= value.high
    again = Classes(Classes.Parameters()).measure(sample)
    assert again == list(values_by_name.values()), "the same sample gives the same numbers"


@pytest.mark.slow
def test_another_tagger_tells_nearly_the_same(sample: stela_run.Sample) -> None:
    """UPOS in place of Penn's tags; what does not depend on the classes stays."""
    own = {value.name: value for value in Classes(Classes.Parameters()).measure(sample)}
    metric = Classes(Classes.Parameters(tagger={"en": "ud-spacy", "ko": "sejong"}))
    other = {value.name: value for value in metric.measure(sample)}
    # Sums of the same numbers by other classes, so in another order: equal to rounding (a few ulp of 2e-16).
    one, two = own["classes-z"], other["classes-z"]
    assert [two.value, two.low, two.high] == pytest.approx([one.value, one.low, one.high], rel=1e-12)
    assert one.n == two.n
    shares = [(own[f"classes-{name}-share"].value, other[f"classes-{name}-share"].value) for name in CLASSES]
    assert any(one != another for one, another in shares)
    assert all(abs(one - another) < 0.1 for one, another in shares)


@pytest.mark.slow
def test_unmarked_text_shows_nothing(sample: stela_run.Sample) -> None:
    """Human texts in place of marked ones, under three keys: z of each class is about 0."""
    quiet = []
    for key in range(3):
        marked = [
            replace(one, text=human.text, detection=human.detections[key])
            for one, human in zip(sample.marked, sample.human, strict=True)
        ]
        values = Classes(Classes.Parameters()).measure(replace(sample, marked=marked))
        quiet += [value.value for value in values if value.name == "classes-content-z"]
    # A mean over 24 tests of variance 1.
    assert abs(np.mean(quiet)) * sqrt(24) < norm.isf(1e-4)


@pytest.mark.slow
def test_scheme_without_tagger(kgw: stela_run.Sample) -> None:
    with pytest.raises(stela.StelaError, match="has no tagger"):
        Classes(Classes.Parameters()).measure(kgw)
    with pytest.raises(stela.StelaError, match="has no tagger"):
        Classes(Classes.Parameters(tagger={"ko": "sejong"})).measure(kgw)
    values_by_name = {value.name: value for value in Classes(Classes.Parameters(tagger="penn")).measure(kgw)}
    assert values_by_name["classes-content-weight"].value == 1
    assert values_by_name["classes-z"].value == pytest.approx(np.mean([m.detection.z for m in kgw.marked]))


@pytest.mark.slow
def test_another_statistic_is_refused(sample: stela_run.Sample) -> None:
    wrong = [replace(one, detection=replace(one.detection, z=one.detection.z + 1)) for one in sample.marked]
    with pytest.raises(stela.StelaError, match="not a weighted sum"):
        Classes(Classes.Parameters()).measure(replace(sample, marked=wrong))
    with pytest.raises(stela.StelaError, match="no marked text"):
        Classes(Classes.Parameters()).measure(replace(sample, marked=[]))
