"""The choice of a token under keyed noise in one pass over a row of logits, compiled by numba.

The token is the argmax over v of ``logit[v] + g(v)``, ``g = -log(-log u)``, u the uniform of the token's
32-bit number x. The noise is bounded, and most tokens are soon beaten: one wins over the best sum B so far
only where ``-log u < exp(logit - B)``, and ``1 - u <= -log u``. So each block of tokens is asked first, in
integers (SIMD code, no logarithm),

- whether its largest logit is within the largest possible noise of B (else nothing is hashed), and
- whether ``1 - u`` of its largest number is below an upper bound of ``exp(largest logit - B)``: the line
  between the powers of two of the exponential, written into the bits of a float (Schraudolph 1999).

In the few blocks that are left each token is asked alike, and what then is left, some dozens in a row, is
looked at in double precision. Of equal sums the lowest id wins.

Imported where a batch is marked on a CPU (``fused.py``), never by detection.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from stela_kernels.compiled_copy import copy
from stela_kernels.compiled_largest import largest_logit
from stela_kernels.compiled_mix import mixed_number
from stela_kernels.passes import compile_kept
from stela_kernels.philox.textseal_hash import OF_TOKEN, SHIFT, SIZE

from stela_gumbel.uniforms import LARGEST, LEAST, OWN, SGLANG, STRETCH, TEXTSEAL, VLLM

BLOCK = 128
"""Tokens asked at once; a multiple of Philox's four."""

SLOPE = 12102203.161561485
"""2**23 / log 2: what one nat adds to the bits of a float."""

OFFSET = (127 + 31) * 2.0**23 + 1
"""Bits of 2**31, and more than rounding takes off."""


u4, u8, i8 = np.uint32, np.uint64, np.int64


@compile_kept
def sglang_number(scrambled: Any, state: Any) -> Any:
    """MurmurHash3's last word and finaliser, of a scrambled token (``murmur.py``) under a row state."""
    x = u4(state ^ scrambled)
    x = u4(u4(x << u4(13)) | u4(x >> u4(19)))
    x = u4(u4(u4(x << u4(2)) + x) + u4(0xE6546B64))
    x = u4(x ^ u4(16))
    x = u4(x ^ (x >> u4(16)))
    x = u4(x * u4(0x85EBCA6B))
    x = u4(x ^ (x >> u4(13)))
    x = u4(x * u4(0xC2B2AE35))
    return u4(x ^ (x >> u4(16)))


@compile_kept
def textseal_number(v: Any, row: Any) -> Any:
    """TextSeal's h, stretched, of a token where the row's part of u is given."""
    u = i8(u8(row + u8(v) * u8(OF_TOKEN)))
    return u4(u4(u8(u ^ (u >> i8(SHIFT))) % u8(SIZE)) * u4(STRETCH))


@compile_kept
def philox_round(a: Any, b: Any, c: Any, d: Any, k: Any, m: Any) -> Any:
    """One round of Philox4x32 on words below 2**32 in uint64."""
    p, q = a * u8(0xD2511F53), c * u8(0xCD9E8D57)
    return (q >> u8(32)) ^ b ^ k, q & u8(0xFFFFFFFF), (p >> u8(32)) ^ d ^ m, p & u8(0xFFFFFFFF)


@compile_kept
def philox_four(quarter: Any, words: Any, k: Any, m: Any) -> Any:
    """Philox4x32-10 of the tokens ``4 quarter ..``: a state's words (3,), the key's of each round (10,)."""
    a, b, c, d = u8(u4(quarter)), u8(words[0]), u8(words[1]), u8(words[2])
    # Written out: the compiler then makes SIMD code of the loop over tokens around it.
    a, b, c, d = philox_round(a, b, c, d, k[0], m[0])
    a, b, c, d = philox_round(a, b, c, d, k[1], m[1])
    a, b, c, d = philox_round(a, b, c, d, k[2], m[2])
    a, b, c, d = philox_round(a, b, c, d, k[3], m[3])
    a, b, c, d = philox_round(a, b, c, d, k[4], m[4])
    a, b, c, d = philox_round(a, b, c, d, k[5], m[5])
    a, b, c, d = philox_round(a, b, c, d, k[6], m[6])
    a, b, c, d = philox_round(a, b, c, d, k[7], m[7])
    a, b, c, d = philox_round(a, b, c, d, k[8], m[8])
    a, b, c, d = philox_round(a, b, c, d, k[9], m[9])
    return u4(a), u4(b), u4(c), u4(d)


