"""The hash context of the next token of each row, and whether it is marked at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from stela_core.insertion.row_keys import RowKeys
from stela_core.interfaces import Mark

Rows = Sequence[Sequence[int]] | npt.NDArray[np.integer[Any]]
Last = list[Sequence[int] | None]


class NextContexts:
    """Find the hash contexts of a step: by slices where the hasher reads the last ids and nothing more.

    Args:
        hasher: under any key.
    """

    def __init__(self, hasher: Mark[Any]) -> None:
        hasher = common_hasher(hasher)
        self._hasher = hasher
        self._width = hasher.context_width
        self._plain = hasher.padding is None and not hasher.first_only and not hasher.own_contexts

    def of(self, generated: Rows) -> tuple[Last, Sequence[Sequence[int] | None]]:
        """The generated ids that the context of each row rests on, and the context.

        Both are ``None`` for a row that is not marked: it has too few ids, or its context came before in the
        text and the hasher marks a context once.
        """
        if self._plain:
            last = last_ids(generated, self._width)
            return last, last
        ends: Last = []
        contexts: list[Sequence[int] | None] = []
        for row in generated:
            ids = np.asarray(row, dtype=np.int64)
            context = self._context_of(ids)
            contexts.append(context)
            ends.append(None if context is None else ids[max(0, len(ids) - self._width) :].tolist())
        return ends, contexts

    def _context_of(self, ids: npt.NDArray[np.int64]) -> Sequence[int] | None:
        start = self._width if self._hasher.padding is None else 0
        if len(ids) < start:
            return None
        first_only = self._hasher.first_only
        first = start if first_only else len(ids)
        so_far = self._hasher.contexts(ids, np.arange(first, len(ids) + 1))
        if (so_far[:-1] == so_far[-1]).all(axis=1).any():
            return None
        most = self._hasher.most_contexts if first_only else None
        if most is not None and len(so_far) > most and len(np.unique(so_far, axis=0)) > most:
            return None
        context: list[int] = so_far[-1].tolist()
        return context


def common_hasher(hasher: Mark[Any]) -> Mark[Any]:
    """One of the hashers of a batch whose rows have keys of their own: hash contexts depend on none."""
    return hasher.alike if isinstance(hasher, RowKeys) else hasher


def last_ids(generated: Rows, width: int) -> Last:
    """The last ``width`` ids of each row; ``None`` where it has fewer."""
    if isinstance(generated, np.ndarray):
        length = generated.shape[1]
        if length < width:
            return [None] * len(generated)
        ends: Last = generated[:, length - width :].tolist()
        return ends
    return [row[len(row) - width :] if len(row) >= width else None for row in generated]
