"""vLLM's bits of a context and a token: 32 a token and block of layers (``stela_kernels/philox/vllm.py``).

Read in vLLM's ``vllm/v1/watermarking/synthid.py`` (commit 373305d65c78), before a release. An earlier one
(0265d6bd674c) had no stream: its bits are others. Layer l is bit ``l % 32`` of the word of stream
``STREAM + l // 32``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from stela_kernels.philox import vllm

Words = npt.NDArray[np.uint64]

STREAM = 0x53594E54 << 32
"""The stream that keeps these words apart from those of vLLM's Gumbel marks under the same key."""

BITS = 32
"""Bits of a word."""


def words(key: int, seeds: Words, tokens: npt.NDArray[np.int64], depth: int) -> Words:
    """The bits of tokens (n,) under states (n, 2), (n,): layer l in bit l, at most 64 layers."""
    return _joined([vllm.token_words(key, seeds, tokens, stream) for stream in _streams(depth)])


def vocabulary_words(key: int, seed: Words, size: int, depth: int) -> Words:
    """The same of the ids 0 to size - 1 under one state (2,), (size,): one Philox for four of them."""
    return _joined([vllm.vocabulary_words(key, seed, size, stream) for stream in _streams(depth)])


def _streams(depth: int) -> list[int]:
    return [STREAM | block for block in range(-(-depth // BITS))]


def _joined(parts: list[npt.NDArray[np.uint32]]) -> Words:
    wide = [part.astype(np.uint64) for part in parts]
    return wide[0] if len(wide) == 1 else wide[0] | wide[1] << np.uint64(BITS)