@compile_kept
def philox_keys(key: Any, growth: int) -> Any:
    """One word of the key in each of the ten rounds, as a tuple of uint64."""
    w, low = u8(growth), u8(0xFFFFFFFF)
    k0 = u8(key)
    k1 = (k0 + w) & low
    k2 = (k1 + w) & low
    k3 = (k2 + w) & low
    k4 = (k3 + w) & low
    k5 = (k4 + w) & low
    k6 = (k5 + w) & low
    k7 = (k6 + w) & low
    k8 = (k7 + w) & low
    return k0, k1, k2, k3, k4, k5, k6, k7, k8, (k8 + w) & low


@compile_kept
def largest_number(kind: int, start: int, count: int, words: Any) -> Any:
    """The largest number of ``count`` tokens from ``start`` on, and of the rest of the last four (Philox)."""
    most = u4(0)
    if kind == OWN:
        low, high = words[0], words[1]
        for j in range(count):
            x = mixed_number(start + j, low, high)
            most = x if x > most else most
    elif kind == TEXTSEAL:
        row = u8(words[1]) << u8(32) | u8(words[0])
        for j in range(count):
            x = textseal_number(start + j, row)
            most = x if x > most else most
    else:
        k, m = philox_keys(words[3], 0x9E3779B9), philox_keys(words[4], 0xBB67AE85)
        of_state = (words[0], words[1], words[2])
        first = start >> 2
        for j in range((count + 3) >> 2):
            a, b, c, d = philox_four(first + j, of_state, k, m)
            a = a if a > b else b
            c = c if c > d else d
            a = a if a > c else c
            most = a if a > most else most
    return most


@compile_kept
def largest_of_scrambled(scrambled: Any, state: Any) -> Any:
    """SGLang's largest number of scrambled tokens (n,)."""
    most = u4(0)
    for j in range(len(scrambled)):
        x = sglang_number(scrambled[j], state)
        most = x if x > most else most
    return most


@compile_kept
def fill_scrambled(scrambled: Any, state: Any, numbers: Any) -> None:
    """SGLang's numbers of scrambled tokens (n,), to numbers (BLOCK,)."""
    for j in range(len(scrambled)):
        numbers[j] = sglang_number(scrambled[j], state)


@compile_kept
def fill(kind: int, start: int, count: int, words: Any, numbers: Any, planes: Any) -> None:
    """The numbers of tokens from ``start`` on, to numbers (BLOCK,); planes (4, BLOCK / 4) is scratch."""
    if kind == OWN:
        low, high = words[0], words[1]
        for j in range(count):
            numbers[j] = mixed_number(start + j, low, high)
    elif kind == TEXTSEAL:
        row = u8(words[1]) << u8(32) | u8(words[0])
        for j in range(count):
            numbers[j] = textseal_number(start + j, row)
    else:
        k, m = philox_keys(words[3], 0x9E3779B9), philox_keys(words[4], 0xBB67AE85)
        of_state = (words[0], words[1], words[2])
        first = start >> 2
        p0, p1, p2, p3 = planes[0], planes[1], planes[2], planes[3]
        # In two loops: both are SIMD code then.
        for j in range((count + 3) >> 2):
            p0[j], p1[j], p2[j], p3[j] = philox_four(first + j, of_state, k, m)
        for j in range((count + 3) >> 2):
            numbers[4 * j] = p0[j]
            numbers[4 * j + 1] = p1[j]
            numbers[4 * j + 2] = p2[j]
            numbers[4 * j + 3] = p3[j]


