"""n-gram counts by tag names, and lambda worked out the slow way, from the formula alone."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from stela_tables.counts import NgramCounts, TaggerIdentity
from stela_tables.table import IndeterminacyTable

IDENTITY = TaggerIdentity("letters", "none", "1", "0123456789abcdef", "letters", "en")

Documents = Sequence[Sequence[str]]


def count(documents: Documents, k: int) -> NgramCounts:
    counts = Counter(tuple(tags[i : i + k]) for tags in documents for i in range(len(tags) - k + 1))
    return NgramCounts(len(documents), sum(map(len, documents)), counts)


def table_of(corpora: Mapping[str, Documents], k: int) -> IndeterminacyTable:
    return IndeterminacyTable.from_counts(k, IDENTITY, {name: count(d, k) for name, d in corpora.items()})


def slow_lambda(corpora: Mapping[str, Documents], k: int, context: tuple[str, ...]) -> float:
    """The paper's formula for a suffix of a context, over plain dictionaries; backs off where unseen."""
    seen = []
    for documents in corpora.values():
        after: dict[str, int] = defaultdict(int)
        for ngram, n in count(documents, k).counts.items():
            if ngram[:-1][k - 1 - len(context) :] == context:
                after[ngram[-1]] += n
        if after:
            seen.append({tag: n / sum(after.values()) for tag, n in after.items()})
    if not seen:
        return slow_lambda(corpora, k, context[1:])
    tags = {tag for probabilities in seen for tag in probabilities}
    if len(tags) == 1:
        return 0.0
    mean = [sum(p.get(tag, 0.0) for p in seen) / len(seen) for tag in sorted(tags)]
    return -sum(p * math.log(p) for p in mean) / math.log(len(tags))
