"""Which tokens of a text TextSeal scores, and which its hash draws too much alike to be scored by us.

Every draw is one function of u plus a token's distance (``textseal_hash.py``). Distances of a human text are
as good as random. P-values then hold: of 18 million pairs of text (200 tokens, three languages) and random
key, p was <= a in 0.82 to 1.05 times the share a, for a from 0.1 to 1e-5, and in 1.06 times 1e-6. Where
distances are multiples of one step, as of ids that count up, draws run through their function as the hands of
a clock: with contexts of four ids, a list of 3,000 had p <= 1e-4 fifty times too often. So a token is left
out whose distance from one of the tokens just before it is a distance that came earlier. No key and no draw
has a say in that. Of human text it leaves out 0.2 % of 200 tokens and 1.6 % of 2,000 (contexts of one id; of
more, 0.1 %).

Whoever looks for ids that suit the hash can make a text whose p is small under many keys, and need know none.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from stela_kernels.philox.textseal_hash import OF_TOKEN, Numbers, Words

LAGS = 8
"""Tokens before, distances to which are looked at."""


def scored_positions(ids: Numbers, width: int, scoring: str) -> npt.NDArray[np.intp]:
    """Positions that TextSeal scores: from ``width + 1`` on; ``v1``: each context once, ``v2``: each pair."""
    positions = np.arange(width + 1, len(ids))
    if scoring == "none" or not len(positions):
        return positions
    grams = ids[positions[:, None] + np.arange(-width, 0 if scoring == "v1" else 1)]
    return positions[np.sort(np.unique(grams, axis=0, return_index=True)[1])]


def free_of_steps(sums: Words) -> npt.NDArray[np.bool_]:
    """Which tokens are kept, (n,), of the sums of their context and token, (n,), in the order of the text.

    A repeat of a token is kept with it: the two are one draw.
    """
    firsts, places = np.unique(sums, return_index=True, return_inverse=True)[1:]
    order = np.argsort(firsts)
    ordered = sums[firsts[order]]
    count = len(ordered)
    steps = np.zeros((count, LAGS), dtype=np.uint64)
    known = np.zeros((count, LAGS), dtype=np.bool_)
    for lag in range(1, min(LAGS, count - 1) + 1):
        apart = ordered[lag:] - ordered[:-lag]
        # A distance and its negative are one: correlation does not know which came first.
        steps[lag:, lag - 1], known[lag:, lag - 1] = np.minimum(apart, -apart), True
    owner = np.nonzero(known)[0]
    _, first, of_value = np.unique(steps[known], return_index=True, return_inverse=True)
    free = np.ones(count, dtype=np.bool_)
    free[owner[owner > owner[first][of_value]]] = False
    kept = np.empty(count, dtype=np.bool_)
    kept[order] = free
    return np.asarray(kept[places])


def free_of_shared_bits(sums: Words, depth: int, stride: int) -> npt.NDArray[np.bool_]:
    """Which tokens are kept, (n,), where a token has bits of ``depth`` ids, from its own on by ``stride``.

    Under one context tokens share bits if their ids are less than ``depth`` strides apart. Of those the
    text's first is kept.

    Args:
        sums: of context and token, (n,).
        depth: bits of a token.
        stride: odd.
    """
    to_strides = np.uint64(pow(OF_TOKEN * stride, -1, 1 << 64))
    places, firsts, of_sum = np.unique(sums * to_strides, return_index=True, return_inverse=True)
    count, shared = len(places), np.zeros(len(places), dtype=np.bool_)
    for lag in range(1, min(depth, count)):
        # Around the circle: ids wrap as u does.
        near = np.flatnonzero(np.roll(places, -lag) - places < np.uint64(depth))
        if not len(near):
            break
        other = (near + lag) % count
        shared[np.where(firsts[near] > firsts[other], near, other)] = True
    return np.asarray(~shared[of_sum])
