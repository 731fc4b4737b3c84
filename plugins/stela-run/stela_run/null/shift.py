"""Whether a key keeps its rate of false alarms on human text.

The claim P(p <= a) <= a is over random keys. Under one key, pairs that are frequent in human text have
fixed colours, so the z of all texts is shifted together: by 0.1 to 0.2 (sd over keys) and by 0.35
under the worst of a hundred keys, which then gives 1.5 times as many false alarms at 0.1 and up to four
times as many at 1e-3 (docs/benchmarks.md). A key is accepted when human text shows that it is not one of
those.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from stela_run.statistics.shares import clopper_pearson

LENGTHS = (50, 100, 200, 400)
"""Texts have these lengths in turn (tokens): shifts grow with the length."""

LEVELS = (1e-1, 1e-2, 1e-3)
"""Levels whose observed shares are recorded."""

ERROR = 0.05
"""How often a bad key passes, at most, over all keys that one command draws."""

FEWEST = 100
"""Documents below which nothing can be said."""


@dataclass(frozen=True)
class Shift:
    """How z is distributed under one key, and what that does to the false alarms."""

    mean: float
    sd: float
    excess: float
    """Upper confidence bound of how far the key's null reaches beyond the claimed one, in units of z."""

    @property
    def accepted(self) -> bool:
        """Whether the text shows that no more false alarms than claimed are to be expected."""
        return self.excess <= 0


class Piece(NamedTuple):
    """Token ids cut from a document, and the number of that document among those that have one."""

    document: int
    ids: list[int]


def cut(texts: Iterable[str], tokenizer: Tokenizer, most: int, per_document: int = 1) -> Iterator[Piece]:
    """Up to ``most`` pieces of the lengths :data:`LENGTHS` in turn, ``per_document`` one after the other.

    Where a document has no more room for the length whose turn it is, the longest that fits is cut;
    what is shorter than the shortest is left out.
    """
    made = document = 0
    for text in texts:
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        start = 0
        for _ in range(per_document):
            if made == most:
                return
            room = min(len(ids) - start, LENGTHS[made % len(LENGTHS)])
            length = max((n for n in LENGTHS if n <= room), default=0)
            if not length:
                break
            yield Piece(document, ids[start : start + length])
            made += 1
            start += length
        document += start > 0


def shift_under_key(
    z: npt.NDArray[np.float64], documents: npt.NDArray[np.int64], alpha: float, error: float
) -> Shift:
    """Test the hypothesis that a key gives more false alarms than claimed, at 0.1 or at ``alpha``.

    Let z have mean m and standard deviation s over human texts under this key. The share of texts above
    the normal quantile q of a level is at most the level if ``m + q s <= q``, that is
    ``m + q (s - 1) <= 0``. The upper confidence bound of the left side has to be below 0 at both levels:
    an intersection-union test (Berger, Technometrics 24, 1982), so each bound is taken at ``error``, and a
    key that is bad at either level passes at most that often.

    Texts of one document resemble each other. The standard error is the cluster-robust one: text i moves
    the estimate by ``(z_i - m) + q ((z_i - m)^2 - s^2) / (2 s)``, over n; these are added up by document.
    Where s is small by chance, so is this error: at 150 documents 18 % of bad keys would pass, not 5 %.
    It is therefore multiplied by what the hypothesis claims s to be at least, ``1 - m / q``, over s (to first
    order a score test's error), and once more because the fourth moment moves along (then it is 3 %).

    Args:
        z: grouped z of n human texts under the key, (n,).
        documents: number of the document of each, (n,); documents are independent draws.
        alpha: the profile's threshold.
        error: probability that a bad key passes.
    """
    normal = NormalDist()
    mean, sd = float(z.mean()), float(z.std(ddof=1))
    apart = z - mean
    bounds = []
    for level in (0.1, alpha):
        q = -normal.inv_cdf(level)
        moves = apart + q * (apart * apart - sd * sd) / (2 * sd)
        standard_error = math.sqrt(float((np.bincount(documents, moves) ** 2).sum())) / len(z)
        excess = mean + q * (sd - 1)
        claimed = max(1.0, 1 - excess / (q * sd)) ** 2
        bounds.append(excess + claimed * -normal.inv_cdf(error) * standard_error)
    return Shift(mean, sd, max(bounds))


@dataclass(frozen=True)
class Share:
    """Observed share of texts with p <= level, with its 95 % interval."""

    level: float
    observed: float
    low: float
    high: float


def shares(
    p_values: npt.NDArray[np.float64], documents: npt.NDArray[np.int64], levels: Sequence[float] = LEVELS
) -> list[Share]:
    """Observed share at each level, with an interval whose clusters are documents.

    It is Clopper-Pearson's with the effective number of texts, ``p (1 - p)`` over the variance of p that
    the documents show, never more than there are (Korn and Graubard, Survey Methodology 24, 1998).
    """
    observed = []
    count = len(p_values)
    for level in levels:
        hits = p_values <= level
        p = float(hits.mean())
        variance = float((np.bincount(documents, hits - p) ** 2).sum()) / count**2
        effective = min(count, max(1, round(p * (1 - p) / variance))) if variance > 0 else count
        low, high = clopper_pearson(round(p * effective), effective)
        observed.append(Share(level, p, low, high))
    return observed
