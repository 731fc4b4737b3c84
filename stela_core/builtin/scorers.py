"""The core's own scorer: one draw per distinct (hash context, token) pair, and an exact tail."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from stela_core.interfaces import Score, Scorer, Signals
from stela_core.interfaces.component import has_own
from stela_core.interfaces.scorer import Ordering
from stela_core.parameters import Parameters
from stela_core.statistics.grouping import Repeats, group_weights, order_of_groups, shares_of
from stela_core.statistics.p_value import split_tail_probability, tail_probability, z_score


class GroupedParameters(Parameters):
    """How a grouped score counts what is repeated, and what is tied."""

    repeats: Repeats = "fourth-root"
    """What the n tokens of a repeated pair weigh together: their mean weight times n (``sum``), n^(1/2)
    (``root``), n^(1/4) (``fourth-root``) or 1 (``mean``)."""
    ties: Literal["split", "whole"] = "split"
    """``split``: equal sums are ranked by the order of green and red, and p moves in small steps."""

    BEFORE: ClassVar[dict[str, Any]] = {"repeats": "sum", "ties": "whole"}


class GroupedScorer(Scorer[GroupedParameters]):
    """Weighted z over groups of repeated pairs, with the exact tail of its statistic.

    The tokens of one pair are one coin flip: they get one weight, by the rule ``repeats``, before it is
    squared (removing repeats, as Fernandez et al. 2023 do, is the mean of equal weights).
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
        colours, stakes = group_weights(green, weights, groups, self.parameters.repeats)
        if self.parameters.ties == "split":
            order = order_of_groups(groups)
            p_value = split_tail_probability(colours[order], stakes[order], gamma)
        else:
            p_value = tail_probability(colours, stakes, gamma)
        return Score(
            z=z_score(colours, stakes, gamma), z_plain=z_score(green, weights, gamma), p_value=p_value
        )

    def score_signals(self, signals: Signals) -> Score:
        """Score n tokens of any kind of mark; those of green lists by :meth:`score`.

        Tokens of one group share their draws, and are one signal, whatever its law.
        """
        law = signals.law
        if law.is_green_list:
            return super().score_signals(signals)
        draws, stakes = grouped_draws(signals, self.parameters.repeats)
        return Score(
            z=law.z(law.signal(draws), stakes),
            z_plain=law.z(law.signal(signals.draws), signals.weights),
            p_value=law.p_value(draws, stakes, self.parameters.ties == "split"),
        )

    def least_p_of(self, signals: Signals) -> float:
        """The p-value of the largest possible draws: ``gamma ** n`` where n coins count."""
        stakes = self.coin_weights(signals.weights, signals.groups)
        return signals.law.least_p(stakes[order_of_groups(signals.groups)])

    def ordering(self, signals: Signals) -> Ordering | None:
        """The law's, of one draw a group: that of its first token."""
        law = signals.law
        own = has_own(type(self), "ordering", ("score", "score_signals", "score_text"))
        if not own or not has_own(type(law), "ordering_weights", ("tail", "p_value")):
            return None
        first, stakes = grouped_stakes(signals, self.parameters.repeats)
        weights = law.ordering_weights(law.of_draws(stakes))
        return None if weights is None else Ordering(first, weights.reshape(len(first), len(law.parts)))

    def shares(self, counts: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Factor on the weight of each of the n tokens of one pair, (m,) -> (m,), by the rule ``repeats``."""
        return shares_of(counts, self.parameters.repeats)

    def coin_weights(
        self, weights: npt.NDArray[np.float64], groups: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        """Weight of each group of repeated pairs, (groups,), by the rule ``repeats``."""
        return group_weights(
            np.zeros(len(weights), dtype=np.bool_), weights, groups, self.parameters.repeats
        )[1]


def grouped_draws(
    signals: Signals, repeats: Repeats
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Draws (groups, parts) and weights (groups,) of the groups, in the order of their first tokens."""
    first, stakes = grouped_stakes(signals, repeats)
    return signals.draws[first], stakes


def grouped_stakes(
    signals: Signals, repeats: Repeats
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]:
    """Places of the groups' first tokens and weights of the groups, (groups,) each, in that order."""
    stakes = group_weights(
        np.zeros(len(signals.groups), dtype=np.bool_), signals.weights, signals.groups, repeats
    )[1]
    first = np.sort(np.unique(signals.groups, return_index=True)[1])
    return first, stakes[order_of_groups(signals.groups)]
