"""p-value of a test statistic by resampling the key sequence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import shake_256
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

ENOUGH = 20
"""Resampled sequences that do as well as the key's, after which no more are looked at."""

_PURPOSE = b"stela-exp/resampled sequences/1"


class Resampled(NamedTuple):
    """What came of a permutation test."""

    p_value: float
    z: float
    """The statistic, turned over, in standard deviations of the resampled ones; 0 where they are equal."""
    tried: int
    """Sequences that were looked at."""


def permutation_test(
    statistic: Callable[[npt.NDArray[np.uint64]], float],
    sequence: npt.NDArray[np.uint64],
    resampled: Iterator[npt.NDArray[np.uint64]],
    resamples: int,
) -> Resampled:
    """Whether a text fits a sequence better than others: P(p <= a) <= a where it has nothing to do with it.

    With T resampled sequences of which c have a statistic at most that of the sequence, p is
    ``(1 + c) / (1 + T)`` (Algorithm 2 of the paper). Where c reaches ``ENOUGH`` at the l-th, the test stops
    with ``ENOUGH / l`` (Besag and Clifford 1991, valid alike): unmarked texts cost few sequences, not T.

    Args:
        statistic: of a sequence's seeds (n,): small where the text was drawn with it.
        sequence: the key's.
        resampled: as many others as are asked for, exchangeable with it.
        resamples: T.
    """
    observed = statistic(sequence)
    others: list[float] = []
    as_good = 0
    for seeds in resampled:
        others.append(statistic(seeds))
        as_good += others[-1] <= observed
        if as_good == ENOUGH or len(others) == resamples:
            break
    p_value = as_good / len(others) if as_good == ENOUGH else (1 + as_good) / (1 + len(others))
    spread = float(np.std(others, ddof=1)) if len(others) > 1 else 0.0
    z = (float(np.mean(others)) - observed) / spread if spread else 0.0
    return Resampled(p_value, z, len(others))


def resampled_sequences(
    key: int, ids: npt.NDArray[np.int64], length: int
) -> Iterator[npt.NDArray[np.uint64]]:
    """Sequences of seeds, (length,), for one text under one key: always the same, and as if drawn afresh.

    SHAKE256 of the key, the number of the sequence and the text. Seeds of the key's own sequence are BLAKE2b
    of the key for another purpose, so over random keys all are exchangeable; another text has others.
    """
    text = shake_256(ids.astype("<u4").tobytes()).digest(32)
    number = 0
    while True:
        data = _PURPOSE + key.to_bytes(8, "little") + number.to_bytes(4, "little") + text
        yield np.frombuffer(shake_256(data).digest(8 * length), dtype="<u8").astype(np.uint64)
        number += 1
