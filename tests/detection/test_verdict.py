"""Verdicts: what no colouring could show is insufficient text; the expected power beside the others."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_cli.detect_table import power_phrase
from stela_detection.power.expected import ANY, expected_power, gains_if_free, green_chances
from stela_models.tokenizer import load_tokenizer

import stela_core as stela
from stela_core.builtin.hashers import KeyedHasher
from stela_core.builtin.plugin import Uniform
from stela_core.builtin.scorers import GroupedParameters, GroupedScorer
from stela_core.composition import Composition
from stela_core.detection import attribution
from stela_core.detection.evidence import Evidence
from stela_core.detection.verdict import PValues, verdict_of
from stela_core.profile.create import Settings
from stela_core.text.token_bytes import TokenBytes
from tests.tiers import examples

fixed = examples(40, derandomize=True)
SCORER = GroupedScorer(GroupedParameters(repeats="sum", ties="whole"))


def evidence_of(weights: list[float], groups: list[int] | None = None, green: bool = False) -> Evidence:
    count = len(weights)
    numbers = np.arange(count) if groups is None else np.array(groups, dtype=np.int64)
    return Evidence(
        ids=[0] * count,
        positions=np.arange(count),
        green=np.full(count, green),
        weights=np.array(weights),
        groups=numbers,
        contexts=(),
        token_bytes=TokenBytes([b"a"], frozenset()),
    )


def verdict(evidence: Evidence, p_value: float = 1.0, alpha: float = 1e-3, fewest: int = 1) -> str:
    return verdict_of(p_value, [evidence], SCORER, alpha, fewest)


def test_insufficient_is_what_no_colouring_could_show() -> None:
    assert verdict(evidence_of([1.0] * 9)) == "insufficient text"
    assert verdict(evidence_of([1.0] * 10)) == "no watermark found"
    assert verdict(evidence_of([1.0] * 40 + [0.0], [0] * 31 + list(range(1, 11)))) == "no watermark found"
    assert verdict(evidence_of([1.0] * 40, [0] * 31 + list(range(1, 10)))) == "no watermark found"
    assert verdict(evidence_of([1.0] * 40, [0] * 32 + list(range(1, 9)))) == "insufficient text"
    assert verdict(evidence_of([0.0] * 50)) == "insufficient text"
    assert verdict(evidence_of([1.0] * 4 + [0.0] * 90), alpha=0.05) == "insufficient text"
    assert verdict(evidence_of([])) == "insufficient text"


def test_a_floor_of_the_profile_stays() -> None:
    long = evidence_of([1.0] * 20)
    assert verdict(long, p_value=1e-6, fewest=21) == "insufficient text"
    assert verdict(long, p_value=1e-6, fewest=20) == "watermarked"


def test_each_test_that_has_to_agree_must_be_able_to() -> None:
    """The table's weights leave two coins: no colouring convinces both tests."""
    plain = evidence_of([1.0] * 30)
    heavy = replace(plain, weights=np.array([1.0, 1.0] + [0.0] * 28))
    assert verdict_of(1.0, [plain, heavy], SCORER, 1e-3, 1) == "insufficient text"
    assert verdict_of(1.0, [plain, plain.unweighted()], SCORER, 1e-3, 1) == "no watermark found"


def test_the_largest_p_value_decides_and_a_window_s_before_all(mark: stela.Watermark) -> None:
    assert PValues(0.2).deciding == 0.2
    assert PValues(0.2, 0.1).deciding == 0.2
    assert PValues(0.1, 0.2).deciding == 0.2
    assert PValues(0.1, 0.2, 0.9).deciding == 0.9
    [detection] = mark.detect_ids([[500 + n for n in range(60)]])
    strange = replace(detection, p_value=1e-9, p_unweighted=0.1, p_chosen=0.5)
    assert (detection.deciding_p, strange.deciding_p) == (detection.p_value, 0.5)
    assert attribution.Tested.of("a", None, strange).p == 0.5
    scanned = mark.with_passage(detection)
    assert scanned.window is not None
    assert scanned.window.p_value != scanned.p_value
    assert scanned.deciding_p == attribution.Tested.of("a", None, scanned).p == scanned.window.p_value


@fixed
@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 5)), min_size=1, max_size=20),
    st.integers(0, 2**20),
    st.sampled_from([0.25, 0.5]),
)
def test_no_colouring_does_better_than_all_green(
    coins: list[tuple[float, int]], seed: int, gamma: float
) -> None:
    evidence = evidence_of([w for w, _ in coins], [g for _, g in coins])
    for scorer in (SCORER, GroupedScorer(GroupedParameters())):
        signals = replace(evidence.signals, law=stela.Bernoulli(gamma))
        best = scorer.least_p_of(signals)
        assert best == pytest.approx(stela.Scorer.least_p_of(scorer, signals), rel=1e-9), "of all green"
        colours = np.random.default_rng(seed).random(6) < 0.8
        score = scorer.score(colours[evidence.groups], evidence.weights, evidence.groups, gamma)
        assert best <= score.p_value * (1 + 1e-9)


