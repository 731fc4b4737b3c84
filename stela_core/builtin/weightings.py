"""The core's own weighting: every token alike."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from stela_core.interfaces import Positions, Weighting


class Uniform(Weighting):
    """Weight 1 everywhere: KGW's strength and evidence (Kirchenbauer et al., ICML 2023)."""

    name = "uniform"

    def weights(self, positions: Positions) -> npt.NDArray[np.float64]:
        """Ones, (n,)."""
        return np.ones(positions.count)
