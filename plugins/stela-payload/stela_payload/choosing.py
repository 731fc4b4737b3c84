"""The issued message that scores most, and the symbols of many messages."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from stela_payload.decoding import totals_of
from stela_payload.permutation import codes_of
from stela_payload.reed_solomon import ReedSolomon


def best_of_codes(scores: npt.NDArray[np.float32], code: ReedSolomon, numbers: npt.NDArray[np.uint64]) -> int:
    """The one of these numbers, (c,), whose codeword's scores sum to most."""
    return int(numbers[totals_of(scores, code.symbols_of(numbers)).argmax()])


@lru_cache(maxsize=64)
def symbols_of_rows(messages: bytes, code: ReedSolomon, key: int) -> npt.NDArray[np.intp]:
    """The symbols of a batch's rows, (n, rows), by their messages' bytes: they are the same at each step."""
    return code.symbols_of(codes_of(np.frombuffer(messages, dtype=np.uint64), code.bits, key))
