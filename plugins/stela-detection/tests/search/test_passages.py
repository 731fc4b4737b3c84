"""Several passages of one text: chosen as brute force does, valid together, painted where the mark is."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from stela_detection.search.named_passages import find_passage, find_passages, passages_of
from stela_detection.search.passages import best_apart, densest, evidence_of_tokens
from stela_detection.search.window_scan import Scan
from stela_models.tokenizer import load_tokenizer
from stela_testing.texts import little_english, text_of

import stela_core as stela
from stela_core.detection.evidence import Evidence
from stela_core.profile.create import Settings
from tests.tiers import Draws, examples

fixed = examples(60, derandomize=True)
GAMMA = 0.5

spans = st.tuples(st.integers(0, 20), st.integers(1, 9)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@pytest.fixture(scope="module")
def mark(registry: stela.Registry) -> stela.Watermark:
    made = Settings("kgw").create(registry, load_tokenizer(registry, "tiny"), 7, public=True)
    return stela.Watermark(made.archive, None, registry)


@pytest.fixture(scope="module")
def human(registry: stela.Registry) -> list[int]:
    return load_tokenizer(registry, "tiny").encode(little_english()[:60_000]).ids


def overlap_free(windows: list[tuple[int, int]]) -> bool:
    return all(one[1] <= other[0] for one, other in pairwise(sorted(windows)))


@fixed
@given(st.lists(st.tuples(spans, st.integers(-3, 12)), max_size=9))
def test_choice_is_the_best_there_is(cases: list[tuple[tuple[int, int], int]]) -> None:
    """Against all subsets."""
    windows, gains = [span for span, _ in cases], [float(gain) for _, gain in cases]
    chosen = best_apart(windows, gains)
    assert [windows[n] for n in chosen] == sorted(windows[n] for n in chosen)
    assert overlap_free([windows[n] for n in chosen])
    assert all(gains[n] > 0 for n in chosen)
    subsets = [[n for n in range(len(cases)) if bits >> n & 1] for bits in range(1 << len(cases))]
    apart = [subset for subset in subsets if overlap_free([windows[n] for n in subset])]
    assert sum(gains[n] for n in chosen) == max(sum(gains[n] for n in subset) for subset in apart)


@fixed
@given(st.lists(st.integers(-5, 5), min_size=1, max_size=30))
def test_densest_part_against_all_parts(values: list[int]) -> None:
    start, end, total = densest(np.array(values, dtype=float))
    sums = {(i, j): sum(values[i:j]) for i in range(len(values)) for j in range(i + 1, len(values) + 1)}
    assert total == sums[start, end] == max(sums.values())


def test_a_loop_is_one_round_of_it() -> None:
    green, weights = np.array([True, True, False, True]), np.array([1.0, 1.0, 2.0, 1.0])
    values = evidence_of_tokens(green, weights, np.array([0, 0, 1, 0]), 0.5, 0.9)
    assert values == pytest.approx([0.1, 0.1, -1.4, 0.1])


def colours(mark: stela.Watermark, evidence: Evidence, share: list[tuple[int, int]], seed: int) -> Evidence:
    """Random colours of the pairs; in the given ranges of scored tokens 85 % of them are green."""
    rng = np.random.default_rng(seed)
    pairs = int(evidence.groups.max()) + 1
    chance = np.full(pairs, GAMMA)
    for start, end in share:
        chance[evidence.groups[start:end]] = 0.85
    return replace(evidence, green=(rng.random(pairs) < chance)[evidence.groups])


@pytest.mark.slow
@fixed
@given(
    st.integers(0, 2**32),
    st.lists(st.tuples(st.integers(0, 500), st.integers(20, 200)), max_size=3),
    st.sampled_from([1e-3, 0.05, 0.5]),
)
def test_passages_do_not_overlap_and_lie_in_their_windows(
    mark: stela.Watermark, human: list[int], seed: int, places: list[tuple[int, int]], alpha: float
) -> None:
    ids = human[:700]
    [plain] = mark.detector.evidence([ids])
    coloured = colours(mark, plain, [(at, at + length) for at, length in places], seed)
    passages = find_passages(coloured, mark.parts.scorer, alpha)
    whole = text_of(ids, mark.tokens)
    for passage in passages:
        assert passage.p_value <= alpha
        assert passage.window_start <= passage.start < passage.end <= passage.window_end
        assert whole[passage.start : passage.end] == passage.text
        assert text_of(ids[: passage.token_end], mark.tokens).startswith(whole[: passage.end])
    for one, other in pairwise(passages):
        assert one.end <= other.start
        assert one.window_end <= other.window_start, "no window says the same twice"
    best = find_passage(coloured, mark.parts.scorer)
    assert best is not None
    if best.p_value > alpha:
        assert not passages


def test_exact_p_values_decide(mark: stela.Watermark, human: list[int]) -> None:
    """What is named was tested exactly: the p-value is the detector's, of the window's tokens alone."""
    [plain] = mark.detector.evidence([human[:600]])
    coloured = colours(mark, plain, [(200, 330)], 3)
    scan = Scan(coloured, mark.parts.scorer)
    [passage] = passages_of([scan], 1e-3)
    start = next(n for n in range(600) if len(text_of(human[:n], mark.tokens)) == passage.window_start)
    end = next(n for n in range(600) if len(text_of(human[:n], mark.tokens)) == passage.window_end)
    part = slice(start - 1, end - 1)  # the first token is not scored
    groups = np.unique(coloured.groups[part], return_inverse=True)[1]
    alone = mark.parts.scorer.score(coloured.green[part], coloured.weights[part], groups, GAMMA)
    assert (passage.p_uncorrected, passage.z) == (alone.p_value, alone.z)


@pytest.mark.slow
def test_any_passage_in_unmarked_text_is_as_rare_as_said(
    mark: stela.Watermark, human: list[int], draws: Draws
) -> None:
    """Family-wise: 80 or 400 colourings of 300 tokens; all windows together keep to alpha."""
    [plain] = mark.detector.evidence([human[:300]])
    named = dict.fromkeys((0.3, 0.1, 0.02), 0)
    trials = draws(400, 80)
    for seed in range(trials):
        coloured = colours(mark, plain, [], seed)
        scan = Scan(coloured, mark.parts.scorer)
        for alpha in named:
            named[alpha] += bool(passages_of([scan], alpha))
    for alpha, count in named.items():
        assert count <= stats.binom.isf(1e-4, trials, alpha)
    assert named[0.3] > trials / 20, "the correction is no more than it has to be"


@pytest.mark.slow
def test_three_passages_in_text_of_the_embedded_model(
    mark: stela.Watermark, human: list[int], registry: stela.Registry
) -> None:
    """Each is named, with its ends, and nothing between."""
    from stela_models.generation.generate import Sampling, generate
    from stela_models.load import load_model

    prompts = ["The history of the city", "In the old library", "She said that"]
    [made] = generate(
        mark, load_model(registry, "tiny"), prompts, Sampling(120, min_new_tokens=120, seed=5), batch_size=3
    )
    ids, bounds = human[:150], []
    for n, text in enumerate(made):
        bounds.append((len(ids), len(ids) + len(text.token_ids)))
        ids = ids + text.token_ids + human[200 + 200 * n : 400 + 200 * n]
    [detection] = mark.detect_ids([ids])
    scanned = mark.with_passage(detection)
    assert scanned.verdict == "watermarked"
    assert len(scanned.passages) == 3
    for passage, bound in zip(scanned.passages, bounds, strict=True):
        start, end = (len(text_of(ids[:n], mark.tokens)) for n in bound)
        shared = min(end, passage.end) - max(start, passage.start)
        assert shared / (max(end, passage.end) - min(start, passage.start)) >= 0.7
        assert passage.start > start - 90
        assert passage.end < end + 90
    assert scanned.window == mark.with_passage(scanned).window
    assert [p["start"] for p in scanned.to_dict()["passages"]] == [p.start for p in scanned.passages]
    assert scanned._repr_html_().count("look marked, p-value") == 3
    assert repr(scanned).count(" and 2 more") == 1


def test_nothing_to_name(mark: stela.Watermark, human: list[int]) -> None:
    [nothing] = mark.detect_ids([[400]])
    assert mark.with_passage(nothing).passages == ()
    [plain] = mark.detect_ids([human[:400]])
    assert mark.with_passage(plain).passages == ()
    empty = replace(plain.evidence, weights=np.zeros(len(plain.evidence.weights)))
    assert find_passages(empty, mark.parts.scorer, 0.5) == ()
