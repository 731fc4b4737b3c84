"""Exponential: the law of Gumbel marks, and the exact tail of a weighted sum of exponentials.

The weights are put on few distinct values first (``few_values.py``), which are chosen only from the weights.
A weight never depends on the key or on a signal, so neither does its value; statistic and null use the same
values, so p is valid as it stands, ``P(p <= a) <= a``, and rounding weights costs a trace of power.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from stela_core import Law
from stela_core.api import dot, dots
from stela_kernels.philox.few_values import quantize
from stela_kernels.philox.gamma_tail import log_gamma_tail

SMALLEST = 1e-300
"""The smallest p-value that is returned."""

_SINE, _COSINE = 0.5, math.sqrt(0.75)
"""Sine and cosine of the angle between the contour, far out, and the imaginary axis: 30 degrees."""

_BLOCK = 8
"""Nodes that are evaluated at once."""

_NEGLIGIBLE = 1e-17
"""Height of the integrand, next to its largest, from which on it is left out."""

_NEAR = 4.0
"""Distance from the pole at 0, in widths of the integrand, up to which the pole is accounted for."""

_AGREED = 1e-8
"""Relative difference of the sums of n and 2n nodes; what is left in the finer one is about its square."""


@dataclass(frozen=True)
class Exponential(Law):
    """Each draw is exponential with mean 1, or nearly: one a token, or one for each of the ``parts``."""

    draws: ClassVar[str] = "exponential"

    parts: tuple[float, ...] = (1.0,)
    """Weight of each draw of a token, above 0."""
    excess: float = 0.0
    """How much a draw may exceed its law: P(draw >= x) <= (1 + excess) exp(-x). Uniform numbers of few bits
    make exponential draws that do; p-values make up for it."""
    largest: float = math.inf
    """The largest draw, where uniform numbers of few bits bound it."""

    @property
    def draw_mean(self) -> float:
        """1."""
        return 1.0

    @property
    def draw_variance(self) -> float:
        """1."""
        return 1.0

    @property
    def middle(self) -> float:
        """The median of one draw; the mean of a sum of several."""
        return math.log(2) if len(self.parts) == 1 else self.mean

    def survival(self, value: float) -> float:
        """``exp(-value)``."""
        return math.exp(-max(0.0, value))

    def tail(self, draws: npt.NDArray[np.float64], weights: npt.NDArray[np.float64], split: bool) -> float:
        """:func:`exponential_tail`; sums of exponentials have no ties to split."""
        return exponential_tail(draws, weights, self.excess)

    def ordering_weights(self, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64] | None:
        """The weights put on few values, (m,), by :func:`.quantize`."""
        few = np.zeros(len(weights))
        positive = weights > 0
        if positive.any():
            values, places = quantize(weights[positive])
            few[positive] = values[places]
        return few


def exponential_tail(
    signals: npt.NDArray[np.float64], weights: npt.NDArray[np.float64], excess: float = 0.0
) -> float:
    """P(weighted sum of n signals at least as large as this one), signals independent and Exp(1) or less.

    Signals of hashed uniforms are discrete, and need only be *nearly* exponential: let every signal X have
    ``P(X >= x) <= (1 + excess) exp(-x)`` for all x. Replace one signal after the other by an Exp(1): given
    the rest r of the sum, ``P(w X >= s - r) <= (1 + excess) P(w E >= s - r)``, also where s <= r, and the
    rest is independent of X, so the inequality holds for the sum. After n steps,
    ``P(T >= s) <= (1 + excess)^n P(sum w_i E_i >= s)``, which is the value returned.

    Args:
        signals: (n,), at least 0.
        weights: (n,), finite and at least 0; where a token has several signals, that of each.
        excess: epsilon of the signals' law, at least 0; 0 where signals are exponentials rounded down.

    Returns:
        p in [1e-300, 1]; 1.0 where no signal has weight.
    """
    return max(SMALLEST, math.exp(max(-700.0, log_exponential_tail(signals, weights, excess))))


def log_exponential_tail(
    signals: npt.NDArray[np.float64], weights: npt.NDArray[np.float64], excess: float = 0.0
) -> float:
    """Natural logarithm of :func:`exponential_tail`, which does not end at 1e-300."""
    positive = weights > 0
    if not positive.any():
        return 0.0
    values, places = quantize(weights[positive])
    counts = np.bincount(places, minlength=len(values))
    sums = np.bincount(places, weights=signals[positive], minlength=len(values))
    used = (counts > 0) & (values > 0)
    values, counts = values[used], counts[used]
    log_p = log_hypoexponential_tail(values, counts, dot(values, sums[used]))
    return min(0.0, log_p + float(counts.sum()) * math.log1p(excess))


def log_hypoexponential_tail(
    values: npt.NDArray[np.float64], counts: npt.NDArray[np.int64], observed: float
) -> float:
    """``log P(T >= observed)``, T the sum of n_d exponentials of mean a_d each; its error is below 1e-10.

    With the moment generating function ``M(z) = product (1 - a_d z)^-n_d``, by Bromwich's integral::

        P(T >= s) = 1/(2 pi i) integral of M(z) exp(-s z) / z dz,  through c, 0 < c < 1 / max a
        P(T < s)  = the same, negative, through c < 0

    The first is taken where s is above the mean, the second below it: either has a saddlepoint on its part
    of the real axis (Daniels 1954, Lugannani and Rice 1980). Nothing is approximated: from the saddle on the
    integrand falls, and the trapezoidal rule converges faster than any power of the step (Trefethen and
    Weideman 2014). The contour is the hyperbola ``c + m (sin(t + iu) - sin t)``, t = 30 degrees (Weideman and
    Trefethen 2007), which bends to the right, where exp(-s z) falls: all of it lies within 30 degrees of the
    vertical through c, where each factor ``exp(-r x) / |1 - r (x + iy)|``, r = a / (1 - a c), is at most 1,
    so that no spread of the weights can make the integrand rise again.

    Args:
        values: distinct a_d, (d,), above 0.
        counts: n_d, (d,), at least 1.
        observed: s; at or below 0 the probability is 1.
    """
    if observed <= 0:
        return 0.0
    if observed == math.inf:
        return -math.inf
    largest = float(values.max())
    if len(values) == 1:
        return log_gamma_tail(int(counts[0]), observed / largest)
    means, many, sum_ = values / largest, counts.astype(np.float64), observed / largest
    if sum_ < 1e-17:
        return 0.0  # P(T < s) is less than that: one coin of mean 1 has to be below s
    above = sum_ >= dot(means, many)
    log_tail = _log_integral(means, many, sum_, _saddlepoint(means, many, sum_, above))
    return min(0.0, log_tail) if above else math.log1p(-min(math.exp(log_tail), 1 - 1e-16))


def _saddlepoint(
    means: npt.NDArray[np.float64], many: npt.NDArray[np.float64], sum_: float, above: bool
) -> float:
    """The z in (0, 1) or below 0 where ``log M(z) - s z - log |z|`` is smallest, to a few digits.

    The largest mean is 1. Newton's method starts at the saddle of a Gamma distribution with the same mean and
    variance, and goes between bounds.
    """
    mean, variance = dot(means, many), dot(means * means, many)
    # With K'(z) = mean / (1 - q z) the saddle solves q s z^2 + (mean - s + q) z - 1 = 0.
    q = variance / mean
    half = (mean - sum_ + q) / (2 * q * sum_)
    root = math.sqrt(half * half + 1 / (q * sum_))
    low, high = (0.0, 1.0) if above else (-math.inf, 0.0)
    # The root that does not cancel, and the other one by their product.
    far = -half - math.copysign(root, half)
    z = far if (far > 0) == above else -1 / (q * sum_ * far)
    for _ in range(60):
        if not low < z < high:
            z = (low + high) / 2 if math.isfinite(low) else 2 * high - 1
        r = means / (1 - z * means)
        slope = dot(many, r) - sum_ - 1 / z
        curve = dot(many, r * r) + 1 / (z * z)
        if slope * slope <= 1e-3 * curve:
            break
        low, high = (z, high) if slope < 0 else (low, z)
        z -= slope / curve
    return z


def _log_integral(
    means: npt.NDArray[np.float64], many: npt.NDArray[np.float64], sum_: float, centre: float
) -> float:
    """Logarithm of the integral along the hyperbola through ``centre``."""
    # Relative to its value at the centre the integrand is exp(-s w) / (1 + w / c) / product (1 - r w)^n.
    r = means / (1 - centre * means)
    second, third = dot(many, r * r), 2 * dot(many, r * r * r)
    if centre < 0:
        third -= 2 / centre**3
    curve = second + 1 / centre**2
    scale = 2 * (second if centre > 0 else curve) / third
    width = 1 / (math.sqrt(curve) * scale * _COSINE)

    step = min(1.0, 1.1 * width)

    def heights(nodes: npt.NDArray[Any]) -> npt.NDArray[np.complex128]:
        u = step * nodes
        sinh, cosh = np.sinh(u), np.cosh(u)
        right, up = scale * _SINE * (cosh - 1), scale * _COSINE * sinh
        # log(1 - r w), in real numbers: numpy's complex logarithm takes seven times as long.
        x, y = 1 - np.multiply.outer(right, r), np.multiply.outer(up, r)
        logs = -0.5 * dots(np.log(x * x + y * y), many) - sum_ * right
        turns = dots(np.arctan2(y, x), many) - sum_ * up
        measure = scale * (_COSINE * cosh - 1j * _SINE * sinh) / (1 + (right + 1j * up) / centre)
        return np.asarray(np.exp(logs + 1j * turns) * measure)

    blocks = [heights(np.arange(_BLOCK))]
    smallest = _NEGLIGIBLE * abs(blocks[0][0])
    while abs(blocks[-1][-1]) > smallest:
        blocks.append(heights(np.arange(_BLOCK) + _BLOCK * len(blocks)))
    # log M(c) - s c - log |c|; near 0 so written that large sums do not cancel: log1p(-x) + x is small there.
    shifted = centre * means
    if abs(centre) < 0.5:
        height = -dot(many, np.log1p(-shifted) + shifted) - centre * (sum_ - dot(means, many))
    else:
        height = -dot(many, np.log1p(-shifted)) - centre * sum_
    height -= math.log(abs(centre))
    pole = _distance_of_zero(centre, scale) if abs(centre) * math.sqrt(curve) < _NEAR else None

    def integral(total: float) -> float:
        # Known in closed form: what the trapezoidal rule adds for a simple pole this far from the contour.
        by_rule = total * step / math.pi
        if pole is None:
            return by_rule
        return by_rule - math.exp(-height) / math.expm1(min(700.0, 2 * math.pi * pole / step))

    # By symmetry the other half of the contour adds the complex conjugate.
    known = _BLOCK * len(blocks)
    total = math.fsum(float(block.real.sum()) for block in blocks) - 0.5 * float(blocks[0][0].real)
    fine = integral(total)
    for _ in range(12):
        coarse = fine
        total += float(heights(np.arange(known) + 0.5).real.sum())
        step, known = step / 2, 2 * known
        fine = integral(total)
        if abs(fine - coarse) <= _AGREED * fine:
            break
    return height + math.log(fine)


def _distance_of_zero(centre: float, scale: float) -> float | None:
    """The place on the imaginary axis of u where the contour's map meets the pole at 0, or ``None``."""
    sine = _SINE - centre / scale
    return abs(math.asin(_SINE) - math.asin(sine)) if abs(sine) < 1 else None
