"""The bound on a wrong message, against all codewords of small fields, at each level down to 1e-6."""

from __future__ import annotations

from itertools import combinations, product
from math import comb, log

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import binom, gamma
from stela_payload.errors import SEVERAL, SUMMED, TailOf, error_of, expected_number, fisher_tail
from stela_payload.reed_solomon import ReedSolomon

SMALL = [ReedSolomon(8, 7, 2), ReedSolomon(12, 8, 3)]
"""Over GF(16)."""

Words = npt.NDArray[np.intp]


def all_codewords(code: ReedSolomon) -> Words:
    return code.symbols_of(np.arange(1 << code.bits, dtype=np.uint64))


def shared_by(words: Words, own: list[int]) -> npt.NDArray[np.intp]:
    """In how many places each codeword has a symbol of one of these; the numbers themselves left out."""
    held = np.zeros(words.shape, dtype=bool)
    for number in own:
        held |= words == words[:, number : number + 1]
    return np.delete(held.sum(axis=0), own)


@pytest.mark.parametrize("code", SMALL, ids=str)
@pytest.mark.parametrize("several", [1, 2, 3])
def test_other_codewords_are_counted(code: ReedSolomon, several: int) -> None:
    """No more than ``C(n, A) s**A q**(k - A)`` share A <= k places, none more than s (k - 1)."""
    words, random = all_codewords(code), np.random.default_rng(several)
    for _ in range(20):
        own = random.choice(words.shape[1], several, replace=False).tolist()
        counts = np.bincount(shared_by(words, own), minlength=code.n + 1)
        assert not counts[several * (code.k - 1) + 1 :].any()
        for shared in range(code.k + 1):
            assert counts[shared] <= comb(code.n, shared) * several**shared * code.values ** (code.k - shared)


@pytest.mark.parametrize("code", SMALL, ids=str)
@pytest.mark.parametrize("issued", [None, 20])
def test_expected_numbers(code: ReedSolomon, issued: int | None) -> None:
    """Of random codewords, all or 20, as many as :func:`expected_number` share A places, or fewer."""
    words, random, trials = all_codewords(code), np.random.default_rng(0), 400
    counts = np.zeros(code.n + 1)
    for _ in range(trials):
        chosen = random.permutation(words.shape[1])[: issued and issued + SEVERAL]
        counts += np.bincount(shared_by(words[:, chosen], list(range(SEVERAL))), minlength=code.n + 1)
    messages = issued or words.shape[1]
    for shared in range(code.n + 1):
        expected = trials * expected_number(code, messages, shared)
        assert counts[shared] <= expected + 5 * expected**0.5


TOKENS, GREEN = 4, 1 / 8
"""Of each place, and the share of values under which one is green."""


def named_by(several: int, code: ReedSolomon) -> list[tuple[float, float]]:
    """Bounds in order, and a bound (the sum) on the probability that another message is named with as small.

    Of a text whose codewords are ``several`` random ones. Where another shares their symbols, all is green.
    """
    words = all_codewords(code)
    own = np.random.default_rng(5).choice(words.shape[1], several, replace=False).tolist()
    counts = np.bincount(shared_by(words, own), minlength=code.n + 1)
    tails = [
        [float(binom.sf(green - 1, TOKENS * w, GREEN)) for green in range(TOKENS * w + 1)]
        for w in range(code.n + 1)
    ]
    chances = binom.pmf(np.arange(TOKENS + 1), TOKENS, GREEN)
    law: dict[float, float] = {}
    for shared, number in enumerate(counts.tolist()):
        if not number:
            continue
        # Free places differ in nothing but how green they are: each multiset of counts stands for its orders.
        for free, orders in multisets(code.n - shared):
            greens = [*free, *[TOKENS] * shared]

            def tail(places: int, greens: list[int] = greens) -> float:
                inside = [green for n, green in enumerate(greens) if places >> n & 1]
                return tails[len(inside)][sum(inside)]

            error = error_of(tail, code, (1 << code.bits) - 1)
            chance = number * orders * float(np.prod(chances[list(free)]))
            law[error] = law.get(error, 0.0) + chance
    below, out = 0.0, []
    for error in sorted(law):
        below += law[error]
        out.append((error, below))
    return out


