"""The codeword whose symbols score most: exactly for two digits, from lists for four.

*Two digits* (k = 2). The places form pairs; the symbols of one pair give all others. Pairs of symbols are
walked from the best down, at all pairs of places at once. Where each has come down to a sum t, a codeword
that was not seen has less than t in each, so less than all t together: the walk ends where that is no
more than the best one has. It ends before where more than :class:`Effort` would be walked.

*Four digits* (k = 4). Any six symbols of a codeword fulfil two equations over the field (of the dual
code), so two triples of symbols at six places belong to one codeword only where their parities are equal,
two symbols each. The triples are listed whose ranks (1 is the best symbol of a place) have a product of
at most :data:`MOST_RANKS`; those of equal parity are looked up in a table. This is done for many choices
of six places. A codeword is missed where in each of them one of its triples is not listed.

Nothing that is said of errors rests on the best one being found: a bound holds for all codewords at once.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stela_core.api import mix
from stela_payload.field import field
from stela_payload.reed_solomon import ReedSolomon, factors_of

STEPS = 8
"""Steps in which pairs are walked: the best of one shortens the next."""

MOST_RANKS = 4096
"""Product of the ranks of a triple."""

MARKS = 21
"""Bits of a parity by which triples are looked up first."""


class Effort(NamedTuple):
    """How long a list may be."""

    pairs: int
    """Pairs of symbols that are walked in one step, where k is 2."""
    splits: int
    """Choices of six places, where k is 4."""


WHOLE = Effort(1 << 22, 32)
"""Effort for a text."""

PART = Effort(1 << 18, 4)
"""Effort for one of the many parts of a text."""

Scores = npt.NDArray[np.float32]


def best_codeword(scores: Scores, code: ReedSolomon, effort: Effort = WHOLE) -> int:
    """The number whose codeword's scores, (n, values), sum to most; of equal ones one of them."""
    if code.k == 1:
        return int(scores[0].argmax())
    return (_best_of_pairs if code.k == 2 else _best_of_triples)(scores, code, effort)


class _Walk(NamedTuple):
    """Pairs of symbols at two places."""

    places: tuple[int, int]
    values: tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]
    """Symbols at each place, from the best down."""
    passes: tuple[Any, ...]
    """What ``compiled_decoding.walk_pairs`` is given."""


def _best_of_pairs(scores: Scores, code: ReedSolomon, effort: Effort) -> int:
    from stela_payload.compiled_decoding import pairs_above, walk_pairs

    tops = scores.max(axis=1).astype(np.float64)
    pairs = [(n, n + 1) for n in range(0, code.n - 1, 2)]
    starts = [code.number_of(pair, [int(scores[n].argmax()) for n in pair]) for pair in pairs]
    numbers = np.array(starts, dtype=np.uint64)
    totals = totals_of(scores, code.symbols_of(numbers))
    best, number = float(totals.max()), int(numbers[totals.argmax()])
    walks = [_walk(scores, code, pair, (tops.sum() - best) / len(pairs), tops) for pair in pairs]
    for step in range(1, STEPS + 1):
        room = (tops.sum() - best) / len(pairs) * step / STEPS
        least = [tops[i] + tops[j] - room for i, j in pairs]
        if sum(pairs_above(*w.passes[:2], t) for w, t in zip(walks, least, strict=True)) > effort.pairs:
            break
        for walk, t in zip(walks, least, strict=True):
            best, one, other = walk_pairs(*walk.passes, t, best)
            if one >= 0:
                symbols = int(walk.values[0][one]), int(walk.values[1][other])
                number = code.number_of(walk.places, symbols)
    return number


def _walk(
    scores: Scores, code: ReedSolomon, pair: tuple[int, int], room: float, tops: npt.NDArray[np.float64]
) -> _Walk:
    others = tuple(n for n in range(code.n) if n not in pair)
    own, factors = field(code.symbol_bits), factors_of(code, pair, others)
    values, given = [], []
    for at, place in enumerate(pair):
        sorted_ = sorted_values(scores[place], tops[place] - room)
        values.append(sorted_)
        given.append(own.product(sorted_[:, None], factors[None, :, at]))
    one, other = (scores[place][v].astype(np.float64) for place, v in zip(pair, values, strict=True))
    most = np.append(np.cumsum(tops[list(others)][::-1])[::-1], 0.0)
    ends = np.zeros(len(one), dtype=np.int64)
    return _Walk(pair, (values[0], values[1]), (one, other, *given, scores[list(others)], most, ends))


