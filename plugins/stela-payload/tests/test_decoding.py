"""The best codeword: that of all where numbers have two digits; from lists, of four, nearly always."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaincc
from stela_payload.decoding import (
    MOST_RANKS,
    PART,
    WHOLE,
    best_codeword,
    best_values,
    listed_ranks,
    sorted_values,
    splits,
    totals_of,
)
from stela_payload.errors import error_of
from stela_payload.reed_solomon import ReedSolomon, digits_of_bits, usual_symbols

from tests.tiers import Draws, examples

Scores = npt.NDArray[np.float32]
Sums = npt.NDArray[Any]


def unmarked(code: ReedSolomon, tokens: int, random: np.random.Generator) -> Scores:
    """Sums of exponential draws, as of an unmarked text."""
    counts = random.multinomial(tokens, [1 / code.n] * code.n)
    return random.gamma(np.maximum(counts, 1e-9)[:, None], size=(code.n, code.values)).astype(np.float32)


@examples(12)
@given(seed=st.integers(0, 2**32), ties=st.booleans(), n=st.integers(4, 9))
def test_two_digits_are_decoded_exactly(seed: int, ties: bool, n: int) -> None:
    """The sum is as large as that of any of the 65,536 codewords."""
    code, random = ReedSolomon(16, n, 2), np.random.default_rng(seed)
    scores = random.integers(0, 4, (n, 256)).astype(np.float32) if ties else unmarked(code, 60, random)
    totals = totals_of(scores, code.symbols_of(np.arange(1 << 16, dtype=np.uint64)))
    assert totals[best_codeword(scores, code)] == totals.max()


@pytest.mark.parametrize("bits", [24, 32, 40, 48, 56, 64])
@pytest.mark.parametrize("effort", [WHOLE, PART], ids=["whole", "part"])
def test_a_codeword_that_stands_out_is_found(bits: int, effort: object, draws: Draws) -> None:
    """Where half of its symbols are among the best few of their places."""
    code = ReedSolomon(bits, usual_symbols(bits), digits_of_bits(bits))
    for seed in range(draws(6, 2)):
        random = np.random.default_rng(seed)
        scores, number = unmarked(code, 200, random), int(random.integers(0, 2**63)) >> 63 - min(bits, 63)
        word = code.symbols_of(np.array([number], dtype=np.uint64))[:, 0]
        for place in range(code.n):
            scores[place, word[place]] = np.sort(scores[place])[-1 - int(random.integers(0, 6))]
        assert best_codeword(scores, code, effort) == number  # type: ignore[arg-type]


def test_lists_of_triples_pass_over_few_messages(draws: Draws) -> None:
    """Of 64 bits in 200 tokens that may be shown, 4 % are missed at most.

    Tokens are as ``gumbel`` chooses them at a low temperature: one of probability u draws U**u, most have
    nearly 1. A symbol whose tokens have a p-value of p has a rank of 1 and as many more as a binomial draw
    of p says.
    """
    code, random, tokens = ReedSolomon(64, usual_symbols(64), 4), np.random.default_rng(3), 200
    sure, missed = 0, 0
    for _ in range(draws(1200, 250)):
        free = random.random(tokens) < random.normal(0.45, 0.13)
        chances = np.where(free, random.random(tokens) ** 2.5, 1 - random.random(tokens) / 10)
        signals = -np.log(-np.expm1(np.log(random.random(tokens)) * chances))
        block = random.integers(0, code.n, tokens)
        sums, counts = np.bincount(block, signals, code.n), np.bincount(block, minlength=code.n)

        def tail(places: int, sums: Sums = sums, counts: Sums = counts) -> float:
            inside = [n for n in range(code.n) if places >> n & 1]
            return float(gammaincc(counts[inside].sum(), sums[inside].sum()))

        if error_of(tail, code, 2.0**64) > 1e-4:
            continue
        sure += 1
        ranks = 1 + random.binomial(65_535, gammaincc(counts, sums))
        triples = np.array(
            [[ranks[list(p[:3])].prod(), ranks[list(p[3:6])].prod()] for p in splits(code.n, WHOLE.splits)]
        )
        missed += not (triples.max(axis=1) <= MOST_RANKS).any()
    print(f"missed: {missed} of {sure}")
    assert sure > 60
    assert missed <= 0.04 * sure


@pytest.mark.parametrize("most", [16, 1024])
def test_listed_ranks(most: int) -> None:
    """Each triple once, those whose product is small enough."""
    listed = {tuple(int(rank) for rank in one) for one in listed_ranks(most)}
    assert len(listed) == len(listed_ranks(most))
    random = np.random.default_rng(0).geometric(0.1, (2000, 3)) - 1
    for ranks in random.tolist():
        assert (tuple(ranks) in listed) == (np.prod([rank + 1 for rank in ranks]) <= most)


def test_values_are_sorted_from_the_best_down() -> None:
    """Of equal ones the smaller first, wherever the list ends."""
    scores = np.random.default_rng(0).integers(0, 9, 300).astype(np.float32)
    order = sorted(range(300), key=lambda value: (-scores[value], value))
    for count in (1, 10, 299, 300):
        assert best_values(scores, count).tolist() == order[:count]
    assert sorted_values(scores, 5).tolist() == [value for value in order if scores[value] >= 5]


@pytest.mark.parametrize("n", [8, 12, 13])
def test_splits_are_orders_of_all_places(n: int) -> None:
    for places in splits(n, 24):
        assert sorted(places) == list(range(n))
    counts = np.bincount([place for places in splits(n, 24) for place in places[:6]], minlength=n)
    assert counts.min() >= 24 * 6 // n // 2
