"""From sums to a table: levels from short contexts to long ones, each smoothed and pruned by its suffixes.

One group of parts is worked on at a time. What is seen too rarely goes first: a context is seen no more
often than its suffix, so the suffixes of what is left are left too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stela_core import StelaError
from stela_tables.learning.keys import PARTS, ROOT, Keys, shorter, unit_hashes
from stela_tables.learning.observed import MICRO
from stela_tables.learning.recipe import Recipe
from stela_tables.learning.records import Records, Section
from stela_tables.learning.run_file import groups_of
from stela_tables.learning.suffixes import Suffixes, dtype_of
from stela_tables.learning.sums import Sums
from stela_tables.values import MAX_VALUES, UNIT

Floats = npt.NDArray[np.float64]


class Finished(NamedTuple):
    """What the file of a table holds."""

    values: dict[str, int]
    """Whole thousandths by context, the empty one among them."""
    mean: int
    """Mean over the positions that have a context of full length; over all positions where there is none."""


def finish(sums: Sums, recipe: Recipe, joiner: str = "") -> Finished:
    """Smooth and prune the sums that a folder holds, as of its last checkpoint.

    A context has ``(n v + m v') / (n + m)``: v of its n observations, v' of its suffix, m the smoothing.
    Those whose value differs by less than ``least`` of the mean from that of their longest suffix in the
    table are left out.

    Args:
        sums: at least one observation.
        recipe: smoothing, minimum, least.
        joiner: what stands between the units of a context.

    Raises:
        StelaError: the table would have more contexts than any reader takes.
    """
    return _Finishing(sums, recipe, joiner).run()


class _Finishing:
    def __init__(self, sums: Sums, recipe: Recipe, joiner: str) -> None:
        self._sums = sums
        self._recipe = recipe
        self._joiner = joiner
        self._units = sums.units
        self._hashes = unit_hashes(self._units)
        # An object array: rows of it are joined to names.
        self._names = np.array([*self._units, ""], dtype=object)[:-1]

    def run(self) -> Finished:
        sums, recipe = self._sums, self._recipe
        count, total, short = sums.totals
        mean = self._root_gini(count) if recipe.counts_followers else total / count / MICRO
        value = float(self._shown(np.array([mean]))[0])
        self._least = recipe.least * value
        self._values = {"": max(0, round(value * UNIT))}
        self._weighed = (count - short) * self._values[""]
        root = np.zeros(1, dtype=dtype_of(0))
        root["key"], root["value"], root["kept"] = ROOT, mean, self._values[""]
        below = Suffixes(sums.folder / "level-0", 0)
        below.add(root)
        for level in range(1, sums.longest + 1):
            own = Suffixes(sums.folder / f"level-{level}", level)
            self._level(level, below, own)
            below.remove()
            below = own
        below.remove()
        full = count - short
        return Finished(self._values, round(self._weighed / full) if full else self._values[""])

    def _level(self, level: int, below: Suffixes, own: Suffixes) -> None:
        """The contexts of one length: ``below`` are the suffixes, ``own`` takes what longer ones need."""
        section = Section("contexts", level)
        sizes = self._sums.sizes(section)
        if self._recipe.counts_followers:
            sizes = sizes + self._sums.sizes(Section("followers", level))
        for first, last in groups_of(sizes):
            records = self._sums.read(section, first, last).records
            records = records[records["count"] >= self._recipe.minimum]
            suffixes = below.read(first, last)
            if not len(records) or not len(suffixes):
                continue
            keys = shorter(records["key"], self._hashes[records["unit"]])
            at = np.minimum(np.searchsorted(suffixes["key"], keys), len(suffixes) - 1)
            # Only where two contexts have one key is there none.
            known = suffixes["key"][at] == keys
            records, at = records[known], at[known]
            made = np.empty(len(records), dtype=dtype_of(level))
            means = self._means(records, level, first, last)
            counts, smoothing = records["count"].astype(np.float64), self._recipe.smoothing
            made["key"] = records["key"]
            made["value"] = (counts * means + smoothing * suffixes["value"][at]) / (counts + smoothing)
            made["kept"] = suffixes["kept"][at]
            made["path"][:, 0] = records["unit"]
            made["path"][:, 1:] = suffixes["path"][at]
            self._keep(made, self._full(records, level, first, last))
            if level < self._sums.longest:
                own.add(made)

    def _keep(self, made: Records, full: npt.NDArray[np.int64]) -> None:
        """Take the contexts whose values differ from those of their suffixes, and note it."""
        shown = self._shown(made["value"])
        differs = np.abs(shown - made["kept"] / UNIT) >= self._least
        whole = np.maximum(0, np.rint(shown[differs] * UNIT)).astype(np.int32)
        # The mean over positions, one step of back-off at a time: whole numbers below 2^63.
        self._weighed += int((full[differs] * (whole - made["kept"][differs])).sum())
        made["kept"][differs] = whole
        names = self._names[made["path"][differs]].tolist()
        self._values.update(zip(map(self._joiner.join, names), whole.tolist(), strict=True))
        if len(self._values) > MAX_VALUES:
            raise StelaError(
                f"the table has more than {MAX_VALUES:,} contexts, more than any reader accepts.",
                "give a larger --least or --minimum: what was summed is used again",
            )

    def _full(self, records: Records, level: int, first: int, last: int) -> npt.NDArray[np.int64]:
        """How many observations of each context have one of full length."""
        counts = records["count"].astype(np.int64)
        if level == self._sums.longest:
            return counts
        short = self._sums.read(Section("short", level), first, last).records
        return counts - _looked_up(records["key"], short["key"], short["count"].astype(np.int64))

    def _means(self, records: Records, level: int, first: int, last: int) -> Floats:
        if not self._recipe.counts_followers:
            means: Floats = records["sum"] / records["count"] / MICRO
            return means
        pairs = self._sums.read(Section("followers", level), first, last).records
        contexts = shorter(pairs["key"], self._hashes[pairs["unit"]])
        order = np.argsort(contexts)
        keys, starts = np.unique(contexts[order], return_index=True)
        counts = pairs["count"].astype(np.int64)[order]
        alike = np.add.reduceat(counts * (counts - 1), starts)
        return _unbiased_gini(_looked_up(records["key"], keys, alike), records["count"].astype(np.int64))

    def _root_gini(self, count: int) -> float:
        pairs = self._sums.read(Section("followers", 0), 0, PARTS).records
        counts = pairs["count"].astype(np.int64)
        alike = (counts * (counts - 1)).sum(keepdims=True)
        return float(_unbiased_gini(alike, np.array([count]))[0])

    def _shown(self, values: Floats) -> Floats:
        """What the table holds of a smoothed value."""
        return values / (1 + values) if self._recipe.quantity == "gumbel-gain" else values


def _looked_up(wanted: Keys, keys: Keys, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The number of each wanted key; 0 where there is none. ``keys`` ascend."""
    if not len(keys):
        return np.zeros(len(wanted), dtype=np.int64)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, numbers[at], 0)


def _unbiased_gini(alike: npt.NDArray[np.int64], totals: npt.NDArray[np.int64]) -> Floats:
    """``1 - sum n (n - 1) / (N (N - 1))``: the chance that two draws differ; 1 for a single one."""
    ways = totals * (totals - 1)
    return np.where(ways > 0, 1 - alike / np.maximum(ways, 1), 1.0)
