"""Hash contexts by what they mean: sums of their tokens' vectors, or the text that they spell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from stela_core.api import Vocabulary


def sums(vectors: npt.NDArray[np.int8], contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Sums of the vectors (ids, dimensions) of contexts' ids, (n, width) -> (n, dimensions).

    Ids that have none, such as the padding in front of a text, count for nothing.
    """
    total = np.zeros((len(contexts), vectors.shape[1]), dtype=np.int64)
    for ids in contexts.T:  # place by place: all at once would take width times the memory
        known = np.flatnonzero((ids >= 0) & (ids < len(vectors)))
        total[known] += vectors[ids[known]]
    return total


def texts(tokens: Vocabulary, contexts: npt.NDArray[np.int64]) -> Sequence[str]:
    """The text of each context, (n, width); parts of characters, at its edges, are left out."""
    size = len(tokens)
    rows = (b"".join(tokens[i] for i in row if 0 <= i < size) for row in contexts.tolist())
    return [row.decode(errors="ignore") for row in rows]
