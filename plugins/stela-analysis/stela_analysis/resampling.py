"""Confidence intervals over texts, for statistics that are no means of one number a text."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from math import isfinite

import numpy as np
import numpy.typing as npt

import stela_core as stela

RESAMPLES = 1_000
Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]


def over_texts(name: str, statistic: Callable[[Counts], float], texts: int, seed: int) -> stela.Value:
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
        return stela.Value(name, value, n=texts)
    from scipy.stats import DegenerateDataWarning, bootstrap

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateDataWarning)  # of the resamples left out below
        found = bootstrap(
            (np.arange(texts),),
            lambda drawn: statistic(np.bincount(drawn, minlength=texts)),
            n_resamples=RESAMPLES,
            method="percentile",
            vectorized=False,
            rng=np.random.default_rng(seed),
        ).bootstrap_distribution
    defined = found[np.isfinite(found)]
    if not len(defined):
        return stela.Value(name, value, n=texts)
    low, high = np.quantile(defined, (0.025, 0.975)).tolist()
    return stela.Value(name, value, low, high, texts)


def ratio(name: str, tops: Floats, bottoms: Floats, seed: int) -> stela.Value:
    """``sum tops / sum bottoms`` over texts, (n,) each, with its interval."""

    def share(counts: Counts) -> float:
        bottom = float(counts @ bottoms)
        return float(counts @ tops) / bottom if bottom else float("nan")

    return over_texts(name, share, len(tops), seed)
