"""Expected values by context: sums over text, smoothed from short contexts to long ones, pruned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from stela_core.tables.values import UNIT

MICRO = 1_000_000
"""Targets are summed as whole millionths: the sum does not depend on the order."""

Steps = Sequence[str] | tuple[str, ...]


class Expectations:
    """Sum targets by context of each length.

    Args:
        longest: characters (or tags) of the longest context.
        joiner: what stands between the units of a context: nothing for characters, a space for tags.
    """

    def __init__(self, longest: int, joiner: str = "") -> None:
        self.longest = longest
        self._joiner = joiner
        self.sums: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()
        self.total = 0

    def add(self, contexts: Iterable[Steps], targets: npt.NDArray[np.floating]) -> None:
        """Add the target of each position to its context and all suffixes of it.

        Args:
            contexts: text before each position, or its tags.
            targets: finite numbers, (positions,).
        """
        sums, counts, join = self.sums, self.counts, self._joiner.join
        for context, target in zip(contexts, np.rint(targets * MICRO).astype(np.int64).tolist(), strict=True):
            self.total += 1
            for length in range(min(self.longest, len(context)) + 1):
                suffix = join(context[len(context) - length :])
                sums[suffix] += target
                counts[suffix] += 1

    def means(self) -> dict[str, float]:
        """Mean target of each context."""
        return {context: self.sums[context] / count / MICRO for context, count in self.counts.items()}


def smooth(
    means: dict[str, float], counts: Counter[str], smoothing: float, minimum: int, joiner: str = ""
) -> dict[str, float]:
    """``(n mean(c) + m v(suffix of c)) / (n + m)``, from short contexts to long ones.

    Args:
        means: by context; every context's suffixes are among them.
        counts: how often each was seen (n).
        smoothing: weight of the suffix, in observations (m).
        minimum: contexts seen less often are left out.
        joiner: what stands between the units of a context.
    """
    smoothed = {"": means[""]}
    for context in sorted(means, key=lambda c: (len(_units(c, joiner)), c)):
        count = counts[context]
        if context and count >= minimum:
            below = smoothed[_suffix(context, joiner)]
            smoothed[context] = (count * means[context] + smoothing * below) / (count + smoothing)
    return smoothed


def prune(values: dict[str, float], least: float, joiner: str = "") -> dict[str, int]:
    """Whole thousandths of the contexts that differ by ``least`` from their longest suffix that is kept."""
    kept: dict[str, int] = {"": _whole(values[""])}
    for context in sorted(values, key=lambda c: (len(_units(c, joiner)), c)):
        if not context:
            continue
        below = _suffix(context, joiner)
        while below not in kept:
            below = _suffix(below, joiner)
        if abs(values[context] - kept[below] / UNIT) >= least:
            kept[context] = _whole(values[context])
    return kept


def unbiased_gini(counts: Iterable[int]) -> float:
    """``1 - sum n (n - 1) / (N (N - 1))``: the chance that two draws differ; 1 for a single one."""
    numbers = list(counts)
    total = sum(numbers)
    return 1.0 if total < 2 else 1 - sum(n * (n - 1) for n in numbers) / (total * (total - 1))


def _whole(value: float) -> int:
    return max(0, round(value * UNIT))


def _units(context: str, joiner: str) -> Sequence[str]:
    return context.split(joiner) if joiner and context else context


def _suffix(context: str, joiner: str) -> str:
    return context.partition(joiner)[2] if joiner else context[1:]
