"""Whether schemes are compared at equal strength.

It is the mean bias that was measured, not the one asked for. Schemes that a pilot set to the same divergence
are at equal strength, too, whatever their biases.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations

from stela_run.plan.labels import labels_of
from stela_run.plan.schema import SchemeEntry
from stela_run.report.read import Run
from stela_run.report.values import Values

TOLERANCE = 0.10
"""Largest relative difference of mean biases that is called equal."""

CHOOSING = "marks that choose tokens have no strength: compare what each costs, too"
NOT_EQUAL = "not at equal strength"
NO_COMMON = "no common strength"
"""Badge of a comparison with marks that choose tokens."""


@dataclass(frozen=True)
class Strength:
    """The strengths of the schemes of one comparison: one model, language and length."""

    model: str
    language: str
    length: int
    biases: dict[str, float | None]
    """Mean bias (nats) by scheme; ``None`` where no metric measured it, or there is none."""
    choosing: frozenset[str] = frozenset()
    """Schemes whose mark chooses tokens: it is not a bias."""
    divergences: Mapping[str, float] = field(default_factory=dict)
    """Divergence (nats) that a pilot set a scheme to, by scheme, where the experiment asks for one."""

    @property
    def measured(self) -> bool:
        """Whether it is known for all that have one."""
        known = self.choosing | self.divergences.keys()
        return None not in (bias for label, bias in self.biases.items() if label not in known)

    @property
    def equal(self) -> bool:
        """Whether all are known and differ by no more than the tolerance."""
        alone = len(self.biases) == 1
        alike = all(self.alike(one, other) for one, other in combinations(self.biases, 2))
        return alike and self.measured and (alone or not self.choosing)

    def alike(self, one: str, other: str) -> bool:
        """Whether two schemes have one divergence, or biases that differ by no more than the tolerance."""
        if self.same_divergence(one, other):
            return True
        first, second = self.biases[one], self.biases[other]
        if first is None or second is None:
            return False
        return max(first, second) <= min(first, second) * (1 + TOLERANCE)

    def same_divergence(self, one: str, other: str) -> bool:
        """Whether a pilot set both schemes to the same divergence."""
        return one in self.divergences and self.divergences[one] == self.divergences.get(other)

    @property
    def warning(self) -> str:
        """What keeps the comparison from being fair; empty where nothing does."""
        if self.equal:
            return ""
        if self.choosing and len(self.biases) > 1:
            return CHOOSING
        return NOT_EQUAL if self.measured else "strength not measured"

    @property
    def badge(self) -> str:
        """The same in words that fit over a figure; of marks that choose tokens the page says more, once."""
        if not self.choosing or not self.warning:
            return self.warning
        rest = {label: bias for label, bias in self.biases.items() if label not in self.choosing}
        others = (
            Strength(self.model, self.language, self.length, rest, frozenset(), self.divergences).warning
            if rest
            else ""
        )
        return others or NO_COMMON

    @property
    def text(self) -> str:
        """The biases in words."""
        parts = (f"{label} {self._said(label, bias)}" for label, bias in self.biases.items())
        cost = ", ".join(f"{label} {value:g}" for label, value in self.divergences.items())
        return f"mean bias (nats): {', '.join(parts)}" + (f"; divergence set to: {cost}" if cost else "")

    def _said(self, label: str, bias: float | None) -> str:
        if label in self.choosing:
            return "none, it chooses tokens"
        return "not measured" if bias is None else f"{bias:.2f}"


def strengths(run: Run, values: Values) -> list[Strength]:
    """One for each model, language and length, in the order of the run."""
    by_place: dict[tuple[str, str, int], dict[str, float | None]] = {}
    entries = [SchemeEntry.model_validate(entry) for entry in run.experiment["schemes"]]
    pairs = zip(labels_of(entries), entries, strict=True)
    aims = {label: entry.divergence for label, entry in pairs if entry.divergence is not None}
    choosing = frozenset(record["label"] for record in run.records if record.get("samples"))
    for place in run.places:
        of = by_place.setdefault((place.model, place.language, place.length), {})
        bias = values.bias(place)
        if of.get(place.label) is None:
            of[place.label] = None if bias is None else bias.value
    return [
        Strength(
            *key, biases, choosing & biases.keys(), {label: aims[label] for label in aims if label in biases}
        )
        for key, biases in sorted(by_place.items(), key=lambda item: _rank(run, item[0]))
    ]


def _rank(run: Run, key: tuple[str, str, int]) -> tuple[int, int, int]:
    model, language, length = key
    return (
        run.experiment["models"].index(model),
        list(run.experiment["languages"]).index(language),
        length,
    )


def strength_at(compared: list[Strength], model: str, language: str, length: int) -> Strength:
    """The comparison of schemes there."""
    [one] = [s for s in compared if (s.model, s.language, s.length) == (model, language, length)]
    return one
