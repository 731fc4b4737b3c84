"""vLLM's hash for Gumbel marks: the upper 24 bits m of a token's word (``stela_kernels/philox/vllm.py``).

Read in vLLM 0.32, ``vllm/v1/watermarking/prfs/base.py`` and ``vllm/config/watermarking.py``. m is uniform in
0 .. 2**24 - 1, and vLLM's uniform is the float32 next to ``(m + 1) / (2**24 + 1)``.
"""

from __future__ import annotations

from hashlib import sha256

import numpy as np
import numpy.typing as npt
from stela_kernels.philox.vllm import token_words

BITS = 24
"""Bits of a token's number."""


def derived_keys(key: int) -> tuple[int, int]:
    """Keys A and B of a dual key: 64 bits of SHA-256 each."""
    content = key.to_bytes(8, "big")
    a, b = (int.from_bytes(sha256(name + content).digest()[:8], "big") for name in (b"key_a", b"key_b"))
    return a, b


def numbers(key: int, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.uint32]:
    """The numbers m (n,) of tokens (n,) under states (n, 2), below 2**24."""
    return token_words(key, seeds, tokens) >> np.uint32(8)


def uniforms(numbers: npt.NDArray[np.uint32]) -> npt.NDArray[np.float32]:
    """The uniforms as vLLM rounds them; shaped like the numbers."""
    return ((numbers + 1.0) / (2**24 + 1)).astype(np.float32)
