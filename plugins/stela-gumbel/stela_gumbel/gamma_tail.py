"""log P(Gamma(shape, 1) >= x) without SciPy: a sum of positive terms, a series or a continued fraction.

Of a whole shape n the tail is that of fewer than n Poisson(x) events (Erlang), a sum of positive terms. Of
another shape it is the regularised upper incomplete gamma function: below the mean one minus the series
8.7.1, above it Legendre's continued fraction 8.9.2 of the NIST Handbook, by the modified Lentz algorithm.
"""

from __future__ import annotations

import math

import numpy as np

TINY = 1e-300
TERMS = 100_000
"""About the square root of the shape is needed: this serves texts of 10**8 tokens."""


def log_tail(shape: float, x: float) -> float:
    """Log P(Gamma(shape, 1) >= x), to about 1e-13 of the tail times the size of its exponent."""
    if shape <= 0:
        return 0.0 if x <= 0 else -math.inf
    if x <= 0:
        return 0.0
    if float(shape).is_integer():
        return whole_log_tail(int(shape), x)
    log_density = shape * math.log(x) - x - math.lgamma(shape)
    if x < shape + 1:
        return math.log1p(-math.exp(log_density) * _series(shape, x))
    return log_density + math.log(_fraction(shape, x))


def whole_log_tail(shape: int, x: float) -> float:
    """The same of a whole shape: log of the sum of ``exp(-x) x**k / k!`` over k below it."""
    if x <= 0 or shape <= 0:
        return 0.0 if x <= 0 else -math.inf
    steps = math.log(x) - np.log(np.arange(1, shape))
    terms = np.concatenate([np.zeros(1), np.cumsum(steps)])
    largest = float(terms.max())
    return min(0.0, largest - x + math.log(float(np.exp(terms - largest).sum())))


def _series(shape: float, x: float) -> float:
    """P(shape, x) over its density times x: 1 / a + x / (a (a + 1)) + ..."""
    term = total = 1 / shape
    for k in range(1, TERMS):
        term *= x / (shape + k)
        total += term
        if term < total * 1e-17:
            break
    return total


def _fraction(shape: float, x: float) -> float:
    """Q(shape, x) over its density times x: 1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a - ...))."""
    b = x + 1 - shape
    c, d = 1 / TINY, 1 / b
    value = d
    for k in range(1, TERMS):
        a = -k * (k - shape)
        b += 2
        d = 1 / _not_zero(a * d + b)
        c = _not_zero(b + a / c)
        value *= d * c
        if abs(d * c - 1) < 1e-16:
            break
    return value


def _not_zero(number: float) -> float:
    return number if abs(number) > TINY else TINY
