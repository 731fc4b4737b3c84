"""Paired differences: the same prompt and seed under two schemes, so that what is the prompt's cancels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from stela_core.runner.report.layout import View
from stela_core.runner.report.rates import Estimate
from stela_core.runner.report.read import Place, Tests
from stela_core.runner.report.strength import Strength
from stela_core.runner.report.values import RATE
from stela_core.statistics.bootstrap import Floats, mean_ends
from stela_core.statistics.intervals import clopper_pearson

RESAMPLES = 2_000
MOST = 4
"""Schemes of which all pairs are compared; of more, each with the first."""


@dataclass(frozen=True)
class Difference:
    """One scheme less another, at one model, language and length, without attack."""

    one: str
    other: str
    pairs: int
    z: Estimate
    """Mean difference of z."""
    found: Estimate
    """Difference of the shares found at p <= 0.01."""
    equal: bool
    """Whether their mean biases are known and differ by no more than the tolerance."""

    @property
    def text(self) -> str:
        """What it says, in words."""
        low, high = self.z.low, self.z.high
        if low is None or high is None or low <= 0 <= high:
            return "not told apart"
        found = f"{self.one if low > 0 else self.other} leaves more evidence"
        return found if self.equal else f"{found}, not at equal strength"


@dataclass(frozen=True)
class Differences:
    """Those of one model, language and length."""

    name: str
    strength: Strength
    rows: list[Difference]


def differences(view: View) -> list[Differences]:
    """All of a run, in its order; lengths ascend. A comparison without common texts is left out."""
    found = []
    for model, language, schemes in view.grids():
        for length in sorted({place.length for places in schemes.values() for place in places}):
            places = [place for of in schemes.values() for place in of if place.length == length]
            strength = view.strength(model, language, length)
            rows = [row for pair in _pairs(places) if (row := _difference(view, *pair, strength)) is not None]
            if rows:
                found.append(Differences(f"{model}, {language}, {length} tokens", strength, rows))
    return found


def _pairs(places: list[Place]) -> Iterator[tuple[Place, Place]]:
    """The later scheme first: what is new is compared with what came before it."""
    if len(places) <= MOST:
        yield from ((later, first) for first, later in combinations(places, 2))
    else:
        yield from ((later, places[0]) for later in places[1:])


def _difference(view: View, one: Place, other: Place, strength: Strength) -> Difference | None:
    first, second = (_by_text(view.run.of(place, "marked")) for place in (one, other))
    shared = sorted(first.keys() & second.keys())
    if not shared:
        return None
    z = np.array([first[text][0] - second[text][0] for text in shared])
    hits = np.array([float(first[text][1]) - float(second[text][1]) for text in shared])
    prompts = np.array([prompt for prompt, _ in shared])
    return Difference(
        one.label,
        other.label,
        len(shared),
        _mean(z, prompts),
        _widened(_mean(hits, prompts), hits),
        strength.alike(one.label, other.label),
    )


def _by_text(outcomes: Tests) -> dict[tuple[int, int], tuple[float, bool]]:
    """z, and whether p <= 0.01, by prompt and seed; a text that could not be tested has no evidence."""
    columns = (outcomes.prompt, outcomes.seed, np.nan_to_num(outcomes.z), outcomes.p_value <= RATE)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return {(prompt, seed): (z, found) for prompt, seed, z, found in rows}


def _mean(values: Floats, prompts: npt.NDArray[np.int64]) -> Estimate:
    """The mean over prompts of their mean over seeds, with its percentile interval over prompts."""
    _, place = np.unique(prompts, return_inverse=True)
    means = np.bincount(place.ravel(), values) / np.bincount(place.ravel())
    value = float(means.mean())
    if len(means) == 1:
        return Estimate(value)
    return Estimate(value, *mean_ends(means, RESAMPLES, seed=0))


def _widened(found: Estimate, differences_: Floats) -> Estimate:
    """Where all pairs agree, resamples do, too, which says too much: so many could still differ."""
    if np.ptp(differences_) > 0 or found.low is None or found.high is None:
        return found
    count = len(differences_)
    agree = round(abs(found.value) * count)
    low, high = clopper_pearson(agree, count)
    if found.value == 0:
        return Estimate(0.0, -high, high)
    return Estimate(found.value, *((low, high) if found.value > 0 else (-high, -low)))
