"""Confidence intervals over texts, for statistics that are not means of one number a text."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite

import numpy as np
import stela_run
from stela_run.statistics.bootstrap import Counts, Floats, counts_of, draws, ends

RESAMPLES = 1_000


def over_texts(name: str, statistic: Callable[[Counts], float], texts: int, seed: int) -> stela_run.Value:
    """A statistic of n texts with its 95 % interval by the percentile bootstrap, texts drawn whole.

    Tokens of one text, and tests of it under several keys, depend on each other: texts do not.

    Args:
        name: of the value.
        statistic: from how often each text counts, (n,), to a number; ``nan`` where it is not defined,
            and a resample for which it is not is left out.
        texts: n.
        seed: of the resampling.

    Returns:
        The value for each text counted once; without an interval for a single text.
    """
    value = statistic(np.ones(texts, dtype=np.int64))
    if texts < 2 or not isfinite(value):
        return stela_run.Value(name, value, n=texts)
    [[drawn]] = draws([texts], RESAMPLES, seed)
    interval = ends(np.array([statistic(counts) for counts in counts_of(drawn, texts)]))
    if interval is None:
        return stela_run.Value(name, value, n=texts)
    return stela_run.Value(name, value, *interval, texts)


def ratio(name: str, tops: Floats, bottoms: Floats, seed: int) -> stela_run.Value:
    """``sum tops / sum bottoms`` over texts, (n,) each, with its interval."""

    def share(counts: Counts) -> float:
        bottom = float(counts @ bottoms)
        return float(counts @ tops) / bottom if bottom else float("nan")

    return over_texts(name, share, len(tops), seed)
