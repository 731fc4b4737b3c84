"""How much more often ``coupling`` draws a green token than every second time, expected over keys."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from stela_coupling.coupling import coupled

Floats = npt.NDArray[np.float64]


def green_rise(heads: Floats, green: npt.NDArray[np.bool_], mass: Floats) -> float:
    """Mean over keys of the green probability under the mark, less 1/2.

    The sum over green tokens of :func:`.coupled`'s distribution. No set of n tokens can add more than Hall's
    theorem allows (:func:`.most_green`).

    Args:
        heads: probabilities of the most likely tokens, in falling order, (heads,).
        green: their colours under each key, (heads, keys).
        mass: probability of all green tokens without the mark, (keys,).
    """
    others = max(0.0, 1 - float(heads.sum()))
    rises = 0.0
    for own, all_green in zip(green.T, mass.tolist(), strict=True):
        near = min(max(0.0, all_green - float(heads @ own)), others)
        made = coupled(heads.tolist(), own.tolist(), others, near)
        rises += float(np.array(made.heads) @ own) + near * made.on_green - 0.5
    return rises / len(mass)
