"""What stands before the scored tokens of texts, for weights that read it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from stela_core.interfaces import Context
from stela_core.interfaces.weighting import TAIL
from stela_core.text.pos_contexts import CausalContexts
from stela_core.text.prefix import tails_before_each
from stela_core.text.token_bytes import TokenBytes

Rows = Sequence[npt.NDArray[np.int64]]
Places = Sequence[npt.NDArray[np.intp]]


def contexts_at(contexts: CausalContexts | None, rows: Rows, positions: Places) -> list[Sequence[Context]]:
    """POS contexts, the tagger given all texts; nothing where the mark has none."""
    if contexts is None:
        return [()] * len(rows)
    places = [at.tolist() for at in positions]
    return list(contexts.before_places([ids.tolist() for ids in rows], places))


def tails_at(tokens: TokenBytes, rows: Rows, positions: Places) -> list[Sequence[str]]:
    """The end of the text before each token."""
    tails: list[Sequence[str]] = []
    for ids, at in zip(rows, positions, strict=True):
        before = tails_before_each(ids.tolist(), tokens, TAIL)
        tails.append([before[t] for t in at.tolist()])
    return tails
