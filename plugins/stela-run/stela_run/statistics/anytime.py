"""Paired differences that may be looked at after each pair: an interval and a p-value that hold at any time.

Wang and Ramdas, "Anytime-valid t-tests and confidence sequences for Gaussian means with unknown variance"
(2024), theorem 4.9: for independent normal differences of mean 0, whatever their variance,

    e_n = sqrt(c2 / (n + c2)) * ((n + c2) V_n / ((n + c2) V_n - S_n**2)) ** (n / 2),

S_n their sum and V_n that of their squares, is a nonnegative martingale of mean 1. So with probability 1 - a
it never reaches 1 / a (Ville), whenever and for whatever reason one stops. It is a mixture over effects
(mean / standard deviation) of a normal law with variance 1 / c2.

Differences of z are not bounded, so sequences for bounded means do not apply. Each z is a sum over a text's
tokens, which is nearly normal; where it is not, the level is asymptotic, as that of Student's test is.
Prompts are taken as independent draws, in the order of their file.
"""

from __future__ import annotations

import math

import numpy as np

from stela_run.statistics.bootstrap import Floats
from stela_run.statistics.families import LEVEL
from stela_run.statistics.paired import MOST, Paired, least_count, moments

C2 = 10.0
"""Effects that are looked for have a standard deviation of ``C2 ** -0.5``, about 0.3."""


def log_e_values(differences: Floats) -> Floats:
    """Logarithms of e_1 .. e_n, (pairs,); 0 as long as all are 0."""
    n = np.arange(1, len(differences) + 1)
    sums, squares = np.cumsum(differences), np.cumsum(np.square(differences))
    with np.errstate(divide="ignore", invalid="ignore"):
        shrunk = np.nan_to_num(sums**2 / ((n + C2) * squares))
    values: Floats = (np.log(C2 / (n + C2)) - n * np.log1p(-shrunk)) / 2
    return np.where(squares > 0, values, 0.0)


def anytime(differences: Floats, level: float = LEVEL) -> Paired:
    """The mean of differences, (pairs,), with the interval of the last pair and the least p-value so far.

    Args:
        differences: in the order in which they came, at least one.
        level: chance that the interval, at any time, does not hold the mean.
    """
    count, (mean, sd) = len(differences), moments(differences)
    if sd == 0:
        return Paired(mean, None, None, 1.0, 0.0, count)
    p = min(1.0, math.exp(-float(np.max(log_e_values(differences)))))
    half = half_width(count, level)
    if math.isinf(half):
        return Paired(mean, None, None, p, sd, count)
    half *= sd / math.sqrt(count)
    return Paired(mean, mean - half, mean + half, p, sd, count)


def half_width(count: int, level: float) -> float:
    """The largest t statistic of ``count`` pairs at which e_n is below 1 / level.

    With x = t**2 / (n - 1) and r = c2 / (n + c2), e_n is ``sqrt(r) * ((1 + x) / (1 + r x)) ** (n / 2)``.
    """
    r = C2 / (count + C2)
    growth = (1 / (level * math.sqrt(r))) ** (2 / count)
    if count < 2 or growth * r >= 1:
        return math.inf
    return math.sqrt((count - 1) * (growth - 1) / (1 - growth * r))


def pairs_to_decide(effect: float, sd: float, level: float) -> int | None:
    """How many pairs leave a mean difference outside of the interval, about, if it is the true one.

    Args:
        effect: the mean difference, not 0.
        sd: standard deviation of the differences, above 0.
        level: of the interval.

    Returns:
        ``None`` where more than :data:`.MOST` are needed.
    """
    return least_count(lambda count: abs(effect) / sd * math.sqrt(count) >= half_width(count, level), MOST)
