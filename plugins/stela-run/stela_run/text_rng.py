"""A random generator that belongs to one text: for attacks."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np


def draws_of(seed: int, text: str, use: str) -> np.random.Generator:
    """A generator (PCG64) that depends only on its arguments: not on the batch, nor on the order.

    Args:
        seed: of the run.
        text: whatever is drawn is for it; a lone surrogate counts as what it is.
        use: name of what draws, so that two uses of one text are independent.
    """
    content = f"{seed}\0{use}\0{text}".encode("utf-8", "surrogatepass")
    return np.random.default_rng(int.from_bytes(blake2b(content, digest_size=16).digest(), "little"))
