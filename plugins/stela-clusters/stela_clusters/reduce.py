"""Token embeddings made small: few dimensions, whole numbers, clusters of equal size."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

_ROWS = 1024
"""Vectors that are compared with all others at once."""

_TURNS = 32


def reduced(vectors: Floats, dimensions: int) -> Floats:
    """Vectors of length 1 (n, d) in their own first principal directions: (n, ``dimensions``), length 1 or 0.

    By the eigenvectors of ``V' V``: what is kept is what most of the vocabulary differs in.
    """
    kept = min(dimensions, vectors.shape[1])
    wide = vectors.astype(np.float64)
    directions = np.linalg.eigh(wide.T @ wide)[1][:, ::-1][:, :kept]
    short = wide @ directions
    lengths = np.linalg.norm(short, axis=1, keepdims=True)
    return np.asarray(short / np.where(lengths > 0, lengths, 1), dtype=np.float32)


def quantised(vectors: Floats) -> npt.NDArray[np.int8]:
    """Vectors of length 1 as whole numbers of length 127, and a little: each token has one voice in a sum."""
    return np.rint(127 * vectors).clip(-127, 127).astype(np.int8)


def matched(vectors: Floats) -> npt.NDArray[np.int64]:
    """Rows in pairs of near ones: for each of the n rows its partner, -1 for one left over, (n,).

    Again and again, those of the rows left that are each other's nearest are paired. What is left after
    ``_TURNS`` turns, such as many equal rows, is paired in order.
    """
    partner = np.full(len(vectors), -1, dtype=np.int64)
    left = np.arange(len(vectors))
    for _ in range(_TURNS):
        if len(left) < 2:
            break
        nearest = _nearest(vectors[left])
        mutual = nearest[nearest] == np.arange(len(left))
        partner[left[mutual]] = left[nearest[mutual]]
        left = left[~mutual]
    left = left[: len(left) // 2 * 2]
    partner[left[::2]], partner[left[1::2]] = left[1::2], left[::2]
    return partner


def clustered(vectors: Floats, members: npt.NDArray[np.int64], rounds: int) -> list[list[int]]:
    """Clusters of ``2**rounds`` near members, by pairing members, then pairs, and so on.

    Args:
        vectors: of length 1 or 0, (n, d).
        members: rows to put into clusters.
        rounds: of pairing; what is left over in one goes on by itself.

    Returns:
        Disjoint groups that make up the members.
    """
    groups = [[member] for member in members.tolist()]
    for _ in range(rounds):
        sums = np.stack([vectors[group].sum(axis=0) for group in groups])
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        partner = matched(np.asarray(sums / np.where(lengths > 0, lengths, 1), dtype=np.float32)).tolist()
        groups = [
            group if other < 0 else group + groups[other]
            for one, (group, other) in enumerate(zip(groups, partner, strict=True))
            if other < 0 or one < other
        ]
    return groups


def _nearest(vectors: Floats) -> npt.NDArray[np.int64]:
    """The nearest other row of each, (n,); of equally near ones the first."""
    nearest = np.empty(len(vectors), dtype=np.int64)
    for start in range(0, len(vectors), _ROWS):
        products = vectors[start : start + _ROWS] @ vectors.T
        rows = np.arange(len(products))
        products[rows, start + rows] = -np.inf
        nearest[start : start + _ROWS] = products.argmax(axis=1)
    return nearest
