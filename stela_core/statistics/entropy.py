"""Entropies of many distributions at once, each a segment of one flat array."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def segment_entropies(
    probabilities: npt.NDArray[np.float64], starts: npt.NDArray[np.intp]
) -> npt.NDArray[np.float64]:
    """Shannon entropies (nats) of distributions laid end to end.

    Args:
        probabilities: (n,), each above 0; the segments sum to 1.
        starts: (m,), ascending, the first is 0: segment i is ``probabilities[starts[i]:starts[i + 1]]``.

    Returns:
        (m,): ``H_i = - sum p log p`` over segment i.
    """
    if len(starts) == 0:
        return np.zeros(0)
    return -np.add.reduceat(probabilities * np.log(probabilities), starts)


def normalised_entropies(
    probabilities: npt.NDArray[np.float64], starts: npt.NDArray[np.intp]
) -> npt.NDArray[np.float64]:
    """Entropies divided by the largest possible: ``H_i / log K_i`` in [0, 1] (Park et al. 2026, section 4).

    ``K_i`` is the length of segment i, the number of outcomes seen; the value is 0 where it is 1.
    Arguments as for :func:`segment_entropies`.
    """
    sizes = np.diff(np.append(starts, len(probabilities)))
    entropies = segment_entropies(probabilities, starts)
    free = sizes > 1
    shares = np.zeros(len(starts))
    shares[free] = entropies[free] / np.log(sizes[free])
    # Rounding errors of a uniform distribution may pass 1.
    return np.clip(shares, 0.0, 1.0)
