"""Which tokens cannot follow a token, since BPE would have cut their bytes otherwise."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from stela_core.text.bpe_merges import NEVER, SHIFT, Merges, merges_of

KEPT = 512
"""Ids whose unstable followers are remembered."""


class BpePairs:
    """Stability of pairs of neighbours, for all followers of a token at once.

    A row of tokens is what BPE makes of its bytes if and only if each two neighbours are (where no border of
    the pre-tokenizer lies between them): Vieira et al., "Language models over canonical byte-pair encodings"
    (2025).

    Args:
        merges: of the tokenizer.
    """

    def __init__(self, merges: Merges) -> None:
        self._right, self._rank = merges.right, merges.rank
        self.made = merges.made
        """Whether BPE makes each token of its own bytes, (ids,)."""
        self.unstable_after = lru_cache(KEPT)(self._unstable_after)
        """Ids that cannot follow an id, ascending, int64: see :meth:`_unstable_after`."""
        tokens = np.arange(len(merges.left))
        starts, takens, wholes = [tokens], [np.full(len(tokens), NEVER)], [tokens]
        while len(starts[-1]):
            inner = merges.left[starts[-1]]
            has = inner >= 0
            takens.append(merges.rank[starts[-1]][has])
            wholes.append(wholes[-1][has])
            starts.append(inner[has])
        start, taken, whole = (np.concatenate(parts) for parts in (starts, takens, wholes))
        order = np.lexsort((taken, start))
        self._taken, self._whole = taken[order], whole[order]
        """When each beginning of a token is merged into a longer one, and the token; in order of both."""
        self._from = np.searchsorted(start[order], np.arange(len(tokens) + 1))
        lefts = np.fromiter((pair >> SHIFT for pair in merges.pairs), np.int64, len(merges.pairs))
        rights = np.fromiter((pair & (1 << SHIFT) - 1 for pair in merges.pairs), np.int64, len(merges.pairs))
        ranks = np.fromiter(merges.pairs.values(), np.int64, len(merges.pairs))
        order = np.lexsort((ranks, lefts))
        self._next, self._when = rights[order], ranks[order]
        """What each token is merged with on its right, and when; by token, then time."""
        self._next_from = np.searchsorted(lefts[order], np.arange(len(tokens) + 1))

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> BpePairs | None:
        """Those of a tokenizer; ``None`` where it is no BPE tokenizer. Takes seconds where it is large."""
        merges = merges_of(tokenizer)
        return None if merges is None else cls(merges)

    def _unstable_after(self, token: int) -> npt.NDArray[np.int64]:
        """Ids that BPE does not leave behind ``token``, ascending: what :meth:`.Halves.stable` denies."""
        rows: list[npt.NDArray[np.int64]] = []
        end, taken = token, NEVER
        while 0 <= end < len(self._right):
            begin, stop = self._next_from[end], self._next_from[end + 1]
            stop = begin + np.searchsorted(self._when[begin:stop], taken)
            for start, merged in zip(
                self._next[begin:stop].tolist(), self._when[begin:stop].tolist(), strict=True
            ):
                first, last = self._from[start], self._from[start + 1]
                # Tokens that begin with it, and do not take it in before.
                rows.append(self._whole[first + np.searchsorted(self._taken[first:last], merged) : last])
            end, taken = int(self._right[end]), int(self._rank[end])
        return np.unique(np.concatenate(rows)) if rows else np.empty(0, dtype=np.int64)
