"""What a row's choice is made of: the words of its seed, a token's 32-bit number, its uniform. In numpy.

======== =================================== =======================================
whose    words of a row                      uniform of a number x
======== =================================== =======================================
OWN      low and high half of the seed       (x + 1/2) / 2**32
VLLM     s0, s1, s2, k0 ^ s3, k1 ^ domain    float32((x >> 8) + 1) / (2**24 + 1)
SGLANG   the state before the token          (x + 1/2) / 2**32
TEXTSEAL low and high half of u without the  h / 8191 of h = x // 524353; 1e-30, as
         token                               theirs, of h = 0
======== =================================== =======================================
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from stela_kernels.philox import textseal_hash
from stela_kernels.philox.philox import philox4x32

from stela_core.api import mix
from stela_gumbel import sglang_hash, vllm_hash

OWN, VLLM, SGLANG, TEXTSEAL = 0, 1, 2, 3
"""Hashes, by their files: ``own.py``, ``vllm_hash.py``, ``sglang_hash.py``, ``textseal_hash.py``."""

STRETCH = 524353
"""TextSeal's h as a number of 32 bits is h times this: ``x / 2**32`` is then at least its uniform."""

LEAST = 1e-30
"""TextSeal's uniform where h is 0."""

LARGEST = 22.88
"""A bound above the largest noise, ``-log(-log(1 - 2**-33))``, which is 22.874."""


def numbers(
    kind: int, words: npt.NDArray[np.uint32], tokens: npt.NDArray[np.int64]
) -> npt.NDArray[np.uint32]:
    """The 32-bit numbers (n,), uint32, of tokens (n,) under one row's words."""
    if kind == OWN:
        return mix(np.uint64(int(words[1]) << 32 | int(words[0])), tokens)
    if kind == SGLANG:
        return sglang_hash.numbers(words, tokens)
    if kind == TEXTSEAL:
        row = np.array([int(words[1]) << 32 | int(words[0])], dtype=np.uint64)
        h = textseal_hash.hashes(textseal_hash.pair_sums(row, tokens))
        return (h * STRETCH).astype(np.uint32)
    counters = np.empty((4, len(tokens)), dtype=np.uint64)
    counters[0] = tokens >> 2
    counters[1:] = words[:3, None]
    out = philox4x32(counters, words[3:, None].astype(np.uint64))
    own: npt.NDArray[np.uint32] = out[tokens & 3, np.arange(len(tokens))].astype(np.uint32)
    return own


def uniforms(kind: int, numbers: npt.NDArray[np.uint32]) -> npt.NDArray[np.float64]:
    """The uniforms, in (0, 1); shaped like the numbers."""
    if kind == VLLM:
        return vllm_hash.uniforms(numbers >> np.uint32(8)).astype(np.float64)
    if kind == TEXTSEAL:
        return np.maximum(numbers // np.uint32(STRETCH) / float(textseal_hash.SIZE), LEAST)
    return (numbers.astype(np.float64) + 0.5) / 2.0**32


def mark_array(
    kind: int, scores: npt.NDArray[Any], words: npt.NDArray[np.uint32], vocab_size: int
) -> npt.NDArray[Any]:
    """``fused.mark_array`` in numpy operations, in double precision: any floating-point type, no numba.

    Noise is made for the likeliest token, and for those that the largest noise would lift as high.
    """
    out = np.full_like(scores, -np.inf)
    for row, own in enumerate(words):
        logits = scores[row, :vocab_size]
        most = float(np.fmax.reduce(logits, initial=-np.inf))  # of what is a number
        if most == -np.inf:
            out[row] = scores[row]
            continue
        likeliest = np.argmax(logits == most)
        [least] = noisy(kind, own, logits, np.array([likeliest]))
        # An array of one number: by a scalar, older numpy compares in 16 bits.
        near = np.flatnonzero(logits >= np.array([least - LARGEST]))
        out[row, near[np.argmax(noisy(kind, own, logits, near))]] = 0
    return out


def noisy(
    kind: int, words: npt.NDArray[np.uint32], logits: npt.NDArray[Any], tokens: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Logit and noise of some tokens (n,) of a row, (n,)."""
    u = uniforms(kind, numbers(kind, words, tokens))
    return np.asarray(logits[tokens].astype(np.float64) - np.log(-np.log(u)))
