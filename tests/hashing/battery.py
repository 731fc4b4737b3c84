"""Statistical tests of a keyed 32-bit mix; each gives p-values under its exact null."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy import stats

from stela_core.hashing import keys

Mix = Callable[[npt.NDArray[np.uint64], npt.NDArray[np.int64]], npt.NDArray[np.uint32]]
PValues = npt.NDArray[np.float64]

VOCABULARY = 151_936
STRUCTURED = np.array(
    [0, 1, 2, 2**31, 2**32, 2**32 + 1, 2**63, 2**32 - 1, 2**64 - 2**32, 2**64 - 1], np.uint64
)
RANDOM = np.random.default_rng(20240613).integers(0, 2**64, 1 << 15, dtype=np.uint64)
TOKENS = (0, 1, 2, 255, 1000, 65_536, VOCABULARY - 1)


def two_sided_binomial(hits: npt.ArrayLike, trials: int, p: float) -> PValues:
    tails = np.minimum(stats.binom.cdf(hits, trials, p), stats.binom.sf(np.asarray(hits) - 1, trials, p))
    return np.minimum(1.0, 2 * np.atleast_1d(tails))


def bins(x: npt.NDArray[np.uint32]) -> float:
    """Chi-square of 256 bins, both tails: too even is as bad as too uneven."""
    counts = np.bincount(x >> np.uint32(24), minlength=256)
    statistic = float(((counts - len(x) / 256) ** 2).sum() / (len(x) / 256))
    return 2 * min(stats.chi2.cdf(statistic, 255), stats.chi2.sf(statistic, 255))


def uniform_over_tokens(mix: Mix) -> PValues:
    tokens = np.arange(VOCABULARY)
    return np.array([bins(mix(seed, tokens)) for seed in [*STRUCTURED[:, None], *RANDOM[:20, None]]])


def uniform_over_contexts(mix: Mix) -> PValues:
    found = []
    for key in (0, 1, 2**64 - 1):
        seeds = keys.keyed_seeds(key, np.arange(30_000)[:, None])
        found += [bins(mix(seeds, np.array([token]))) for token in TOKENS]
    return np.array(found)


def independent_keys(mix: Mix) -> PValues:
    """Agreement of colours of the same pairs under keys that differ in one bit."""
    contexts, tokens = np.arange(20_000)[:, None], np.arange(20_000) * 7
    found = []
    for bit in (0, 1, 31, 32, 63):
        a, b = (mix(keys.keyed_seeds(key, contexts), tokens) < 1 << 30 for key in (99, 99 ^ 1 << bit))
        found.append(two_sided_binomial(int((a == b).sum()), len(tokens), 0.25**2 + 0.75**2))
    return np.concatenate(found)


def pairs_of_tokens(mix: Mix) -> PValues:
    """Agreement of the colours of two tokens over many seeds: neighbours and one bit apart."""
    found = []
    for token in TOKENS:
        for other in [token + 1, *(token ^ 1 << bit for bit in range(18))]:
            a, b = mix(RANDOM, np.array([token])), mix(RANDOM, np.array([other]))
            for below, p in ((1 << 31, 0.5), (1 << 30, 0.25)):
                both = int(((a < below) & (b < below)).sum())
                found.append(two_sided_binomial(both, len(RANDOM), p * p))
    return np.concatenate(found)


def avalanche(mix: Mix) -> PValues:
    """Each output bit flips half the time when an input bit (32 of the token, 64 of the seed) flips."""
    seeds, tokens = RANDOM[: 1 << 13], np.arange(1 << 13) * 18
    base = mix(seeds, tokens)
    flips = [mix(seeds, tokens ^ (1 << bit)) for bit in range(32)]
    flips += [mix(seeds ^ np.uint64(1 << bit), tokens) for bit in range(64)]
    hits = [((base ^ flip)[:, None] >> np.arange(32, dtype=np.uint32) & 1).sum(axis=0) for flip in flips]
    return two_sided_binomial(np.concatenate(hits), len(tokens), 0.5)


BATTERY = (uniform_over_tokens, uniform_over_contexts, independent_keys, pairs_of_tokens, avalanche)


def family_wise(p_values: PValues) -> float:
    """Bonferroni: below alpha with probability at most alpha if every null holds."""
    return min(1.0, float(p_values.min()) * p_values.size)
