"""Whether a key keeps its rate of false alarms on human text.

The claim P(p <= a) <= a is over random keys. Under one key, pairs that are frequent in human text have
fixed colours, so the z of all texts is shifted together: by about 0.1 to 0.2 (sd over keys), and by 0.5
under the worst of a hundred keys, which then gives twice as many false alarms at 0.1 and five times as many
at 1e-3. A key is accepted when human text shows that it is not one of those.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from stela_core.numeric.intervals import clopper_pearson

LENGTHS = (50, 100, 200, 400)
"""Documents are cut to these lengths in turn (tokens): shifts grow with the length."""

LEVELS = (1e-1, 1e-2, 1e-3)
"""Whose observed shares are recorded."""

ERROR = 0.05
"""How often a bad key passes, at most, over all keys that one command draws."""

FEWEST = 100
"""Texts below which nothing can be said."""


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


def cut(texts: Iterable[str], tokenizer: Tokenizer, most: int) -> Iterator[list[int]]:
    """Token ids of up to ``most`` documents, cut to :data:`LENGTHS` in turn, or to the longest that fits.

    One cut per document: texts are then independent draws, given the key. Documents with fewer tokens
    than the shortest length are left out.
    """
    found = 0
    for text in texts:
        if found == most:
            return
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        wanted = LENGTHS[found % len(LENGTHS)]
        length = max((n for n in LENGTHS if n <= min(len(ids), wanted)), default=0)
        if length:
            found += 1
            yield ids[:length]


def shift_under_key(z: npt.NDArray[np.float64], alpha: float, error: float) -> Shift:
    """Test the hypothesis that a key gives more false alarms than claimed, at 0.1 or at ``alpha``.

    Let z have mean m and standard deviation s over human texts under this key. The share of texts above
    the normal quantile q of a level is at most the level if ``m + q s <= q``, that is
    ``m + q (s - 1) <= 0``. The left side is estimated with the standard error
    ``s sqrt((1 + q^2 / 2) / n)`` (that of a normal sample's quantile). Its upper confidence bound has to
    be below 0 at both levels: an intersection-union test (Berger, Technometrics 24, 1982), so each bound
    is taken at ``error`` and a key that is bad at either level passes at most that often.

    Args:
        z: grouped z of n independent human texts under the key, (n,), n >= 2.
        alpha: the profile's threshold.
        error: probability that a bad key passes.
    """
    normal = NormalDist()
    mean, sd = float(z.mean()), float(z.std(ddof=1))
    margin = -normal.inv_cdf(error)
    bounds = []
    for level in (min(0.1, alpha), max(0.1, alpha)):
        q = -normal.inv_cdf(level)
        standard_error = sd * math.sqrt((1 + q * q / 2) / len(z))
        bounds.append(mean + q * (sd - 1) + margin * standard_error)
    return Shift(mean, sd, max(bounds))


@dataclass(frozen=True)
class Share:
    """Observed share of texts with p <= level, with its 95 % interval over texts."""

    level: float
    observed: float
    low: float
    high: float


def shares(p_values: npt.NDArray[np.float64]) -> list[Share]:
    """Observed share at each of :data:`LEVELS` with Clopper-Pearson's interval.

    Under one key, texts are independent draws: no clustering.
    """
    found = []
    for level in LEVELS:
        hits = int((p_values <= level).sum())
        low, high = clopper_pearson(hits, len(p_values))
        found.append(Share(level, hits / len(p_values), low, high))
    return found
