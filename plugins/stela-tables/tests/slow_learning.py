"""Learning as it is defined, in dictionaries of all contexts: the oracle of ``tables/learning``."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from stela_tables.values import UNIT

MICRO = 1_000_000

Context = tuple[str, ...]


class Observation(NamedTuple):
    """A position: what stood before it, a value in whole millionths, the token there."""

    before: Context
    value: int
    token: int = 0


class Means:
    """Means and counts of each context and all its suffixes."""

    def __init__(self, observations: Sequence[Observation], longest: int, gini: bool = False) -> None:
        sums: Counter[Context] = Counter()
        self.counts: Counter[Context] = Counter()
        followers: dict[Context, Counter[int]] = defaultdict(Counter)
        for before, value, token in observations:
            for length in range(min(longest, len(before)) + 1):
                suffix = before[len(before) - length :]
                sums[suffix] += value
                self.counts[suffix] += 1
                followers[suffix][token] += 1
        self.means = {c: sums[c] / n / MICRO for c, n in self.counts.items()}
        if gini:
            self.means = {c: unbiased_gini(followers[c].values()) for c in self.counts}


def smooth(
    means: dict[Context, float], counts: Counter[Context], smoothing: float, minimum: int
) -> dict[Context, float]:
    """``(n mean(c) + m v(suffix of c)) / (n + m)``, from short contexts to long ones."""
    smoothed: dict[Context, float] = {(): means[()]}
    for context in sorted(means, key=len):
        count = counts[context]
        if context and count >= minimum:
            below = smoothed[context[1:]]
            smoothed[context] = (count * means[context] + smoothing * below) / (count + smoothing)
    return smoothed


def prune(values: dict[Context, float], least: float) -> dict[Context, int]:
    """Whole thousandths of the contexts that differ by ``least`` from their longest suffix that is kept."""
    kept: dict[Context, int] = {(): _whole(values[()])}
    for context in sorted(values, key=len):
        if context and abs(values[context] - kept[_longest_of(kept, context[1:])] / UNIT) >= least:
            kept[context] = _whole(values[context])
    return kept


def mean_of(kept: dict[Context, int], counts: Counter[Context], longest: int) -> int:
    """Mean value over the positions that have a context of full length, in thousandths."""
    full = {context: count for context, count in counts.items() if len(context) == longest}
    total = sum(count * kept[_longest_of(kept, context)] for context, count in full.items())
    return round(total / sum(full.values())) if full else kept[()]


def unbiased_gini(counts: Iterable[int]) -> float:
    """``1 - sum n (n - 1) / (N (N - 1))``: the chance that two draws differ; 1 for a single one."""
    numbers = list(counts)
    total = sum(numbers)
    return 1.0 if total < 2 else 1 - sum(n * (n - 1) for n in numbers) / (total * (total - 1))


def _longest_of(kept: dict[Context, int], context: Context) -> Context:
    while context not in kept:
        context = context[1:]
    return context


def _whole(value: float) -> int:
    return max(0, round(value * UNIT))
