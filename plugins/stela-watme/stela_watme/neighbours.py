"""Interchangeable tokens by their embeddings: pairs that are each other's nearest neighbour."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import numpy.typing as npt

from stela_core.api import Vocabulary

_ROWS = 1024
"""Tokens that are compared with all others at once."""


def mutual_neighbours(
    vectors: npt.NDArray[np.float32], tokens: Vocabulary, threshold: float
) -> list[list[int]]:
    """Pairs of ids, each the other's nearest neighbour among the tokens written alike.

    Args:
        vectors: embeddings of length 1, (vocabulary, dimensions).
        tokens: bytes of the ids.
        threshold: smallest cosine of a pair, in [-1, 1].

    Returns:
        Pairs of ascending ids, in the order of the first.
    """
    pairs = []
    for ids in alike(tokens).values():
        if len(ids) < 2:
            continue
        nearest, cosines = _nearest(vectors[ids])
        for one, other in enumerate(nearest.tolist()):
            if one < other and nearest[other] == one and cosines[one] >= threshold:
                pairs.append([ids[one], ids[other]])
    return sorted(pairs)


def alike(tokens: Vocabulary) -> dict[tuple[bool, bool], list[int]]:
    """The ids of tokens that are only letters, by whether a space and whether a capital comes first."""
    classes: dict[tuple[bool, bool], list[int]] = defaultdict(list)
    for index in range(len(tokens)):
        if not tokens.is_text(index):
            continue
        try:
            text = tokens[index].decode()
        except UnicodeDecodeError:  # a part of a character
            continue
        word = text.removeprefix(" ")
        if word.isalpha():
            classes[word != text, word[:1].isupper()].append(index)
    return classes


def _nearest(vectors: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float32]]:
    """The nearest other row of each, and the cosine: (n,), (n,)."""
    nearest, cosines = np.zeros(len(vectors), dtype=np.intp), np.zeros(len(vectors), dtype=np.float32)
    for start in range(0, len(vectors), _ROWS):
        products = vectors[start : start + _ROWS] @ vectors.T
        rows = np.arange(len(products))
        products[rows, start + rows] = -2
        nearest[start : start + _ROWS] = products.argmax(axis=1)
        cosines[start : start + _ROWS] = products.max(axis=1)
    return nearest, cosines
