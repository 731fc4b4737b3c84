"""Scores of signals that are no colours: one or more exponentials, or several bits, for each token."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from stela_core.interfaces import Law, Score, Signals
from stela_core.interfaces.sampling import signal_of
from stela_core.statistics.bits_tail import bits_tail, least_bits_tail
from stela_core.statistics.exponential_tail import exponential_tail
from stela_core.statistics.grouping import group_weights, order_of_groups
from stela_core.statistics.repeats import Repeats
from stela_core.statistics.sums import dot


def score_of_signals(signals: Signals, repeats: Repeats, split: bool) -> Score:
    """Weighted z over groups of repeated pairs, with the exact tail of its statistic.

    Tokens of one group share their draws, and are one signal whose weight grows by the rule ``repeats``. Each
    draw then counts its group's weight times its part of the law.

    Args:
        signals: of n tokens, whose law is no green list's.
        repeats: what the tokens of a group count together.
        split: ties of bits are told apart by their order.
    """
    draws, stakes = grouped_draws(signals, repeats)
    law = signals.law
    return Score(
        z=signal_z(signal_of(draws, law), stakes, law),
        z_plain=signal_z(signal_of(signals.draws, law), signals.weights, law),
        p_value=_tail(draws, stakes, law, split),
    )


def least_p_of_signals(signals: Signals, repeats: Repeats) -> float:
    """The smallest p-value that any draws could give these weights: of the largest draw everywhere."""
    draws, stakes = grouped_draws(signals, repeats)
    law = signals.law
    if law.draws == "bernoulli":
        return least_bits_tail(_weights_of_draws(stakes, law), law.gamma)
    return _tail(np.full(draws.shape, law.largest), stakes, law, split=False)


def grouped_draws(
    signals: Signals, repeats: Repeats
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Draws (groups, parts) and weights (groups,) of the groups, in the order of their first tokens."""
    stakes = group_weights(
        np.zeros(len(signals.groups), dtype=np.bool_), signals.weights, signals.groups, repeats
    )[1]
    first = np.sort(np.unique(signals.groups, return_index=True)[1])
    return signals.draws[first], stakes[order_of_groups(signals.groups)]


def signal_z(signal: npt.NDArray[np.float64], weights: npt.NDArray[np.float64], law: Law) -> float:
    """Standardised weighted sum of signals (n,), by weights (n,) of at least 0; 0.0 where none has weight."""
    largest = float(weights.max()) if len(weights) else 0.0
    if largest == 0.0:
        return 0.0
    # In units of the largest weight nothing under- or overflows when squared.
    shares = weights / largest
    return dot(shares, signal - law.mean) / math.sqrt(law.variance * dot(shares, shares))


def _tail(draws: npt.NDArray[np.float64], stakes: npt.NDArray[np.float64], law: Law, split: bool) -> float:
    weights = _weights_of_draws(stakes, law)
    if law.draws == "exponential":
        return exponential_tail(draws.ravel(), weights, law.excess)
    return bits_tail(draws.ravel() > 0, weights, law.gamma, split)


def _weights_of_draws(stakes: npt.NDArray[np.float64], law: Law) -> npt.NDArray[np.float64]:
    return np.asarray(np.multiply.outer(stakes, np.array(law.parts)).ravel())