def multisets(size: int) -> list[tuple[tuple[int, ...], int]]:
    """Sorted counts of green tokens of so many places, and in how many orders each comes."""
    seen: dict[tuple[int, ...], int] = {}
    if size == 0:
        return [((), 1)]
    for before, orders in multisets(size - 1):
        for green in range(TOKENS + 1):
            key = tuple(sorted((*before, green)))
            seen[key] = seen.get(key, 0) + orders
    return list(seen.items())


@pytest.mark.parametrize("code", [ReedSolomon(16, 7, 2), ReedSolomon(12, 8, 3)], ids=str)
@pytest.mark.parametrize("several", [1, 2, 3])
def test_another_message_is_seldom_named(code: ReedSolomon, several: int) -> None:
    """P(another is named at a bound of at most a) <= a, of one message and of two; of three at most 2 a."""
    law = named_by(several, code)
    # Of 16 values, codewords of several others are too many to be sure of much.
    assert law[0][0] <= (1e-6 if code.values > 16 else 0.2)
    for error, below in law:
        if error < 1:
            assert below <= error * (2 if several > 2 else 1) * (1 + 1e-9)


def test_every_set_of_places_can_forbid_a_message() -> None:
    """All but one or two by their own p-value; fewer by Fisher's method; each counts as the proof says."""
    code = ReedSolomon(32, 8, 2)
    messages, every = 2.0**32 - 1, (1 << 8) - 1
    assert error_of(lambda places: 1e-14, code, messages) >= 2e-14 * messages
    for left in range(1, SUMMED[2] + 1):
        for out in combinations(range(8), left):
            chosen = every - sum(1 << n for n in out)
            error = error_of(only(chosen, 1e-12), code, messages)
            expected = messages * comb(8, left) * (2 / 65536) ** left * 2 ** (left + 1) * 1e-12
            assert error == pytest.approx(expected)
    # Three places hold everything: five others, each with a p-value of 0.1, are seldom more alike.
    error = error_of(lambda places: 0.1 if places.bit_count() == 1 and places >= 8 else 0.0, code, messages)
    assert error == pytest.approx(messages * 56 * (2 / 65536) ** 3 * 16 * fisher_tail(-5 * log(0.1), 5))
    assert error_of(lambda places: 1.0, code, messages) == 1.0
    assert error_of(lambda places: 0.0, code, messages) < 1e-20


def only(chosen: int, p: float) -> TailOf:
    """One set of places has this p-value, all others 0."""
    return lambda places: p if places == chosen else 0.0


def test_one_symbol_is_another_or_is_not() -> None:
    code = ReedSolomon(12, 1, 1)
    assert error_of(lambda places: 1e-9, code, 4095) == pytest.approx(4095e-9)
    assert error_of(lambda places: 0.5, code, 4095) == 1.0


def test_fishers_method_is_a_gamma_tail() -> None:
    for count, evidence in product((1, 2, 7, 12), (1e-9, 0.3, 5.0, 60.0, 700.0)):
        assert fisher_tail(evidence, count) == pytest.approx(float(gamma.sf(evidence, count)), rel=1e-9)
    assert (fisher_tail(0.0, 0), fisher_tail(5.0, 0), fisher_tail(float("inf"), 3)) == (1.0, 1.0, 0.0)
    # Of uniform p-values it has the probability that it says, and of those of counts at most that.
    random = np.random.default_rng(0)
    own = -np.log(random.random((20_000, 5))).sum(axis=1)
    tails = np.array([fisher_tail(float(one), 5) for one in own])
    for level in (0.3, 0.1, 0.01):
        assert abs((tails <= level).mean() - level) < 4 * (level / len(own)) ** 0.5
