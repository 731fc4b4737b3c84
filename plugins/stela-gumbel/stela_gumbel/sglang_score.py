"""What SGLang's own detector says: the statistics of its ``detector.py`` (0.5.23), field by field."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stela_gumbel import sglang_hash
from stela_gumbel.gamma_tail import whole_log_tail
from stela_gumbel.murmur import Words

MOST_CONTEXTS = 4096
"""Distinct contexts that SGLang marks and scores in a text; later tokens are drawn without a mark."""


class Statistics(NamedTuple):
    """The score of some positions under one key each (SGLang's ``WatermarkStatistics``)."""

    num_contexts: int
    score: float
    z_score: float
    p_value: float
    log_p_value: float


class Detection(NamedTuple):
    """``WatermarkDetection`` of one text, as far as it is statistics."""

    combined: Statistics
    key_a_all_positions: Statistics
    key_b_all_positions: Statistics | None
    key_a_partition: Statistics | None
    key_b_partition: Statistics | None


def statistics(scores: npt.NDArray[np.float64]) -> Statistics:
    """Sum, z and Gamma tail of n scores, (n,)."""
    count = len(scores)
    if not count:
        return Statistics(0, 0.0, 0.0, 1.0, 0.0)
    score = float(scores.sum())
    log_p = whole_log_tail(count, score)
    return Statistics(count, score, (score - count) / math.sqrt(count), math.exp(log_p), log_p)


def detection(
    keys: tuple[int, ...], contexts: Words, tokens: npt.NDArray[np.int64], mixing_probability: float
) -> Detection:
    """SGLang's result of scored positions, one of each distinct context.

    Args:
        keys: key A, or keys A and B.
        contexts: context hashes, (n,), in the order of the text; those past the first 4,096 do not count.
        tokens: ids, (n,).
        mixing_probability: of key A, with two keys.
    """
    contexts, tokens = contexts[:MOST_CONTEXTS], tokens[:MOST_CONTEXTS]
    of_a, *others = (scores(key, contexts, tokens) for key in keys)
    if not others:
        return Detection(statistics(of_a), statistics(of_a), None, None, None)
    [of_b] = others
    with_a = sglang_hash.takes_a(keys[0], keys[1], contexts, mixing_probability)
    parts = of_a[with_a], of_b[~with_a]
    return Detection(
        statistics(np.concatenate(parts)),
        statistics(of_a),
        statistics(of_b),
        statistics(parts[0]),
        statistics(parts[1]),
    )


def scores(key: int, contexts: Words, tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """SGLang's scores (n,): ``-log1p(-u)`` with u in the middle of its bin."""
    numbers = sglang_hash.numbers(sglang_hash.row_states(key, contexts), tokens)
    theirs: npt.NDArray[np.float64] = -np.log1p(-(numbers + 0.5) / 2.0**32)
    return theirs
