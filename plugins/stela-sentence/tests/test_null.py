"""P(p <= a) <= a over random keys, whatever the text: the claim of every p-value."""

from __future__ import annotations

from itertools import pairwise
from math import comb

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_sentence.detection import FEWEST_PAIRS, judged
from stela_sentence.mark import SentenceMark
from stela_sentence.mark_file import Kind, MarkFile
from stela_sentence.ngrams import KeptNgrams, Ngrams
from stela_testing.texts import KOREAN

from tests.tiers import Draws

LEVELS = (0.5, 0.1, 0.03, 0.01, 0.003)
CHINESE = "城市的历史很长。人们在春天爬山！秋天读书。图书馆很旧？河边有市场。"
"""Sentences to be put in any order."""


def most(level: float, tries: int) -> float:
    return level + 4 * np.sqrt(level * (1 - level) / tries)


def p_values(mark: MarkFile, texts: list[str], keys: int) -> npt.NDArray[np.float64]:
    """(keys, texts)."""
    draws, known = np.random.default_rng(5), KeptNgrams()
    marks = [SentenceMark(mark, int(draws.integers(1 << 63)), known) for _ in range(keys)]
    return np.array([[one.p_value for one in each.detect_many(texts)] for each in marks])


def shuffled(text: str, seed: int) -> str:
    pieces = (
        text.replace("。", "。|").replace("！", "！|").replace("？", "？|").replace(". ", ". |").split("|")
    )
    return "".join(np.random.default_rng(seed).choice([piece for piece in pieces if piece], 30))


@pytest.mark.deep(keep=["semstamp"])
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["semstamp", "k-semstamp", "simmark"])
def test_unmarked_text_under_random_keys(
    kind: Kind, files: dict[Kind, MarkFile], human: list[list[str]], draws: Draws
) -> None:
    """Human prose, prose that repeats itself, and 30 sentences drawn from 5 or 2, in three languages."""
    texts = [" ".join(some[:25]) for some in human[:12]]
    texts += [" ".join(some[:6]) * 4 for some in human[:4]]
    texts += [shuffled(text, seed) for text in (CHINESE, KOREAN) for seed in range(4)]
    p = p_values(files[kind], texts, draws(200, 60))
    for level in LEVELS:
        # Texts under one key share its coins: a key is one try.
        rates = (p <= level).mean(axis=1)
        assert rates.mean() <= level + 4 * rates.std() / np.sqrt(len(rates)) + 1e-9
        for column in p.T:
            assert (column <= level).mean() <= most(level, len(column))


@given(
    st.lists(st.integers(0, 5), min_size=1, max_size=25),
    st.sampled_from([0.05, 0.25, 0.5, 0.9]),
    st.integers(0, 2**32),
)
def test_pairs_are_the_coins(numbers: list[int], gamma: float, seed: int) -> None:
    """A pair has one colour wherever it stands; z and p see it once, against the binomial tail."""
    regions = np.array(numbers)
    colours = np.random.default_rng(seed).random((6, 6)) < gamma
    green = colours[regions[:-1], regions[1:]]
    detection = judged(["x"] * len(numbers), regions[:-1], regions[1:], green, gamma, 0.001)
    pairs = set(pairwise(numbers))
    n, hits = len(pairs), sum(bool(colours[pair]) for pair in pairs)
    assert detection.unique_pairs == n
    assert detection.scored_sentences == len(green)
    if not n:
        assert (detection.p_value, detection.z, detection.verdict) == (1, 0, "insufficient text")
        return
    spread = gamma * (1 - gamma)
    assert detection.z == pytest.approx((hits - gamma * n) / (spread * n) ** 0.5)
    plain = (green.sum() - gamma * len(green)) / (spread * len(green)) ** 0.5
    assert detection.z_plain == pytest.approx(plain)
    terms = [comb(n, k) * gamma**k * (1 - gamma) ** (n - k) for k in range(hits, n + 1)]
    assert sum(terms[1:]) - 1e-12 <= detection.p_value <= sum(terms) + 1e-12
    if n < FEWEST_PAIRS:
        assert detection.verdict == "insufficient text"


def test_colours_are_coins(mark: SentenceMark) -> None:
    """Over pairs and keys the share of valid ones is gamma, and rows of a key do not repeat."""
    size = mark.file.regions
    every = np.arange(size)
    tables = []
    for key in range(30):
        one = SentenceMark(mark.file, key, Ngrams())
        tables.append([one.green(np.full(size, context), every) for context in range(32)])
    colours = np.array(tables)
    share = mark.file.gamma
    assert colours.mean() == pytest.approx(share, abs=5 * np.sqrt(share * (1 - share) / colours.size))
    flat = colours.reshape(-1, size).astype(float)
    between = np.corrcoef(flat.T)[~np.eye(size, dtype=bool)]
    assert np.abs(between).max() < 5 / np.sqrt(len(flat))


def test_golden_colours(files: dict[Kind, MarkFile]) -> None:
    mark = SentenceMark(files["semstamp"], 0x0123456789ABCDEF, Ngrams())
    after = [mark.green(np.full(32, before), np.arange(32)).nonzero()[0].tolist() for before in (0, 1, 31)]
    assert after == [
        [0, 2, 5, 6, 7, 13, 15, 19, 25, 27, 29, 31],
        [7, 9, 22, 24, 25, 26],
        [6, 8, 9, 13, 24, 25, 27],
    ]
