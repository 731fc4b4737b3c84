"""Scorer: green flags, weights and groups to a statistic and a p-value."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Generic

import numpy as np
import numpy.typing as npt

from stela_core.interfaces.component import Component
from stela_core.parameters import P_co


@dataclass(frozen=True, slots=True)
class Score:
    """Outcome of a test: the statistic that the p-value belongs to, and the paper's beside it."""

    z: float
    """Standardised statistic with repeated pairs grouped; sd 1 on unmarked text over random keys."""
    z_plain: float
    """The papers' z (every token its own coin), for comparison: too large on repetitive text."""
    p_value: float
    """P(statistic at least this large) on unmarked text over random keys."""


class Scorer(Component, Generic[P_co]):
    """Turn evidence into a statistic and a valid p-value.

    ``groups`` numbers the (hash context, token) pairs: tokens of one group share one coin flip, so
    they are all green or all red. For unmarked text and a random key, ``P(p <= a) <= a`` must hold.

    Copy me::

        class Bonferroni(stela.Scorer):
            name = "bonferroni"

            def score(self, green, weights, groups, gamma):
                ...
                return stela.Score(z=z, z_plain=z_plain, p_value=min(1.0, 2 * p))
    """

    kind = "scorer"
    hook = "stela_register_scorers"

    def __init__(self, parameters: P_co) -> None:
        self.parameters = parameters

    @abstractmethod
    def score(
        self,
        green: npt.NDArray[np.bool_],
        weights: npt.NDArray[np.float64],
        groups: npt.NDArray[np.int64],
        gamma: float,
    ) -> Score:
        """Score n tokens: green flags (n,), weights (n,) >= 0, group numbers (n,) in 0 .. n - 1."""

    def shares(self, counts: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """What each of the n tokens of one pair counts, as a factor on its weight: (m,) -> (m,).

        z is that of the pairs whose weights are the sums of these products. By default 1, whatever n: the
        weights are summed. Null checks and windows, which look at many keys or parts of a text, ask for it.
        """
        return np.ones(len(counts))

    def least_p_value(
        self, weights: npt.NDArray[np.float64], groups: npt.NDArray[np.int64], gamma: float
    ) -> float:
        """The smallest p-value that any colouring of the text could have; arguments as for :meth:`score`.

        By default that of all tokens green, for p-values that never grow with another green token. It is
        asked for each text in which no mark was found: override it where it can be had for less.
        """
        return self.score(np.ones(len(groups), dtype=np.bool_), weights, groups, gamma).p_value

    def coin_weights(
        self, weights: npt.NDArray[np.float64], groups: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64] | None:
        """What each group's colour counts in the statistic, (groups,), in the order of the group numbers.

        It is asked for the expected power of the test. ``None``, the default, where the statistic is no
        weighted count of green groups: no power is shown then.
        """
        return None
