"""Unmarked texts under many keys: all that does not depend on the key is worked out once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from stela_core.detection.evidence import Evidence
from stela_core.interfaces import Hasher, Scorer
from stela_core.statistics.grouping import group_pairs, ranks


class Unmarked:
    """Weights and (hash context, token) pairs of texts; a key only colours the pairs.

    An *entry* is one distinct pair of one text, with the weights of its tokens added up. Entries are
    ordered by text, then by pair; texts without evidence have none and are left out.

    Args:
        evidence: of each text, under any key: colours and groups are not looked at.
        width: length of a hash context.
    """

    def __init__(self, evidence: Sequence[Evidence], width: int) -> None:
        self.kept = [n for n, found in enumerate(evidence) if (found.weights > 0).any()]
        """Numbers of the texts that have evidence, (texts,)."""
        rows = [evidence[n] for n in self.kept]
        before, scored = [np.empty((0, width), np.int64)], [np.empty(0, np.int64)]
        for found in rows:
            ids = np.asarray(found.ids, dtype=np.int64)
            before.append(ids[found.positions[:, None] + np.arange(-width, 0)])
            scored.append(ids[found.positions])
        contexts, tokens = np.concatenate(before), np.concatenate(scored)
        pairs = group_pairs(contexts, tokens)
        first = np.unique(pairs, return_index=True)[1]
        self.tokens: npt.NDArray[np.int64] = tokens[first]
        """Token of each distinct pair, (pairs,)."""
        numbers = group_pairs(contexts[first], np.zeros(len(first), dtype=np.int64))
        self._contexts = contexts[first][np.unique(numbers, return_index=True)[1]]
        self._context_of = numbers

        owner = np.repeat(np.arange(len(rows)), [len(found.positions) for found in rows])
        entries, member = np.unique(owner * max(1, len(first)) + pairs, return_inverse=True)
        self.pair: npt.NDArray[np.int64] = entries % max(1, len(first))
        """Number of the pair of each entry, (entries,)."""
        self.text: npt.NDArray[np.int64] = entries // max(1, len(first))
        """Number of the text of each entry, (entries,), ascending."""
        weights = np.concatenate([np.empty(0), *(found.weights for found in rows)])
        self.weight: npt.NDArray[np.float64] = _sums(member, weights, len(entries))
        """Summed weight of each entry, (entries,)."""
        self.count = len(rows)
        """Number of texts."""

    @property
    def starts(self) -> npt.NDArray[np.intp]:
        """First entry of each text, and the number of entries, (texts + 1,)."""
        return np.searchsorted(self.text, np.arange(self.count + 1))

    def green(self, hasher: Hasher) -> npt.NDArray[np.bool_]:
        """Colour of each distinct pair under the hasher's key, (pairs,)."""
        return hasher.green(self._seeds(hasher), self.tokens)

    def coins(self, hasher: Hasher) -> npt.NDArray[np.int64] | None:
        """Numbers of the coins that colour the pairs, (pairs,); ``None`` where each pair is its own."""
        found = group_pairs(ranks(hasher.coins(self._seeds(hasher), self.tokens)), self.tokens)
        return None if found.size == 0 or int(found.max()) + 1 == len(found) else found

    def z_scores(self, hasher: Hasher) -> npt.NDArray[np.float64]:
        """Grouped z of each text under the hasher's key, (texts,)."""
        return self.z_of(self.green(hasher), hasher.gamma, self.coins(hasher))

    def z_of(
        self, green: npt.NDArray[np.bool_], gamma: float, coins: npt.NDArray[np.int64] | None = None
    ) -> npt.NDArray[np.float64]:
        """Grouped z of each text, (texts,), for colours and coins of the pairs, (pairs,) each."""
        text, weight = self.text, self.weight
        excess = np.bincount(text, weight * (green[self.pair] - gamma), self.count)
        if coins is not None:
            merged, member = np.unique(text * len(coins) + coins[self.pair], return_inverse=True)
            weight = _sums(member, weight, len(merged))
            text = merged // len(coins)
        variance = gamma * (1 - gamma) * np.bincount(text, weight * weight, self.count)
        return np.asarray(excess / np.sqrt(variance))

    def p_values(self, hasher: Hasher, scorer: Scorer) -> npt.NDArray[np.float64]:
        """The scorer's p-value of each text under the hasher's key, (texts,)."""
        green, coins, starts = self.green(hasher), self.coins(hasher), self.starts.tolist()
        found = np.empty(self.count)
        for number, (start, end) in enumerate(pairwise(starts)):
            pair = self.pair[start:end]
            groups = np.arange(end - start) if coins is None else coins[pair]
            groups = np.unique(groups, return_inverse=True)[1].reshape(-1)
            found[number] = scorer.score(green[pair], self.weight[start:end], groups, hasher.gamma).p_value
        return found

    def _seeds(self, hasher: Hasher) -> npt.NDArray[np.uint64]:
        return hasher.seeds(self._contexts)[self._context_of]


def _sums(
    members: npt.NDArray[np.int64], values: npt.NDArray[np.float64], count: int
) -> npt.NDArray[np.float64]:
    """Sums of the values by member number, (count,)."""
    return np.bincount(members.reshape(-1), values, count).astype(np.float64, copy=False)