class Halved(stela.Scorer):
    """A scorer of somebody else's, with no coins."""

    name = "halved"

    def score(
        self,
        green: npt.NDArray[np.bool_],
        weights: npt.NDArray[np.float64],
        groups: npt.NDArray[np.int64],
        gamma: float,
    ) -> stela.Score:
        return stela.Score(0.0, 0.0, 0.5 ** (int(green.sum()) / 2))


def composed(delta: float, scorer: stela.Scorer = SCORER, gamma: float = 0.5) -> Composition:
    hasher = KeyedHasher(KeyedHasher.Parameters(gamma=gamma), 1)
    uniform = Uniform(stela.Parameters())
    return Composition(hasher, uniform, uniform, scorer, delta, 1.0)


def test_any_scorer_is_asked() -> None:
    scorer = Halved(stela.Parameters())
    long, short = evidence_of([1.0] * 20), evidence_of([1.0] * 19)
    assert verdict_of(1.0, [long], scorer, 1e-3, 1) == "no watermark found"
    assert verdict_of(1.0, [short], scorer, 1e-3, 1) == "insufficient text"
    assert expected_power([long], composed(2.0, scorer), 1e-3) is None


def test_power_grows_with_length_and_strength_and_sees_no_colour() -> None:
    lengths = [12, 20, 40, 80, 160, 700]
    rows = [[expected_power([evidence_of([1.0] * n)], composed(d), 1e-3) for n in lengths] for d in (0, 1, 2)]
    assert all(value is not None for row in rows for value in row)
    none, weak, strong = rows
    assert max(none) <= 1e-3 * (1 + 1e-9), "no mark is found as often as said"
    assert weak == sorted(weak)
    assert strong == sorted(strong)
    assert all(a < b or b > 0.99 for a, b in zip(weak, strong, strict=True))
    assert strong[-1] > 0.999
    dark, bright = evidence_of([1.0] * 30), evidence_of([1.0] * 30, green=True)
    assert expected_power([dark], composed(1), 1e-3) == expected_power([bright], composed(1), 1e-3)
    repeated = evidence_of([1.0] * 30, [n // 2 for n in range(30)])
    assert expected_power([repeated], composed(2), 1e-3) < expected_power([dark], composed(2), 1e-3)


@fixed
@given(st.floats(0, 20), st.floats(0.05, 0.95))
def test_chances_of_green(bias: float, gamma: float) -> None:
    rows = green_chances(gains_if_free(np.array([bias]), gamma), ANY.alike, gamma)
    free = gamma * math.exp(bias) / (1 - gamma + gamma * math.exp(bias))
    assert rows.shape == (5, 1)
    assert ((gamma - 1e-12 <= rows) & (rows <= 1)).all()
    assert rows[2, 0] == pytest.approx(gamma + ANY.alike.mean * (free - gamma))


@pytest.fixture(scope="module")
def mark(registry: stela.Registry) -> stela.Watermark:
    made = Settings("kgw").create(registry, load_tokenizer(registry, "tiny"), 7, public=True)
    assert made.archive.profile.min_tokens == 8
    return stela.Watermark(made.archive, None, registry)


def test_short_texts_are_told_what_they_are(mark: stela.Watermark) -> None:
    ids = list(range(500, 700))
    short, brief, long = mark.detect_ids([ids[:10], ids[:21], ids])
    assert (short.verdict, short.power) == ("insufficient text", 0.0)
    assert power_phrase(short) == "too short: even a marked text of this length would not be found"
    assert brief.verdict == "no watermark found"
    assert 0.3 < brief.power < 0.6
    assert power_phrase(brief) in [
        f"a marked text like this one is found in about {n} of 10 cases" for n in (3, 4, 5, 6)
    ]
    assert long.power > 0.99
    assert power_phrase(long) is None
    assert power_phrase(replace(brief, verdict="watermarked")) is None
    assert power_phrase(replace(brief, estimate=None)) is None
    assert brief.to_dict()["power"] == brief.power


def test_a_pickled_detection_keeps_its_power_and_no_key(mark: stela.Watermark) -> None:
    key = mark.parts.hasher.key
    detection = mark.detect_ids([list(range(500, 521))])[0]
    data = pickle.dumps(detection)
    assert pickle.loads(data).power == detection.power
    assert "KeyedHasher" not in data.decode("latin-1")
    assert pickle.dumps(key)[2:-1] not in data


def test_no_power_where_the_strength_cannot_be_told(registry: stela.Registry) -> None:
    made = Settings("morphmark").create(registry, load_tokenizer(registry, "tiny"), 7, public=True)
    [detection] = stela.Watermark(made.archive, None, registry).detect_ids([list(range(500, 540))])
    assert detection.verdict == "no watermark found"
    assert detection.power is None
    assert "power" not in detection.to_dict()


def test_windows_that_could_not_show_it_either(mark: stela.Watermark) -> None:
    """Ten pairs reach alpha as a whole, and not half of it, which is what a long text's windows leave."""
    [loop] = mark.detect_ids([[500 + n % 10 for n in range(60)]])
    assert (loop.unique_pairs, loop.scored_tokens) == (10, 59)
    green = np.zeros(59, dtype=bool)
    red = replace(loop, evidence=replace(loop.evidence, green=green), verdict="no watermark found")
    assert mark.with_passage(red).verdict == "insufficient text"
