"""From sums by what stood before to a table: classes with enough tokens, and their curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stela_tables.gains.sums import Gathered
from stela_tables.gains.table import Whole
from stela_tables.values import UNIT, ValueTable


class Classed(NamedTuple):
    """What a table holds of its classes."""

    classes: dict[str, int]
    """Numbers of classes by context."""
    counts: list[int]
    """Tokens of each class."""
    effects: Whole
    """Means, in millionths, (temperatures, 3, classes, strengths)."""


def by_values(sums: Gathered, table: ValueTable, bins: int) -> Classed:
    """Classes of about equally many tokens, by the value that a table gives the text before them.

    Contexts that are in the class of their longest suffix are left out: the class of no text depends on them.

    Args:
        sums: by value, in whole thousandths.
        table: of the values.
        bins: how many classes, at most.
    """
    of_value = value_classes(sums.keys, sums.counts, bins)
    classes = without_idle({context: of_value[value] for context, value in table.values.items()})
    return Classed(
        classes, *_means(sums, np.array([of_value[int(key)] for key in sums.keys]), max(of_value) + 1)
    )


def value_classes(keys: Sequence[str], counts: Whole, bins: int) -> list[int]:
    """The class of each value from 0 to 1000 thousandths; one that no token had is in the next higher one's.

    Args:
        keys: values that tokens had, whole thousandths.
        counts: how many had each, (keys,).
        bins: how many classes, at most.
    """
    tokens = np.zeros(UNIT + 1, dtype=np.int64)
    np.add.at(tokens, np.array([int(key) for key in keys]), counts)
    middles = np.cumsum(tokens) - tokens / 2
    seen = np.flatnonzero(tokens)
    of_seen = np.minimum((middles[seen] * bins / tokens.sum()).astype(int), bins - 1)
    _, numbers = np.unique(of_seen, return_inverse=True)
    after = np.minimum(np.searchsorted(seen, np.arange(UNIT + 1)), len(seen) - 1)
    return [int(number) for number in numbers.reshape(-1)[after]]


def by_tags(sums: Gathered, minimum: int) -> Classed:
    """A class for each context of tags that was seen often enough, and for what others back off to.

    A context seen fewer than ``minimum`` times joins those that end alike, its first tag left out.

    Args:
        sums: by tags, joined by spaces.
        minimum: tokens of a class, but for the empty context's.
    """
    tokens: dict[str, int] = {}
    for key, count in zip(sums.keys, sums.counts.tolist(), strict=True):
        for end in _ends(key):
            tokens[end] = tokens.get(end, 0) + count
    kept = {end for end, count in tokens.items() if count >= minimum} | {""}
    landed = [next(end for end in _ends(key) if end in kept) for key in sums.keys]
    # A context all of whose tokens land at longer ones serves texts that were not read, by the same sums.
    names = sorted(kept)
    classes = {name: number for number, name in enumerate(names)}
    counts, effects = _means(sums, np.array([classes[name] for name in landed]), len(names))
    for name in names:
        if not counts[classes[name]]:
            inside = np.array([name in set(_ends(key)) for key in sums.keys])
            one = Gathered(
                [k for k, took in zip(sums.keys, inside, strict=True) if took],
                sums.counts[inside],
                sums.sums[inside],
            )
            effects[:, :, classes[name]] = _means(one, np.zeros(len(one.keys), dtype=int), 1)[1][:, :, 0]
    return Classed(classes, counts, effects)


def without_idle(classes: Mapping[str, int]) -> dict[str, int]:
    """The contexts whose class is not that of their longest suffix among them, and the empty one."""
    kept = {"": classes[""]}
    for context in sorted(classes, key=len):
        if context and classes[context] != next(
            kept[end] for end in (context[n:] for n in range(1, len(context) + 1)) if end in kept
        ):
            kept[context] = classes[context]
    return kept


def _ends(key: str) -> list[str]:
    """A context of tags and its suffixes, longest first."""
    tags = key.split(" ") if key else []
    return [" ".join(tags[start:]) for start in range(len(tags) + 1)]


def _means(sums: Gathered, numbers: npt.NDArray[np.integer], size: int) -> tuple[list[int], Whole]:
    """Tokens and mean effects by class; never below 0, and 0 at strength 0."""
    counts = np.zeros(size, dtype=np.int64)
    np.add.at(counts, numbers, sums.counts)
    totals = np.zeros((size, *sums.sums.shape[1:]), dtype=np.int64)
    np.add.at(totals, numbers, sums.sums)
    means = np.maximum(totals, 0) // np.maximum(counts, 1)[:, None, None, None]
    means[..., 0] = 0
    return counts.tolist(), np.ascontiguousarray(means.transpose(1, 2, 0, 3))
