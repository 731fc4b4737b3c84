"""Which tokens cannot follow a token: BPE would have merged their bytes otherwise.

A BPE token has a last merge, its halves have theirs, and so on; these decide which neighbours are not merged.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

SHIFT = 20
"""Ids are below 2**20: ``stela_core.text.tokenizer_form`` allows fewer tokens than that."""

NEVER = (1 << 40) - 1
"""Rank of a merge that does not take place."""

REMEMBERED = 512
"""Ids whose unstable followers are remembered."""


class Merges(NamedTuple):
    """The halves that each token id (ids,) is made of last, and when."""

    left: npt.NDArray[np.int64]
    """-1 where the token is not merged of others."""
    right: npt.NDArray[np.int64]
    rank: npt.NDArray[np.int64]
    """Number of the merge, the first is 0; :data:`NEVER` where there is none."""
    made: npt.NDArray[np.bool_]
    """Whether BPE makes the token from its bytes: some vocabularies hold tokens of no text."""
    pairs: dict[int, int]
    """``left << SHIFT | right`` to the rank of their merge."""


class Halves(NamedTuple):
    """The same as lists, in which single numbers are looked up several times faster."""

    left: list[int]
    right: list[int]
    rank: list[int]
    pairs: dict[int, int]

    def stable(self, token: int, follower: int, below: int = NEVER) -> bool:
        """Whether two neighbours are not merged by the merges before number ``below``: the definition.

        BPE tears them where some end of the one (its right half, the right half of that, ...) and some
        beginning of the other are merged before either is merged into what it is a half of. Of equal merges
        the leftmost comes first. After Vieira et al., "Language models over canonical byte-pair encodings"
        (2025).
        """
        end, end_taken = token, below
        while end >= 0:
            start, start_taken = follower, below - 1
            while start >= 0:
                merged = self.pairs.get(end << SHIFT | start, NEVER)
                if merged < end_taken and merged <= start_taken:
                    return False
                start, start_taken = self.left[start], self.rank[start]
            end, end_taken = self.right[end], self.rank[end]
        return True


def merges_of(tokenizer: Tokenizer) -> Merges | None:
    """The merges of a tokenizer; ``None`` where it is not a BPE tokenizer of the kind language models use.

    Where several merges make one token (SentencePiece's), BPE takes that whose halves are apart under all
    merges before it.
    """
    model: dict[str, Any] = json.loads(tokenizer.to_str())["model"]
    strange = ("dropout", "continuing_subword_prefix", "end_of_word_suffix")
    if model["type"] != "BPE" or any(model.get(name) for name in strange):
        return None
    vocabulary: dict[str, int] = model["vocab"]
    size = max(vocabulary.values(), default=-1) + 1
    if size > 1 << SHIFT:
        return None
    pairs: dict[int, int] = {}
    splits: dict[int, list[tuple[int, int, int]]] = {}
    lengths: dict[int, int] = {}
    for rank, merge in enumerate(model["merges"]):
        first, second = merge.split(" ") if isinstance(merge, str) else merge
        whole = vocabulary.get(first + second)
        left, right = vocabulary.get(first), vocabulary.get(second)
        if whole is None or left is None or right is None:
            return None
        pairs[left << SHIFT | right] = rank
        splits.setdefault(whole, []).append((left, right, rank))
        lengths[whole] = len(first) + len(second)
    halves = Halves([-1] * size, [-1] * size, [NEVER] * size, pairs)
    made = [True] * size
    for whole in sorted(splits, key=lengths.__getitem__):  # halves before what is made of them
        chosen = next((s for s in splits[whole] if made[s[0]] and made[s[1]] and halves.stable(*s)), None)
        made[whole] = chosen is not None
        halves.left[whole], halves.right[whole], halves.rank[whole] = chosen or splits[whole][0]
    return Merges(
        np.array(halves.left, dtype=np.int64),
        np.array(halves.right, dtype=np.int64),
        np.array(halves.rank, dtype=np.int64),
        np.array(made, dtype=np.bool_),
        pairs,
    )


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
        """Whether BPE makes each token from its bytes, (ids,)."""
        self.unstable_after = lru_cache(REMEMBERED)(self._unstable_after)
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
        """Rank of the merge of each token's beginning into a longer one, and the token; in order of both."""
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
        """Pairs of a tokenizer; ``None`` where it is not a BPE tokenizer. Takes seconds where it is large."""
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
