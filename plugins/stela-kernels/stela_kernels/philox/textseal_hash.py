"""TextSeal's hash: context, token and key to one of 8,191 numbers, linear before its last step.

Read in the package textseal 0.0.5, ``textseal/common/watermark/pseudorandom.py``; main (046cec45d186) has the
same. In integers of 64 bits that wrap, over a context w of k ids, oldest first, and a token x::

    u = (sum p_i w_i + 100000007 x + 500001713 key) * 15485863 * 40499;  v = u ^ (u >> 13), shifting the sign
    h = v mod 8191;  their uniform is float32(h) / float32(8191)

What that means. Under a random key of 64 bits u is uniform, for any context and token. u and -1 - u have one
v, and v takes each value of 63 bits for two u: the number of v with h >= j, over 2**63, is at most 1 - j /
8191. So a single draw -log(1 - h / 8191) is exactly an exponential, rounded down. Several draws are the same
function of u plus known distances, and 8191 = 2**13 - 1: h is the sum of u's digits of 13 bits, each xored
with the next. Draws therefore depend on one another, weakly: over random keys two of them correlate by about
0.02, either way (``textseal_tokens.py`` says which are left out).
"""

from __future__ import annotations

from functools import lru_cache
from math import log

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]

SIZE = 8191
"""The number of values of the hash, 2**13 - 1."""

PRIMES = (10000019, 10000247, 10000439, 10000643, 10000747, 10000867, 10000993, 10001213, 10001357, 10001501)
"""The factor of each of a context's ids, oldest first."""

_WORD = (1 << 64) - 1
_MULTIPLIER = 15485863 * 40499
OF_TOKEN = 100000007 * _MULTIPLIER & _WORD
"""What u grows by from id to id."""

_OF_KEY = 500001713 * _MULTIPLIER & _WORD
_OF_CONTEXT = np.array([prime * _MULTIPLIER & _WORD for prime in PRIMES], dtype=np.uint64)

SHIFT = 13

LOG_KEYS = 64 * log(2)
"""Logarithm of the number of keys. The hash is nearly linear in the key, so that one can be fitted to a text
step by step: 400 steps reach p = 1e-4, where 400 keys drawn at random reach 2e-3."""

CHOSEN = "this mark's key can be fitted to a text step by step"
"""What a caveat says of that (:attr:`stela_core.Hasher.chosen`)."""

DRAWS = -np.log1p(np.arange(SIZE) / -float(SIZE)) * (1 - 2.0**-50)
"""``-log(1 - h / 8191)`` of each h, rounded down, (8191,)."""

_TRIED = 1 << 18
"""Keys by which two draws are compared."""


def green_numbers(gamma: float) -> int:
    """How many h are green: those whose uniform is below gamma, both in float32 (``prf_binary``)."""
    uniforms = np.arange(SIZE, dtype=np.float32) / np.float32(SIZE)
    return int(np.count_nonzero(uniforms < np.float32(gamma)))


def green_share(limit: int) -> float:
    """An upper bound, over random u, of P(h < limit): limit / 8191, and less than 1e-15 more."""
    return min(1.0, limit / SIZE * (1 + 2.0**-50))


def context_sums(contexts: Numbers) -> Words:
    """The part of u that contexts (n, k) give, (n,): no key is in it."""
    return np.asarray(
        (contexts.astype(np.uint64) * _OF_CONTEXT[: contexts.shape[1]]).sum(axis=1, dtype=np.uint64)
    )


def pair_sums(sums: Words, tokens: Numbers) -> Words:
    """The part of u that context and token give, (n,): equal ones are one draw, under any key."""
    return sums + tokens.astype(np.uint64) * np.uint64(OF_TOKEN)


def key_part(key: int) -> np.uint64:
    """The part of u that a key gives; negative keys as their 64 bits."""
    return np.uint64(key * _OF_KEY & _WORD)


def hashes(u: Words) -> Numbers:
    """The hash h of u, any shape: 0 to 8190."""
    signed = u.view(np.int64)
    # Never negative: the sign is xored with itself.
    return np.asarray((signed ^ signed >> np.int64(SHIFT)) % np.int64(SIZE))


@lru_cache(maxsize=64)
def dependence(apart: int) -> float:
    """Correlation, over random u, of the draws of u and of u + ``apart``: to about 0.002."""
    u = np.random.default_rng(13).integers(0, 1 << 64, _TRIED, dtype=np.uint64)
    one, other = DRAWS[hashes(u)], DRAWS[hashes(u + np.uint64(apart & _WORD))]
    return float(np.corrcoef(one, other)[0, 1])


def keys_dependence(key_a: int, key_b: int) -> float:
    """The same of one token's draws under two keys: it is one number for all tokens."""
    return dependence((key_b - key_a) * _OF_KEY & _WORD)