@compile_kept
def noise(kind: int, x: Any) -> float:
    """``-log(-log u)`` of a number's uniform."""
    if kind == VLLM:
        u = float(np.float32((float(x >> u4(8)) + 1.0) / 16777217.0))
    elif kind == TEXTSEAL:
        u = max(float(x // u4(STRETCH)) / SIZE, LEAST)
    else:
        u = (float(x) + 0.5) / 4294967296.0
    return -math.log(-math.log(u))


@compile_kept
def least_number(logit: Any, best: float, scratch: Any) -> Any:
    """A number below which a token of this logit surely loses to the best sum; scratch (1,) is int32."""
    d = logit - best
    if not d < -1e-3:  # certain to be looked at, as what is not a number
        return u4(0)
    scratch[0] = np.int32(max(-60.0, d) * SLOPE + OFFSET)
    return u4(~u4(2 * np.int64(scratch.view(np.float32)[0]) + 3))


@compile_kept
def chosen_of_row(
    kind: int, logits: Any, out: Any, words: Any, scrambled: Any, numbers: Any, planes: Any, scratch: Any
) -> int:
    """The token of one row of logits (n,), or -1 where none is above -inf; ``out`` (n,) becomes -inf.

    ``words`` are the row's; ``scrambled`` (n,) the tokens' (SGLang), else empty. ``numbers`` (BLOCK,) and
    ``planes`` (4, BLOCK / 4), uint32, and ``scratch`` (1,), int32, are written to.
    """
    size = logits.shape[0]
    bits = logits.view(np.int32)
    best, token = -np.inf, -1
    for start in range(0, size, BLOCK):
        count = min(BLOCK, size - start)
        out[start : start + count] = -np.inf  # here, while memory would wait for the arithmetic
        scratch[0] = largest_logit(bits[start : start + count])
        most = scratch.view(np.float32)[0]
        if most + LARGEST <= best:
            continue
        least = least_number(most, best, scratch)
        if kind == SGLANG:
            own = scrambled[start : start + count]
            if largest_of_scrambled(own, words[0]) < least:
                continue
            fill_scrambled(own, words[0], numbers)
        else:
            if largest_number(kind, start, count, words) < least:
                continue
            fill(kind, start, count, words, numbers, planes)
        for j in range(count):
            if numbers[j] >= least:
                logit = logits[start + j]
                if numbers[j] >= least_number(logit, best, scratch):
                    value = logit + noise(kind, numbers[j])
                    if value > best:
                        best, token = value, start + j
    return token


def mark_rows(kind: int, scores: Any, out: Any, words: Any, scrambled: Any, vocab_size: int) -> None:
    """Rows (n, width) of float32 logits to ``out``: 0 at the chosen id below ``vocab_size``, -inf elsewhere.

    ``scrambled`` (vocab_size,) is what MurmurHash3 makes of each token before a row has to do with it
    (SGLang), else empty. A row without a choice is copied.
    """
    numbers = np.empty(BLOCK, dtype=np.uint32)
    planes = np.empty((4, BLOCK // 4), dtype=np.uint32)
    scratch = np.empty(1, dtype=np.int32)
    for row in range(scores.shape[0]):
        logits, target = scores[row, :vocab_size], out[row, :vocab_size]
        token = chosen_of_row(kind, logits, target, words[row], scrambled, numbers, planes, scratch)
        if token < 0:
            copy(scores[row], out[row])
        else:
            out[row, vocab_size:] = -np.inf
            out[row, token] = 0


mark_rows = compile_kept(mark_rows, "void(i8, f4[:,::1], f4[:,::1], u4[:,::1], u4[::1], i8)")