def sorted_values(scores: npt.NDArray[np.float32], least: float) -> npt.NDArray[np.intp]:
    """The values that score at least so much, from the best down; of equal ones the smaller first."""
    chosen = np.flatnonzero(scores >= least)
    return chosen[np.argsort(-scores[chosen], kind="stable")]


def totals_of(scores: Scores, symbols: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
    """The sum of the scores of each codeword's symbols, (n, c) -> (c,)."""
    totals = np.zeros(symbols.shape[1], dtype=np.float64)
    for own, values in zip(scores, symbols, strict=True):
        totals += own[values]
    return totals


def _best_of_triples(scores: Scores, code: ReedSolomon, effort: Effort) -> int:
    from stela_payload.compiled_decoding import equal_parities

    own, most = field(code.symbol_bits), min(MOST_RANKS, code.values)
    ranks, values = listed_ranks(most), np.stack([best_values(row, most) for row in scores])
    seen, also = (np.empty(1 << MARKS - 3, dtype=np.uint8) for _ in range(2))
    best, number = -np.inf, 0
    for places in splits(code.n, effort.splits):
        parities, symbols = _parities(code, places), values[list(places[:6])]
        keys = own.product(parities[:, :1], symbols).astype(np.uint32) << np.uint32(code.symbol_bits)
        keys |= own.product(parities[:, 1:], symbols)
        ours, theirs = equal_parities(ranks, keys[:3], keys[3:], seen, also)
        given = [symbols[i, ranks[ours, i]] for i in range(3)] + [symbols[3, ranks[theirs, 0]]]
        totals = sum(
            scores[place][symbol].astype(np.float64) for place, symbol in zip(places, given, strict=False)
        )
        for place, factors in zip(places[4:], factors_of(code, places[:4], places[4:]), strict=True):
            symbol = np.bitwise_xor.reduce(own.product(factors[:, None], given))
            totals += scores[place][symbol]
        if len(totals) and totals.max() > best:
            best = float(totals.max())
            number = code.number_of(places[:4], [int(one[totals.argmax()]) for one in given])
    return number


def best_values(scores: npt.NDArray[np.float32], count: int) -> npt.NDArray[np.intp]:
    """The ``count`` values that score most, from the best down; of equal ones the smaller first."""
    return sorted_values(scores, np.partition(scores, len(scores) - count)[len(scores) - count])[:count]


@lru_cache(maxsize=8)
def listed_ranks(most: int) -> npt.NDArray[np.uint16]:
    """Ranks of three symbols, from 0, whose product, counted from 1, is at most so much, (t, 3)."""
    listed = [
        (i, j, other)
        for i in range(most)
        for j in range(most // (i + 1))
        for other in range(most // ((i + 1) * (j + 1)))
    ]
    return np.array(listed, dtype=np.uint16)


@lru_cache(maxsize=8)
def splits(n: int, count: int) -> tuple[tuple[int, ...], ...]:
    """All places in some orders: two triples, which are joined, and the rest; as arbitrary as ``mix`` is."""
    chosen, places = list[tuple[int, ...]](), np.arange(n)
    for number in range(count):
        order = np.argsort(mix(np.full(n, number, dtype=np.uint64), places), kind="stable").tolist()
        chosen += [(*order[i : i + 6], *order[:i], *order[i + 6 :]) for i in range(0, n - 5, 6)]
    return tuple(chosen[:count])


@lru_cache(maxsize=256)
def _parities(code: ReedSolomon, places: tuple[int, ...]) -> npt.NDArray[np.uint16]:
    """What symbols at the first six places are times in two sums that are 0 for each codeword, (6, 2).

    The dual of a Reed-Solomon code is one but for a factor at each place (MacWilliams and Sloane, chapter
    10).
    """
    own, made = field(code.symbol_bits), []
    for place in places[:6]:
        product = 1
        for other in places[:6]:
            product = int(own.product(product, place ^ other)) if other != place else product
        scale = own.inverse(product)
        made.append((scale, int(own.product(scale, place))))
    return np.array(made, dtype=np.uint16)
