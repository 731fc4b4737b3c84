"""Bias on the green logits of an even split, compiled: the members of each cluster are written over.

The definition is ``balanced.py``; tokens in no cluster are done by the core's fused pass before. Numba is
there where that pass suits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from stela_kernels.arrays import halves
from stela_kernels.compiled_mix import mixed_number
from stela_kernels.passes import compile_kept

from stela_clusters.balanced import Clusters, draws_with, shares
from stela_core.api import mix

COUNTED = 32
"""Members of a cluster up to which ranks are counted, each against all: beyond, sorting is faster."""


def write_clusters(
    scores: npt.NDArray[np.float32],
    out: npt.NDArray[np.float32],
    seeds: npt.NDArray[np.uint64],
    biases: Sequence[float],
    vocab_size: int,
    gamma: float,
    clusters: Clusters,
) -> None:
    """Put into ``out`` the marked scores of the members of clusters.

    Args:
        scores: (rows, width), such that the core's fused pass suits; left as it was.
        out: (rows, width), right for all other tokens.
        seeds: (rows,).
        biases: (rows,), in nats; a row with bias 0 is left as it is.
        vocab_size: at most width; ids from here on are left as they are.
        gamma: share of green ids.
        clusters: of any ids.
    """
    if len(clusters):
        low, high = halves(seeds)
        whole, rest = shares(clusters.sizes, gamma)
        counts = whole + (mix(seeds[:, None], draws_with(clusters.lowest)[None]) < rest)
        shifts = np.asarray(biases, dtype=np.float32)
        compiled()(scores, out, low, high, shifts, vocab_size, clusters.starts, clusters.members, counts)


@cache
def compiled() -> Callable[..., None]:
    """The compiled pass."""
    signature = "void(f4[:,::1], f4[:,::1], u4[::1], u4[::1], f4[::1], i8, i8[::1], i8[::1], i8[:,::1])"
    kernel: Callable[..., None] = compile_kept(_write_clusters, signature)
    return kernel


def _write_clusters(
    scores: Any,
    out: Any,
    low: Any,
    high: Any,
    biases: Any,
    vocab_size: int,
    starts: Any,
    members: Any,
    counts: Any,
) -> None:
    """Write the scores, cluster by cluster: its members' numbers give ranks, by counting or by a sort."""
    numbers = np.empty(members.shape[0], dtype=np.uint32)
    for row in range(scores.shape[0]):
        source, target, bias = scores[row], out[row], biases[row]
        if bias == 0:
            continue
        s0, s1 = low[row], high[row]
        for i in range(members.shape[0]):
            numbers[i] = mixed_number(members[i], s0, s1)
        for c in range(starts.shape[0] - 1):
            start, stop, count = starts[c], starts[c + 1], counts[row, c]
            small = stop - start <= COUNTED
            largest = np.uint32(0)
            if not small and count > 0:
                largest = np.sort(numbers[start:stop])[count - 1]
            for i in range(start, stop):
                v = members[i]
                if v >= vocab_size:
                    continue
                if small:
                    smaller = 0
                    for j in range(start, stop):
                        smaller += numbers[j] < numbers[i]
                    green = smaller < count
                else:
                    green = count > 0 and numbers[i] <= largest
                target[v] = source[v] + bias if green else source[v]
