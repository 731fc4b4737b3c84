"""Paired differences: the same prompt and seed under two schemes, so that what is the prompt's cancels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from stela_run.report.layout import View
from stela_run.report.rates import Estimate
from stela_run.report.read import Place, Tests
from stela_run.report.strength import NO_COMMON, NOT_EQUAL, Strength
from stela_run.report.values import RATE
from stela_run.statistics.anytime import anytime
from stela_run.statistics.bootstrap import Floats, drawn_means, mean_ends
from stela_run.statistics.families import LEVEL, bootstrap_p, holm, pairs_of
from stela_run.statistics.shares import clopper_pearson

RESAMPLES = 2_000
FINE = 20_000
"""Resamples for p-values: enough that one can be far below the level over the number of comparisons."""


@dataclass(frozen=True)
class Difference:
    """One scheme less another, at one model, language, length and attack."""

    one: str
    other: str
    pairs: int
    z: Estimate
    """Mean difference of z."""
    share: Estimate
    """Difference of the shares found at p <= 0.01."""
    equal: bool
    """Whether their mean biases are known and differ by no more than the tolerance."""
    apart: str
    """What is to be said where they do not: :attr:`.Strength.badge` of the two."""
    p: float
    """p-value of no difference of z, for this comparison by itself."""
    adjusted: float = 1.0
    """The same for all comparisons of the run together."""

    @property
    def text(self) -> str:
        """What it says, in words, corrected for all comparisons."""
        if self.adjusted > LEVEL:
            return "no detectable difference"
        said = f"{self.one if self.z.value > 0 else self.other} leaves more evidence"
        return said if self.equal else f"{said}, {self.apart}"


@dataclass(frozen=True)
class Differences:
    """Differences of one model, language, length and attack."""

    name: str
    strength: Strength
    rows: list[Difference]


def differences(view: View) -> list[Differences]:
    """All of a run without attack, in its order; lengths ascend. One without common texts is left out.

    They are one table, so one correction (Holm's) is for all of them. With an expected z there are none: the
    answers say as much.
    """
    return _corrected(list(_groups(view, view.run.untouched)))


def attacked_differences(view: View) -> list[Differences]:
    """The same after each attack, at the longest length: a separate table, and a separate correction."""
    attacks = dict.fromkeys(place.attack for place in view.run.places)
    return _corrected(
        [
            group
            for attack in attacks
            if attack != view.run.untouched
            for group in _groups(view, attack, longest=True, after=f", after {attack}")
        ]
    )


def _groups(view: View, attack: str, longest: bool = False, after: str = "") -> Iterator[Differences]:
    for model, language, schemes in view.grids(attack):
        lengths = sorted({place.length for places in schemes.values() for place in places})
        for length in lengths[-1:] if longest else lengths:
            places = [place for of in schemes.values() for place in of if place.length == length]
            strength = view.strength(model, language, length)
            rows = [
                row for pair in pairs_of(places) if (row := _difference(view, *pair, strength)) is not None
            ]
            if rows:
                yield Differences(f"{model}, {language}, {length} tokens{after}", strength, rows)


def _corrected(groups: list[Differences]) -> list[Differences]:
    adjusted = iter(holm([row.p for group in groups for row in group.rows]))
    return [
        replace(group, rows=[replace(row, adjusted=next(adjusted)) for row in group.rows]) for group in groups
    ]


def _difference(view: View, one: Place, other: Place, strength: Strength) -> Difference | None:
    first, second = (_by_text(view.run.of(place, "marked")) for place in (one, other))
    shared = sorted(first.keys() & second.keys())
    if not shared:
        return None
    z = np.array([first[text][0] - second[text][0] for text in shared])
    hits = np.array([float(first[text][1]) - float(second[text][1]) for text in shared])
    prompts = np.array([prompt for prompt, _ in shared])
    means, found_more = prompt_means(z, prompts), prompt_means(hits, prompts)
    mean_of = _mean_at_any_time if view.run.until_decided else _mean
    return Difference(
        one.label,
        other.label,
        len(shared),
        mean_of(means),
        _widened(mean_of(found_more), hits),
        strength.alike(one.label, other.label),
        NO_COMMON if {one.label, other.label} & strength.choosing else NOT_EQUAL,
        anytime(means).p if view.run.until_decided else _p_of(means),
    )


def _by_text(outcomes: Tests) -> dict[tuple[int, int], tuple[float, bool]]:
    """z, and whether p <= 0.01, by prompt and seed; a text that could not be tested has no evidence."""
    columns = (outcomes.prompt, outcomes.seed, np.nan_to_num(outcomes.z), outcomes.p_value <= RATE)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return {(prompt, seed): (z, hit) for prompt, seed, z, hit in rows}


def prompt_means(values: Floats, prompts: npt.NDArray[np.int64]) -> Floats:
    """Mean over seeds of each prompt, (prompts,)."""
    _, place = np.unique(prompts, return_inverse=True)
    means: Floats = np.bincount(place.ravel(), values) / np.bincount(place.ravel())
    return means


def _p_of(means: Floats) -> float:
    """Two-sided p-value of mean 0; 1 of a single prompt, which tells nothing of the spread."""
    if len(means) == 1:
        return 1.0
    return bootstrap_p(drawn_means(means, FINE, seed=0))


def _mean(means: Floats) -> Estimate:
    """The mean over prompts, with its percentile interval over them."""
    value = float(means.mean())
    if len(means) == 1:
        return Estimate(value)
    return Estimate(value, *mean_ends(means, RESAMPLES, seed=0))


def _mean_at_any_time(means: Floats) -> Estimate:
    """The same where texts came until all was decided: an interval that holds whenever one stops."""
    judged = anytime(means)
    return Estimate(judged.mean, judged.low, judged.high)


def _widened(mean: Estimate, differences_: Floats) -> Estimate:
    """The estimate, with a wider interval where all pairs agree: resamples agree then, which is too sure."""
    if np.ptp(differences_) > 0 or mean.low is None or mean.high is None:
        return mean
    count = len(differences_)
    agree = round(abs(mean.value) * count)
    low, high = clopper_pearson(agree, count)
    if mean.value == 0:
        return Estimate(0.0, -high, high)
    return Estimate(mean.value, *((low, high) if mean.value > 0 else (-high, -low)))
