"""The core's own scorer: one coin per distinct (hash context, token) pair, and an exact tail."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from stela_core.interfaces import Score, Scorer
from stela_core.statistics.grouping import group_weights
from stela_core.statistics.p_value import tail_probability
from stela_core.statistics.zscore import z_score


class GroupedScorer(Scorer):
    """Weighted z over groups of repeated pairs, with the exact tail of its statistic.

    The tokens of one pair are one coin flip: their weights are summed before they are squared
    (removing repeats, as Fernandez et al. 2023 do, is the case of one token per pair).
    """

    name = "grouped"

    def score(
        self,
        green: npt.NDArray[np.bool_],
        weights: npt.NDArray[np.float64],
        groups: npt.NDArray[np.int64],
        gamma: float,
    ) -> Score:
        """Score n tokens; z is 0 and p is 1 where there is no evidence."""
        colours, sums = group_weights(green, weights, groups)
        return Score(
            z=z_score(colours, sums, gamma),
            z_plain=z_score(green, weights, gamma),
            p_value=tail_probability(colours, sums, gamma),
        )
