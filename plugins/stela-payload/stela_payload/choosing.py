"""The code that scores most: of all that there are, or of those of the issued messages.

Blocks of neighbouring bytes form a ring. The best code is found exactly, by the Viterbi algorithm once for
each value of the first byte (a tail-biting trellis: Bahl et al. 1974; Forney, "The Viterbi algorithm", 1973).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from stela_payload.blocks import BYTE, blocks_of_bits
from stela_payload.permutation import codes_of


def best_code(scores: npt.NDArray[np.float32], bits: int) -> int:
    """The code whose blocks' scores, (S, values), sum to most; of equal ones one of them."""
    if len(scores) == 1:
        return int(scores[0].argmax())
    from stela_payload import compiled

    content = compiled.best_of_all(scores.reshape(len(scores), 256, 256))
    return int.from_bytes(bytes(content.tolist()), "big")


def best_of_codes(scores: npt.NDArray[np.float32], bits: int, codes: npt.NDArray[np.uint64]) -> int:
    """The one of these codes, (n,), whose blocks' scores sum to most."""
    totals = np.zeros(len(codes), dtype=np.float64)
    for block, values in enumerate(values_of_codes(codes, bits)):
        totals += scores[block][values]
    return int(codes[totals.argmax()])


@lru_cache(maxsize=64)
def values_of_rows(messages: bytes, bits: int, key: int) -> npt.NDArray[np.intp]:
    """:func:`values_of_codes` of a batch's rows, by their messages' bytes: they are the same at each step."""
    return values_of_codes(codes_of(np.frombuffer(messages, dtype=np.uint64), bits, key), bits)


def values_of_codes(codes: npt.NDArray[np.uint64], bits: int) -> npt.NDArray[np.intp]:
    """The value of each block of each code, (n,) -> (S, n)."""
    count = blocks_of_bits(bits)
    if count == 1:
        return codes.astype(np.intp)[None]
    shifts = np.arange(count - 1, -1, -1, dtype=np.uint64)[:, None] * np.uint64(BYTE)
    content = (codes[None] >> shifts & np.uint64(0xFF)).astype(np.intp)
    return content << BYTE | np.roll(content, -1, axis=0)
