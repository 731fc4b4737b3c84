"""The core's own parts, registered through the same hooks as everyone's."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from stela_core.hookspecs import hookimpl
from stela_core.interfaces import Hasher, Positions, Scorer, Weighting


class Uniform(Weighting):
    """Weight 1 everywhere: KGW's strength and evidence (Kirchenbauer et al., ICML 2023)."""

    name = "uniform"

    def weights(self, positions: Positions) -> npt.NDArray[np.float64]:
        """Ones, (n,)."""
        return np.ones(positions.count)


@hookimpl
def stela_register_hashers() -> type[Hasher]:
    """The portable keyed hash."""
    from stela_core.builtin.hashers import KeyedHasher

    return KeyedHasher


@hookimpl
def stela_register_weightings() -> type[Weighting]:
    """Every token alike."""
    return Uniform


@hookimpl
def stela_register_scorers() -> type[Scorer]:
    """Grouped pairs, exact tail."""
    from stela_core.builtin.scorers import GroupedScorer

    return GroupedScorer
