"""Labels of characters in words: B begins, M goes on, E ends, S is a word by itself."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import numpy.typing as npt

B, M, E, S = range(4)
NO_WORD = -1

Labels = npt.NDArray[np.int64]


def labels_of(spans: Iterable[tuple[int, int]], size: int) -> Labels:
    """(size,) labels of words at ``spans``; -1 where there is no word."""
    labels = np.full(size, NO_WORD)
    for start, end in spans:
        labels[start:end] = M
        labels[start] = B
        labels[end - 1] = E
        if end - start == 1:
            labels[start] = S
    return labels


NEVER = -1e9
"""Score of what cannot be."""
FOLLOWS = np.array([[0, 1, 1, 0], [0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 0, 1]], dtype=bool)
"""(4, 4) whether a label (column) may stand behind another (row)."""
FIRST = np.array([True, False, False, True])
LAST = np.array([False, False, True, True])


def best_labels(scores: npt.NDArray[np.float64]) -> Labels:
    """(n,) the labels of the highest sum of (n, 4) scores that part n > 0 characters into words.

    Viterbi's algorithm; of two that are equal, the label that comes first of B, M, E and S.
    """
    moves = np.where(FOLLOWS, 0.0, NEVER)
    best = scores[0] + np.where(FIRST, 0.0, NEVER)
    back = []
    for row in scores[1:]:
        ways = best[:, None] + moves
        back.append(ways.argmax(0))
        best = ways.max(0) + row
    label = int((best + np.where(LAST, 0.0, NEVER)).argmax())
    path = [label]
    for step in reversed(back):
        label = int(step[label])
        path.append(label)
    return np.array(path[::-1])


def words_of(text: str, scores: npt.NDArray[np.float64]) -> list[str]:
    """Words and runs of white space that join to ``text``, from (n, 4) scores of its characters."""
    words = []
    for match in re.finditer(r"(?P<space>\s+)|\S+", text):
        start, end = match.span()
        if match["space"]:
            words.append(match[0])
            continue
        labels = best_labels(scores[start:end])
        ends = [start, *(start + 1 + np.nonzero(LAST[labels])[0]).tolist()]
        words += [text[a:b] for a, b in pairwise(ends)]
    return words
