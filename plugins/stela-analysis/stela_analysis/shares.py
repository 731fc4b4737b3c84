"""Exact intervals of a share whose trials come in clusters."""

from __future__ import annotations

from stela_run.statistics.bootstrap import Floats


def clustered_clopper_pearson(hits: Floats, trials: Floats) -> tuple[float, float]:
    """95 % interval of ``sum hits / sum trials``, clusters independent and trials within them not.

    Clopper-Pearson's with the effective number of trials, ``p (1 - p)`` over the variance of p that the
    clusters show, never more than there are (Korn and Graubard, Survey Methodology 24, 1998); for a number
    that is not an integer the ends are the same quantiles of beta distributions. Unlike a bootstrap's, it has
    a width where there are no hits.

    Args:
        hits: in each of n clusters, (n,).
        trials: in each, (n,), not all 0.
    """
    from scipy.stats import beta

    count = float(trials.sum())
    p = float(hits.sum()) / count
    apart = hits - p * trials
    variance = float(apart @ apart) / count**2
    effective = min(count, max(1.0, p * (1 - p) / variance)) if variance > 0 else count
    successes = p * effective
    low = float(beta.ppf(0.025, successes, effective - successes + 1)) if successes > 0 else 0.0
    high = float(beta.ppf(0.975, successes + 1, effective - successes)) if p < 1 else 1.0
    return low, high
