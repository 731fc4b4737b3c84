"""Passages inside longer texts, against brute force over all windows with the detector itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from stela_detection.search.named_passages import find_passage, with_passage
from stela_detection.search.windows import SHORTEST, SlidingSums, walked, window_grid
from stela_models.tokenizer import load_tokenizer
from stela_testing.texts import text_of
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

import stela_core as stela
from stela_core.builtin.hashers import KeyedHasher
from stela_core.builtin.plugin import Uniform
from stela_core.builtin.scorers import GroupedScorer
from stela_core.composition import Composition
from stela_core.detection.detector import Detector
from stela_core.detection.result import Passage
from stela_core.profile.create import Settings
from stela_core.statistics.grouping import EXPONENTS, Repeats, group_weights, shares_of
from stela_core.text.token_bytes import TokenBytes
from tests.helpers import human_english
from tests.tiers import Draws, examples

fixed = examples(40, derandomize=True)
GAMMA = 0.5


@pytest.fixture(scope="module")
def mark(registry: stela.Registry) -> stela.Watermark:
    """KGW: its weights do not depend on the text before, so a window is tested like a text."""
    tokenizer = load_tokenizer(registry, "tiny")
    return stela.Watermark(
        Settings("kgw").create(registry, tokenizer, 7, public=True).archive, None, registry
    )


@pytest.fixture(scope="module")
def human(registry: stela.Registry) -> list[int]:
    tokenizer = load_tokenizer(registry, "tiny")
    return tokenizer.encode(human_english()[:800_000]).ids


def marked(mark: stela.Watermark, start: list[int], length: int, seed: int, share: float) -> list[int]:
    """A walk over the pairs of human text that takes a green one with probability ``share`` where it can."""
    rng = np.random.default_rng(seed)
    ids = list(start)
    for _ in range(length):
        options = rng.integers(300, 8000, 12)
        seeds = np.repeat(mark.parts.hasher.seeds(np.array([[ids[-1]]])), 12)
        green = mark.parts.hasher.green(seeds, options)
        wanted = green if rng.random() < share else ~green
        ids.append(int(options[np.argmax(wanted)]))
    return ids[len(start) :]


def by_brute_force(mark: stela.Watermark, ids: list[int]) -> tuple[float, int, int]:
    """Smallest corrected p-value and its window, testing each window as a text of its own."""
    found = []
    for windows in window_grid(len(ids) - 1):
        for start in windows.starts.tolist():
            [alone] = mark.detect_ids([ids[start : start + windows.length + 1]])
            found.append((alone.p_value / windows.share, start, start + windows.length))
    return min(found)


@pytest.mark.deep(keep=["0", "2", "5"])
@pytest.mark.slow
@pytest.mark.parametrize("case", range(6))
def test_smallest_corrected_p_is_found(mark: stela.Watermark, human: list[int], case: int) -> None:
    before, length, after = [
        (90, 60, 150),
        (0, 120, 200),
        (300, 40, 0),
        (0, 0, 400),
        (10, 300, 5),
        (0, 20, 0),
    ][case]
    at = 5000 * case
    ids = human[at : at + before + 1]
    ids = ids + marked(mark, ids, length, case, 0.8) + human[at + 2000 : at + 2000 + after]
    ids += ids[20:60]  # repeats, inside windows and across them
    [evidence] = mark.detector.evidence([ids])
    found = find_passage(evidence, mark.parts.scorer)
    assert found is not None
    corrected, start, end = by_brute_force(mark, ids)
    assert found.p_value == pytest.approx(min(1.0, corrected), rel=1e-9)
    if corrected < 1:
        assert found.scored_tokens == end - start
        assert (
            found.text == text_of(ids[: end + 1], mark.tokens)[len(text_of(ids[: start + 1], mark.tokens)) :]
        )
    whole = text_of(ids, mark.tokens)
    assert whole[found.start : found.end] == found.text
    assert found.windows == sum(len(w.starts) for w in window_grid(len(ids) - 1))


@pytest.mark.slow
@pytest.mark.parametrize("rule", EXPONENTS)
@fixed
@given(
    st.lists(st.tuples(st.integers(0, 6), st.floats(0, 1)), min_size=1, max_size=40).flatmap(
        lambda coins: st.tuples(st.just(coins), st.integers(1, len(coins)), st.integers(0, 127))
    )
)
def test_sliding_sums_are_those_of_each_window(
    rule: Repeats, case: tuple[list[tuple[int, float]], int, int]
) -> None:
    coins, length, colouring = case
    groups, weights = np.array([g for g, _ in coins]), np.array([w for _, w in coins])
    green = (colouring >> groups & 1).astype(np.bool_)
    shares = shares_of(np.arange(1, len(coins) + 1), rule)
    sliding = SlidingSums(weights, green - GAMMA, groups, shares)
    for totals, squares in (sliding.of(length), sliding.by_clusters(length)):
        for start in range(len(coins) - length + 1):
            part = slice(start, start + length)
            colours, stakes = group_weights(green[part], weights[part], groups[part], rule)
            assert totals[start] == pytest.approx(float(stakes @ (colours - GAMMA)), abs=1e-9)
            assert squares[start] == pytest.approx(float(stakes @ stakes), abs=1e-9)


@examples(300, derandomize=True)
@given(
    seed=st.integers(0, 2**32),
    size=st.integers(1, 400),
    pairs=st.sampled_from([1, 2, 5, 60, 10_000]),
    rule=st.sampled_from(sorted(EXPONENTS)),
    data=st.data(),
)
def test_sliding_sums_are_the_walk_s_bit_for_bit(
    seed: int, size: int, pairs: int, rule: Repeats, data: st.DataObject
) -> None:
    """Of lone members, of clusters, and of crowds of more than a hundred."""
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, pairs, size)
    weights, values = rng.random(size), rng.random(pairs)[groups] - GAMMA
    shares = shares_of(np.arange(1, size + 1), rule)
    sliding = SlidingSums(weights, values, groups, shares)
    for length in data.draw(st.lists(st.integers(1, size), min_size=1, max_size=3)):
        expected = walked(weights, values, groups, np.array([0, *shares]), length)
        for got, wanted in zip(sliding.by_clusters(length), expected, strict=True):
            assert got.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("count", [1, SHORTEST, SHORTEST + 1, 33, 100, 1000, 20_000])
def test_grid_spends_the_error_rate_once(count: int) -> None:
    grid = window_grid(count)
    assert sum(w.share * len(w.starts) for w in grid) == pytest.approx(1.0)
    assert (grid[-1].length, grid[-1].starts.tolist()) == (count, [0])
    for windows in grid:
        starts = windows.starts
        assert starts[0] == 0
        assert starts[-1] + windows.length == count
        assert (np.diff(starts) > 0).all()
        assert np.diff(starts, append=starts[-1] + 1).max() <= max(1, windows.length // 8)
    assert sum(len(w.starts) for w in grid) <= 40 * max(1, count / SHORTEST) + len(grid)


@pytest.mark.slow
def test_corrected_p_is_valid_on_human_text(mark: stela.Watermark, human: list[int], draws: Draws) -> None:
    """120 texts under a key or 5 each: as many false alarms as said, or fewer."""
    rows = [human[i : i + 400] for i in range(0, 120 * 400, 400)]
    prepared = []
    for evidence in mark.detector.evidence(rows):
        ids = np.array(evidence.ids)
        prepared.append((evidence, ids[evidence.positions - 1, None], ids[evidence.positions]))
    keys = iter(np.random.default_rng(4).integers(0, 2**63, 600).tolist())
    p = []
    for evidence, before, tokens in prepared * draws(5, 1):
        hasher = KeyedHasher(KeyedHasher.Parameters(), next(keys))
        green = hasher.green(hasher.seeds(before), tokens)
        found = find_passage(replace(evidence, green=green), mark.parts.scorer)
        assert found is not None
        p.append(found.p_value)
    for alpha in (0.5, 0.2, 0.1, 0.05, 0.01):
        # Each test has a key of its own: colourings are independent.
        assert (np.array(p) <= alpha).sum() <= stats.binom.isf(1e-4, len(p), alpha)
    assert min(p) < 0.05, "the correction is no more than it has to be"


@pytest.mark.slow
def test_passage_of_100_tokens_in_2000(mark: stela.Watermark, human: list[int]) -> None:
    """85 % green (the embedded model's own text has 90 % at delta 2): found, and where it is."""
    overlaps, hits, whole = [], 0, 0
    for case in range(20):
        at = 40 * case + 1
        text = human[3000 * case : 3000 * case + 2000]
        inside = marked(mark, text[:at], 100, case, 0.85)
        ids = text[:at] + inside + text[at:]
        [detection] = mark.detect_ids([ids])
        found = with_passage(detection, mark.parts.scorer)
        hits += found.verdict == "watermarked"
        whole += detection.verdict == "watermarked"
        start, end = len(text_of(ids[:at], mark.tokens)), len(text_of(ids[: at + 100], mark.tokens))
        shared = min(end, found.window.end) - max(start, found.window.start)
        overlaps.append(shared / (max(end, found.window.end) - min(start, found.window.start)))
    assert hits >= 18
    assert whole <= 4, "the text as a whole does not show it"
    assert np.median(overlaps) > 0.7


@pytest.mark.slow
def test_marked_text_as_a_whole_costs_a_factor_of_two(mark: stela.Watermark, human: list[int]) -> None:
    ids = marked(mark, human[:1], 400, 1, 0.65)
    [detection] = mark.detect_ids([human[:1] + ids])
    found = mark.with_passage(detection)
    assert found.verdict == "watermarked"
    assert found.window.p_value <= 2 * detection.p_value
    assert found.p_value == detection.p_value
    assert found.to_dict()["window"]["p_value"] == found.window.p_value


def test_nothing_to_scan(mark: stela.Watermark) -> None:
    [nothing] = mark.detect_ids([[400]])
    assert mark.with_passage(nothing).window is None
    assert "window" not in nothing.to_dict()
    [short] = mark.detect_ids([[400, 500, 600]])
    found = mark.with_passage(short)
    assert found.verdict == "insufficient text"
    assert isinstance(found.window, Passage)
    assert (found.window.windows, found.window.p_value) == (1, short.p_value)


@pytest.mark.slow
def test_weights_of_0_are_no_evidence(mark: stela.Watermark, human: list[int]) -> None:
    [evidence] = mark.detector.evidence([human[:300]])
    empty = replace(evidence, weights=np.zeros(len(evidence.weights)))
    found = find_passage(empty, mark.parts.scorer)
    assert found is not None
    assert (found.p_value, found.z) == (1.0, 0.0)


def test_span_is_in_characters_of_the_given_text() -> None:
    """SentencePiece writes a space before the text: it is not the reader's, and not counted."""
    letters = [*"abcdefghijklmnopqrstuvwxyz가나다라", "▁"]
    made = Tokenizer(models.BPE(vocab={x: i for i, x in enumerate(letters)}, merges=[]))
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    made.decoder = decoders.Metaspace(prepend_scheme="always")
    tokens = TokenBytes.of(made)
    uniform = Uniform(stela.Parameters())
    hasher = KeyedHasher(KeyedHasher.Parameters(gamma=GAMMA), 3)
    parts = Composition(hasher, uniform, uniform, GroupedScorer(GroupedScorer.Parameters()), 2.0, 1.0)
    detector = Detector(parts, made, tokens, None, 16, 0.01)
    rng = np.random.default_rng(9)
    whole = 0
    for length in (1, 20, 60, 90, 200):
        text = "".join(rng.choice([*letters[:-1], " "], length)).strip() or "a"
        [detection] = detector.detect_many([text])
        window = with_passage(detection, parts.scorer).window
        assert window is not None
        assert text[window.start : window.end] == window.text
        whole += (window.start, window.end) == (0, len(text))
    assert whole >= 2, "a text shorter than the shortest window is one"
