"""Repeated (hash context, token) pairs: one coin flip each, however often they occur."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

Repeats = Literal["sum", "root", "fourth-root", "mean"]
"""Weight of a pair that n tokens of mean weight w are: w n, w n^(1/2), w n^(1/4) or w."""

EXPONENTS: dict[Repeats, float] = {"sum": 1.0, "root": 0.5, "fourth-root": 0.25, "mean": 0.0}


def shares_of(counts: npt.NDArray[np.int64], rule: Repeats) -> npt.NDArray[np.float64]:
    """What each token of a pair counts, as a factor on its weight; the pair's weight is the sum.

    Args:
        counts: tokens of each pair, (m,), at least 1.
        rule: of :data:`EXPONENTS`.

    Returns:
        (m,): 1 for a pair that occurs once, whatever the rule; no rule looks at key or colours.
    """
    if rule == "sum":
        return np.ones(len(counts))
    n = counts.astype(np.float64)
    return np.asarray(n ** EXPONENTS[rule] / n)


def group_pairs(contexts: npt.NDArray[np.int64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Number the distinct (context, token) pairs.

    Args:
        contexts: hash contexts, (n, width), token ids in 0 .. 2**32 - 1.
        tokens: token ids, (n,).

    Returns:
        Group numbers (n,), in 0 .. number of distinct pairs - 1, in the order of the sorted pairs.
    """
    groups = np.zeros(len(tokens), dtype=np.int64)
    # Column by column, a pair's number so far and its next id fit in one integer: sorting integers
    # is much faster than sorting rows.
    for column in (*contexts.T, tokens):
        groups = np.unique((groups << 32) | column, return_inverse=True)[1].reshape(-1)
    return groups


def ranks(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Numbers of distinct values, (n,) or of rows, (n, words), -> (n, 1).

    A column for :func:`group_pairs`, whose ids are short.
    """
    axis = None if values.ndim == 1 else 0
    return np.unique(values, return_inverse=True, axis=axis)[1].reshape(-1, 1)


def group_weights(
    green: npt.NDArray[np.bool_],
    weights: npt.NDArray[np.float64],
    groups: npt.NDArray[np.int64],
    repeats: Repeats = "sum",
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64]]:
    """Colour and weight of each group.

    Args:
        green: colours of n tokens, (n,); tokens of one group have one colour.
        weights: weights of the tokens, (n,), at least 0.
        groups: group numbers of the tokens, (n,), at least 0; none needs to be in use.
        repeats: what the tokens of a group count together; by default their weights are summed.

    Returns:
        Colours and weights of the groups that have a token, (groups,) each, by group number.
    """
    if len(groups) == 0:
        return np.zeros(0, dtype=np.bool_), np.zeros(0)
    counts = np.bincount(groups)
    sums = np.bincount(groups, weights=weights).astype(np.float64, copy=False)
    colours = np.zeros(len(counts), dtype=np.bool_)
    colours[groups[green]] = True
    used = counts > 0
    colours, sums = colours[used], sums[used]
    return colours, sums if repeats == "sum" else sums * shares_of(counts[used], repeats)


def order_of_groups(groups: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The groups that have a token, as places in the order of their numbers, by their first token.

    Args:
        groups: group numbers of the tokens, (n,), at least 0.

    Returns:
        (groups,): index it with what :func:`group_weights` returns.
    """
    if len(groups) == 0:
        return np.zeros(0, dtype=np.int64)
    first = np.full(int(groups.max()) + 1, -1)
    # Backwards: what is written last, and stays, is the first token.
    first[groups[::-1]] = np.arange(len(groups))[::-1]
    return np.asarray(np.argsort(first[first >= 0]), dtype=np.int64)
