"""SGLang's hash: contexts, tokens and the coin between two keys to 32 bits, through MurmurHash3 of words.

Read in SGLang 0.5.23, ``sglang/srt/sampling/watermarking/detector.py``. With H the hash of ``murmur.py``::

    context_hash = H(ids of the context, oldest first)
    token_hash   = H(key_lo, key_hi, context_hash, token);  u = (token_hash + 1/2) / 2**32
    coin         = H(a_lo, a_hi, b_lo, b_hi, context_hash);  key A if coin < floor(P 2**32), else key B

The key enters through one state of 32 bits, so that there are 2**32 marks, not 2**64: whoever has marked text
can try them all.
"""

from __future__ import annotations

from functools import lru_cache, reduce

import numpy as np
import numpy.typing as npt

from stela_gumbel.murmur import Words, finished, hash_words, joined, mixed, scrambled, word

BITS = 32
"""Bits of a token's number."""

NONE = -1
"""What stands in a context for ids that are not there: a prompt may be shorter than the context."""


def context_hashes(contexts: npt.NDArray[np.int64]) -> Words:
    """Hashes (n,) of contexts (n, width), oldest id first; leading :data:`NONE` are left out."""
    states = np.zeros(len(contexts), dtype=np.uint32)
    there = contexts != NONE
    if there.all():  # almost always, and in less than half the time
        return finished(reduce(joined, scrambled(contexts.astype(np.uint32)).T, states), contexts.shape[1])
    for ids, given in zip(contexts.T, there.T, strict=True):
        states = np.where(given, mixed(states, ids.astype(np.uint32)), states)
    return finished(states, there.sum(axis=1).astype(np.uint32))


@lru_cache(maxsize=64)
def key_state(key: int) -> Words:
    """The state after the two words of a key, (1,): all that a key is."""
    return mixed(mixed(word(0), word(key)), word(key >> 32))


def row_states(key: int, contexts: Words) -> Words:
    """The states (n,) from which only the token is missing, of context hashes (n,)."""
    return mixed(key_state(key), contexts)


def numbers(states: Words, tokens: npt.NDArray[np.int64]) -> Words:
    """Token hashes (n,) of tokens (n,) under row states (n,)."""
    return finished(mixed(states, tokens.astype(np.uint32)), 4)


def coins(key_a: int, key_b: int, contexts: Words) -> Words:
    """The coin of each context hash, (n,) -> (n,)."""
    return hash_words([word(key_a), word(key_a >> 32), word(key_b), word(key_b >> 32), contexts])


def takes_a(key_a: int, key_b: int, contexts: Words, mixing_probability: float) -> npt.NDArray[np.bool_]:
    """Whether key A marks a context, of context hashes (n,): (n,)."""
    below: npt.NDArray[np.bool_] = coins(key_a, key_b, contexts) < np.uint64(int(mixing_probability * 2**32))
    return below
