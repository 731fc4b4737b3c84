"""How well named parts of texts fit the marked ones: overlap, precision, recall and F1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from stela_run.statistics.shares import CONFIDENCE, clopper_pearson

Part = tuple[int, int]
"""Tokens ``start .. end - 1``."""

Rates = Callable[[float, float], float]
"""Function of recall and of the share of false alarms."""


def overlap(named: Sequence[Part], marked: Part) -> float:
    """Intersection over union of what is named and the marked part, in tokens: WaterSeeker's IoU.

    Args:
        named: parts that do not overlap each other.
        marked: the part, not empty.
    """
    start, end = marked
    inside = sum(max(0, min(stop, end) - max(begin, start)) for begin, stop in named)
    union = sum(stop - begin for begin, stop in named) + (end - start) - inside
    return inside / union


class Share(NamedTuple):
    """A quantity and its interval."""

    value: float
    low: float
    high: float


class Counts(NamedTuple):
    """What a detector did."""

    right: int
    """Documents whose passage was found."""
    hidden: int
    """Documents with one."""
    false: int
    """Documents without one in which something was named."""
    plain: int
    """Documents without."""

    def recall(self) -> Share:
        """Share of passages that were found, with its interval of Clopper and Pearson."""
        return Share(self.right / self.hidden, *clopper_pearson(self.right, self.hidden))

    def false_alarms(self) -> Share:
        """Share of documents without a passage in which something was named, with its interval."""
        return Share(self.false / self.plain, *clopper_pearson(self.false, self.plain))

    def precision(self) -> Share | None:
        """``R / (R + F)``: recall R, false alarms F, as of equally many documents with and without a passage.

        ``None`` where nothing was named.
        """
        if not self.right and not self.false:
            return None
        return self._of(lambda r, f: r / (r + f) if r + f else 0.0)

    def f1(self) -> Share:
        """``2 R / (1 + R + F)``, again as of equally many documents."""
        return self._of(lambda r, f: 2 * r / (1 + r + f))

    def _of(self, function: Rates) -> Share:
        """Value and interval of a function that rises with R and falls with F: its ends are those at R and F.

        Their intervals are wider, so that both hold at once (Bonferroni).
        """
        each = 1 - (1 - CONFIDENCE) / 2
        right = clopper_pearson(self.right, self.hidden, each)
        false = clopper_pearson(self.false, self.plain, each)
        value = function(self.right / self.hidden, self.false / self.plain)
        return Share(value, function(right[0], false[1]), function(right[1], false[0]))
