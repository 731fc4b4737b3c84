"""Slow and plain versions of what the fast code does: the expectation in tests."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import sqrt

from stela_core.interfaces import Context, Tagger
from stela_core.text.prefix import text_of
from stela_core.text.token_bytes import TokenBytes
from stela_core.text.windows import window_of


def contexts_of(ids: Sequence[int], tagger: Tagger, k: int, window: int, tokens: TokenBytes) -> list[Context]:
    """Context before each token, by tagging the window of each prefix on its own (invariant 1)."""
    found: list[Context] = []
    for t in range(len(ids)):
        text = window_of(text_of(ids[:t], tokens), window, tagger.unit)
        tags = tuple(tag.tag for tag in tagger.tag([text])[0])
        found.append(tags[max(0, len(tags) - (k - 1)) :] if k > 1 else ())
    return found


def plain_z(green: Sequence[bool], weights: Sequence[float], gamma: float) -> float:
    """Z' of Park et al. (DESIGN, section 1), summed one by one; 0 where the variance is 0."""
    observed = sum(w for g, w in zip(green, weights, strict=True) if g)
    variance = gamma * (1 - gamma) * sum(w * w for w in weights)
    return (observed - gamma * sum(weights)) / sqrt(variance) if variance else 0.0


def grouped_z(
    green: Sequence[bool], weights: Sequence[float], pairs: Sequence[object], gamma: float
) -> float:
    """Z of the groups: weights of equal pairs are added, each group is one coin."""
    total: dict[object, float] = {}
    colour: dict[object, bool] = {}
    for g, w, pair in zip(green, weights, pairs, strict=True):
        total[pair] = total.get(pair, 0.0) + w
        colour[pair] = g
    return plain_z([colour[pair] for pair in total], list(total.values()), gamma)


def tail_by_enumeration(weights: Sequence[float], observed: float, gamma: float) -> float:
    """P(sum w B >= observed) over all 2^n colourings."""
    tail = 0.0
    for coins in product((0, 1), repeat=len(weights)):
        if sum(w for w, coin in zip(weights, coins, strict=True) if coin) >= observed - 1e-12:
            heads = sum(coins)
            tail += gamma**heads * (1 - gamma) ** (len(weights) - heads)
    return tail
