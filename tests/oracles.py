"""Slow and plain versions of what the fast code does: the expectation in tests."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import exp, log, sqrt

import numpy as np
from stela_testing.colours import green_reference as green_reference
from stela_testing.colours import mix_reference as mix_reference
from stela_testing.texts import text_of

from stela_core.interfaces import Context, GreenList, Tagger
from stela_core.text.token_bytes import TokenBytes
from stela_core.text.windows import window_of


def contexts_of(ids: Sequence[int], tagger: Tagger, k: int, window: int, tokens: TokenBytes) -> list[Context]:
    """Context before each token, by tagging the window of each prefix on its own (invariant 1)."""
    contexts: list[Context] = []
    for t in range(len(ids)):
        text = window_of(text_of(ids[:t], tokens), window, tagger.unit)
        tags = tuple(tag.tag for tag in tagger.tag([text])[0])
        contexts.append(tags[max(0, len(tags) - (k - 1)) :] if k > 1 else ())
    return contexts


def marked_row(
    ids: Sequence[int],
    scores: Sequence[float],
    hasher: GreenList,
    weight: float | None,
    scale: float,
    vocab_size: int,
) -> list[float]:
    """One row of logits after a step, token by token, in float32.

    Args:
        ids: generated so far, prompt left out.
        scores: the row's logits.
        hasher: the hasher, with its key.
        weight: strength weight, or ``None`` for a row that is not marked.
        scale: bias where the weight is 1 (nats).
        vocab_size: ids from here on are never green.
    """
    if weight is None:
        return [float(np.float32(score)) for score in scores]
    context = np.array([list(ids)[len(ids) - hasher.context_width :]], dtype=np.int64)
    seed = hasher.seeds(context.reshape(1, hasher.context_width))
    green = [bool(hasher.green(seed, np.array([token]))[0]) for token in range(vocab_size)]
    bias = np.float32(weight * scale)
    return [
        float(np.float32(score) + (bias if token < vocab_size and green[token] else np.float32(0)))
        for token, score in enumerate(scores)
    ]


def plain_z(green: Sequence[bool], weights: Sequence[float], gamma: float) -> float:
    """Z' of Park et al. (DESIGN, section 1), summed one by one; 0 where the variance is 0."""
    observed = sum(w for g, w in zip(green, weights, strict=True) if g)
    variance = gamma * (1 - gamma) * sum(w * w for w in weights)
    return (observed - gamma * sum(weights)) / sqrt(variance) if variance else 0.0


def grouped_z(
    green: Sequence[bool],
    weights: Sequence[float],
    pairs: Sequence[object],
    gamma: float,
    exponent: float = 0.25,
) -> float:
    """Z of the groups, each one coin: the n tokens of a pair count their mean weight times n**exponent."""
    own: dict[object, list[float]] = {}
    colour: dict[object, bool] = {}
    for g, w, pair in zip(green, weights, pairs, strict=True):
        own.setdefault(pair, []).append(w)
        colour[pair] = g
    stakes = [sum(of_pair) / len(of_pair) * len(of_pair) ** exponent for of_pair in own.values()]
    return plain_z([colour[pair] for pair in own], stakes, gamma)


def tail_by_enumeration(weights: Sequence[float], observed: float, gamma: float) -> float:
    """P(sum w B >= observed) over all 2^n colourings."""
    tail = 0.0
    for coins in product((0, 1), repeat=len(weights)):
        if sum(w for w, coin in zip(weights, coins, strict=True) if coin) >= observed - 1e-12:
            heads = sum(coins)
            tail += gamma**heads * (1 - gamma) ** (len(weights) - heads)
    return tail


def split_tail_by_enumeration(green: Sequence[bool], weights: Sequence[float], gamma: float) -> float:
    """P of the colourings that are no less green than this one, of whole weights, over all 2^n.

    One is greener if its sum is larger, or if the sums are equal and, of the most common weight above 0 (the
    smallest of several), it comes first among the arrangements of as many green coins. Of colourings whose
    sums are equal and which have other numbers of green coins of that weight, the same share is counted.
    """
    coins = [(w, g) for w, g in zip(weights, green, strict=True) if w > 0]
    if not any(g for _, g in coins):
        return 1.0
    values = [w for w, _ in coins]
    common = min(set(values), key=lambda value: (-values.count(value), value))
    mine = [g for w, g in coins if w == common]
    alike = [c for c in product((False, True), repeat=len(mine)) if sum(c) == sum(mine)]
    share = sum(c >= tuple(mine) for c in alike) / len(alike)
    observed = sum(w for w, g in coins if g)
    above = tail_by_enumeration(values, observed + 1, gamma)
    return above + share * (tail_by_enumeration(values, observed, gamma) - above)


def softmax(scores: Sequence[float]) -> list[float]:
    """Probabilities of one row of logits."""
    top = max(scores)
    shares = [exp(score - top) for score in scores]
    total = sum(shares)
    return [share / total for share in shares]


def shannon_entropy(p: Sequence[float]) -> float:
    """In nats."""
    return -sum(x * log(x) for x in p if x > 0)


def spike_entropy(p: Sequence[float], modulus: float) -> float:
    """Kirchenbauer et al. 2023, definition 4.1."""
    return sum(x / (1 + modulus * x) for x in p)


def kgw(scores: Sequence[float], green: Sequence[bool], delta: float) -> list[float]:
    """Probabilities after KGW's bias (Kirchenbauer et al. 2023, algorithm 2); Unigram's and EWD's too."""
    return softmax([score + delta * g for score, g in zip(scores, green, strict=True)])


def sweet(scores: Sequence[float], green: Sequence[bool], delta: float, threshold: float) -> list[float]:
    """Probabilities after SWEET's bias (Lee et al. 2024)."""
    marked = shannon_entropy(softmax(scores)) > threshold
    return kgw(scores, green, delta if marked else 0.0)


def morphmark(scores: Sequence[float], green: Sequence[bool], k: float, p0: float) -> list[float]:
    """Probabilities after MorphMark's transfer, exponential form (Wang et al. 2025).

    Red tokens give the share r of their probability, green ones get it in proportion to theirs.
    """
    p = softmax(scores)
    mass = sum(x for x, g in zip(p, green, strict=True) if g)
    r = 0.0 if mass < p0 else min(1.0, exp(k * mass) - 1)
    moved = r * (1 - mass)
    return [x + moved * x / mass if g else x * (1 - r) for x, g in zip(p, green, strict=True)]


def sweet_weights(rows: Sequence[Sequence[float]], threshold: float) -> list[float]:
    """SWEET's evidence from the logits before each scored token."""
    return [float(shannon_entropy(softmax(row)) > threshold) for row in rows]


def ewd_weights(rows: Sequence[Sequence[float]], gamma: float, delta: float) -> list[float]:
    """EWD's evidence from the logits before each scored token (Lu et al. 2024)."""
    alpha = exp(delta)
    modulus = (1 - gamma) * (alpha - 1) / (1 - gamma + alpha * gamma)
    entropies = [spike_entropy(softmax(row), modulus) for row in rows]
    return [entropy - min(entropies) for entropy in entropies]
