"""Unmarked texts under many keys: all that does not depend on the key is worked out once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from stela_core import Hasher, Law, Scorer, Signals
from stela_core.api import Evidence, group_pairs


class Unmarked:
    """Weights and (hash context, token) pairs of texts; a key only gives the pairs their signals.

    An *entry* is one distinct pair of one text, with the weight that the scorer gives its tokens together.
    Entries are ordered by text, then by pair; texts without evidence have none and are left out.

    Args:
        evidence: of each text, under any key: signals and groups are not looked at.
        hasher: under any key; says what the hash contexts are.
        scorer: whose statistic it is.
    """

    def __init__(self, evidence: Sequence[Evidence], hasher: Hasher, scorer: Scorer) -> None:
        self._scorer = scorer
        self.with_evidence = [n for n, text in enumerate(evidence) if (text.weights > 0).any()]
        """Numbers of the texts that have evidence, (texts,)."""
        rows = [evidence[n] for n in self.with_evidence]
        seen, scored = [], [np.empty(0, np.int64)]
        for row in rows:
            row_contexts, row_tokens = row.hashed(hasher)
            seen.append(row_contexts)
            scored.append(row_tokens)
        contexts = np.concatenate(seen) if seen else np.empty((0, hasher.context_width), np.int64)
        tokens = np.concatenate(scored)
        pairs = group_pairs(contexts & 0xFFFFFFFF, tokens)  # ids in front of a text are -1
        first = np.unique(pairs, return_index=True)[1]
        self.tokens: npt.NDArray[np.int64] = tokens[first]
        """Token of each distinct pair, (pairs,)."""
        numbers = group_pairs(contexts[first] & 0xFFFFFFFF, np.zeros(len(first), dtype=np.int64))
        self._contexts = contexts[first][np.unique(numbers, return_index=True)[1]]
        self._context_of = numbers

        owner = np.repeat(np.arange(len(rows)), [len(row.positions) for row in rows])
        entries, member = np.unique(owner * max(1, len(first)) + pairs, return_inverse=True)
        self.pair: npt.NDArray[np.int64] = entries % max(1, len(first))
        """Number of the pair of each entry, (entries,)."""
        self.text: npt.NDArray[np.int64] = entries // max(1, len(first))
        """Number of the text of each entry, (entries,), ascending."""
        self._weights = np.concatenate([np.empty(0), *(row.weights for row in rows)])
        self._entry_of = member.reshape(-1)
        self.weight: npt.NDArray[np.float64] = self._weigh(self._entry_of, len(entries))
        """Weight of each entry, (entries,)."""
        self.first: npt.NDArray[np.intp] = np.unique(self._entry_of, return_index=True)[1]
        """First token of each entry, (entries,), in all texts' scored tokens end to end."""
        self.count = len(rows)
        """Number of texts."""

    @property
    def starts(self) -> npt.NDArray[np.intp]:
        """First entry of each text, and the number of entries, (texts + 1,)."""
        return np.searchsorted(self.text, np.arange(self.count + 1))

    def green(self, hasher: Hasher) -> npt.NDArray[np.bool_]:
        """Colour of each distinct pair under the key of a green list, (pairs,)."""
        return np.asarray(self.draws(hasher)[:, 0] > 0)

    def draws(self, hasher: Hasher) -> npt.NDArray[np.float64]:
        """Draws of each distinct pair's signal under the hasher's key, (pairs, parts)."""
        return hasher.draws(self._seeds(hasher), self.tokens)

    def coins(self, hasher: Hasher) -> npt.NDArray[np.int64] | None:
        """Numbers of the coins that colour the pairs, (pairs,); ``None`` where each pair is its own."""
        coins = hasher.groups(self._seeds(hasher), self.tokens)
        return None if coins.size == 0 or int(coins.max()) + 1 == len(coins) else coins

    def z_scores(self, hasher: Hasher) -> npt.NDArray[np.float64]:
        """Grouped z of each text under the hasher's key, (texts,)."""
        law = hasher.law
        if hasher.drops_dependent:
            return np.array([self._scorer.score_signals(text).z for text in self._texts_under(hasher)])
        return self.z_of(law.signal(self.draws(hasher)), law, self.coins(hasher))

    def z_of(
        self,
        signal: npt.NDArray[np.float64] | npt.NDArray[np.bool_],
        law: Law,
        coins: npt.NDArray[np.int64] | None = None,
    ) -> npt.NDArray[np.float64]:
        """Grouped z of each text, (texts,), for signals or colours and coins of the pairs, (pairs,) each."""
        text, weight, excess = self.text, self.weight, signal[self.pair] - law.mean
        if coins is not None:
            merged, member = np.unique(text * len(coins) + coins[self.pair], return_inverse=True)
            weight = self._weigh(member.reshape(-1)[self._entry_of], len(merged))
            text = merged // len(coins)
            excess = excess[np.unique(member, return_index=True)[1]]
        total = np.bincount(text, weight * excess, self.count)
        variance = law.variance * np.bincount(text, weight * weight, self.count)
        return np.asarray(total / np.sqrt(variance))

    def p_values(self, hasher: Hasher) -> npt.NDArray[np.float64]:
        """The scorer's p-value of each text under the hasher's key, (texts,)."""
        if hasher.drops_dependent:
            return np.array([self._scorer.score_signals(text).p_value for text in self._texts_under(hasher)])
        draws, coins, law = self.draws(hasher), self.coins(hasher), hasher.law
        pair = self.pair[self._entry_of]
        groups = pair if coins is None else coins[pair]
        owner = self.text[self._entry_of]
        ends = np.searchsorted(owner, np.arange(self.count + 1)).tolist()
        p_values = np.empty(self.count)
        for number, (start, end) in enumerate(pairwise(ends)):
            numbers = np.unique(groups[start:end], return_inverse=True)[1].reshape(-1)
            signals = Signals(draws[pair[start:end]], self._weights[start:end], numbers, law)
            p_values[number] = self._scorer.score_signals(signals).p_value
        return p_values

    def _texts_under(self, hasher: Hasher) -> Iterator[Signals]:
        """The signals of each text, where a hasher leaves out tokens that depend on others."""
        seeds, owner = self._seeds(hasher), self.text[self._entry_of]
        for number in range(self.count):
            of_text = owner == number
            pairs, weights = self.pair[self._entry_of[of_text]], self._weights[of_text]
            free = hasher.independent(seeds[pairs], self.tokens[pairs])
            if free is not None:
                pairs, weights = pairs[free], weights[free]
            pair_seeds, tokens = seeds[pairs], self.tokens[pairs]
            groups = hasher.groups(pair_seeds, tokens)
            yield Signals(hasher.draws(pair_seeds, tokens), weights, groups, hasher.law)

    def _seeds(self, hasher: Hasher) -> npt.NDArray[np.uint64]:
        return hasher.seeds(self._contexts)[self._context_of]

    def _weigh(self, member: npt.NDArray[np.int64], count: int) -> npt.NDArray[np.float64]:
        """Weights of ``count`` coins, (count,), from the coin of each token, (tokens,)."""
        shares = self._scorer.shares(np.bincount(member, minlength=count))
        return np.bincount(member, self._weights * shares[member], count).astype(np.float64, copy=False)
