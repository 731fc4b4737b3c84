"""How much each layer counts: deeper layers of a tournament see fewer different tokens and say less."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

Layers = Literal["weighted", "mean"]


def layer_weights(layers: Layers, depth: int) -> npt.NDArray[np.float64]:
    """Weights (depth,) that sum to 1: all alike, or falling evenly from 10 to 1.

    These are the mean and the weighted mean score of Dathathri et al. (2024), Methods, and of
    ``weighted_mean_score`` in the package synthid-text.
    """
    falling = np.linspace(10.0, 1.0, depth) if layers == "weighted" else np.ones(depth)
    return np.asarray(falling / falling.sum())
