"""Bias on the green logits of an even split, compiled: the members of each cluster are written over.

The definition is ``hashing/balanced.py``; tokens in no cluster are done by ``fused_bias`` before. Importing
this needs numba, which there is where ``fused_bias`` suits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from stela_core.hashing.balanced import Clusters, draws_with, shares
from stela_core.hashing.colour import halves, mix
from stela_core.kernels import fused_bias
from stela_core.kernels.compiled_mix import mixed_number
from stela_core.kernels.passes import compile_kept

COUNTED = 32
"""Members of a cluster up to which ranks are counted, each against all: beyond, sorting is faster."""


def add_bias_to_array(
    scores: npt.NDArray[np.float32],
    seeds: npt.NDArray[np.uint64],
    biases: Sequence[float],
    vocab_size: int,
    gamma: float,
    clusters: Clusters,
) -> npt.NDArray[np.float32]:
    """New scores with ``biases[r]`` added to the green ids below ``vocab_size`` of row r.

    Args:
        scores: (rows, width), such that ``fused_bias.suits_array``; left as it was.
        seeds: (rows,).
        biases: (rows,), in nats; a row with bias 0 is copied.
        vocab_size: at most width; ids from here on are copied.
        gamma: share of green ids.
        clusters: of any ids.
    """
    out = fused_bias.add_bias_to_array(scores, seeds, biases, vocab_size, gamma)
    if len(clusters):
        low, high = halves(seeds)
        whole, rest = shares(clusters.sizes, gamma)
        counts = whole + (mix(seeds[:, None], draws_with(clusters.lowest)[None]) < rest)
        shifts = np.asarray(biases, dtype=np.float32)
        compiled()(scores, out, low, high, shifts, vocab_size, clusters.starts, clusters.members, counts)
    return out


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
    """For each cluster its members' numbers, their ranks by counting or by a sort, and the scores."""
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
