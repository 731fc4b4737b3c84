"""Whether schemes are compared at equal strength.

It is the mean bias that was measured, not the one asked for. Schemes that a pilot set to the same cost are at
equal strength, too, whatever their biases.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations

from stela_run.plan.labels import labels_of
from stela_run.plan.schema import COSTS, SchemeEntry
from stela_run.report.read import Run
from stela_run.report.values import Values

TOLERANCE = 0.10
"""Largest relative difference of mean biases that is called equal."""

FEW = 40
"""Characters of names that a warning has room for."""

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
    costs: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    """What a pilot set a scheme to, a cost and its nats, by scheme, where the experiment asks for one."""

    @property
    def measured(self) -> bool:
        """Whether it is known for all that have one."""
        known = self.choosing | self.costs.keys()
        return None not in (bias for label, bias in self.biases.items() if label not in known)

    @property
    def equal(self) -> bool:
        """Whether all are known and differ by no more than the tolerance."""
        alone = len(self.biases) == 1
        alike = all(self.alike(one, other) for one, other in combinations(self.biases, 2))
        return alike and self.measured and (alone or self.choosing <= self.costs.keys())

    def alike(self, one: str, other: str) -> bool:
        """Whether two schemes have one cost, or biases that differ by no more than the tolerance."""
        if self.same_cost(one, other):
            return True
        first, second = self.biases[one], self.biases[other]
        if first is None or second is None:
            return False
        return max(first, second) <= min(first, second) * (1 + TOLERANCE)

    def same_cost(self, one: str, other: str) -> str | None:
        """The cost by which a pilot set both schemes to the same value, in words; ``None`` where none did."""
        same = one in self.costs and self.costs[one] == self.costs.get(other)
        return self.costs[one][0].replace("_", " ") if same else None

    @property
    def odd(self) -> list[str]:
        """Schemes that do not match the others, where at least two match; marks that choose left out."""
        labels = [label for label in self.biases if label not in self._free]
        like = {label: [other for other in labels if self.alike(label, other)] for label in labels}
        most = max(labels, key=lambda label: len(like[label]), default=None)
        if most is None or len(like[most]) < 2:
            return []
        return [label for label in labels if label not in like[most]]

    def matches(self, label: str) -> bool:
        """Whether a scheme is at equal strength with all others, or with those that match each other."""
        free = self._free
        if label in free:
            return False
        rest, odd = self._without(free), self.odd
        return label not in odd if odd else rest.equal and (not free or len(rest.biases) > 1)

    @property
    def _free(self) -> frozenset[str]:
        """Marks that choose tokens and that no pilot set to a cost."""
        return self.choosing - self.costs.keys()

    def _without(self, labels: frozenset[str]) -> Strength:
        """The comparison of the other schemes."""
        rest = {label: bias for label, bias in self.biases.items() if label not in labels}
        return replace(self, biases=rest, choosing=self.choosing - labels)

    @property
    def warning(self) -> str:
        """What keeps the comparison from being fair; empty where nothing does."""
        if self.equal:
            return ""
        if self._free and len(self.biases) > 1:
            return CHOOSING
        named = ", ".join(self.odd)
        if named and len(named) <= FEW:
            return f"{named}: {NOT_EQUAL}"
        return NOT_EQUAL if self.measured else "strength not measured"

    @property
    def badge(self) -> str:
        """The same in words that fit over a figure; of marks that choose tokens the page says more, once."""
        if not self._free or not self.warning:
            return self.warning
        rest = self._without(self._free)
        return (rest.warning if rest.biases else "") or NO_COMMON

    @property
    def text(self) -> str:
        """The biases in words."""
        parts = (f"{label} {self._said(label, bias)}" for label, bias in self.biases.items())
        asked = dict.fromkeys(aim for aim, _ in self.costs.values())
        cost = (
            f"; {aim.replace('_', ' ')} set to: "
            + ", ".join(f"{label} {value:g}" for label, (of, value) in self.costs.items() if of == aim)
            for aim in asked
        )
        return f"mean bias (nats): {', '.join(parts)}" + "".join(cost)

    def _said(self, label: str, bias: float | None) -> str:
        if label in self.choosing:
            return "none, it chooses tokens"
        return "not measured" if bias is None else f"{bias:.2f}"


def strengths(run: Run, values: Values) -> list[Strength]:
    """One for each model, language and length, in the order of the run."""
    by_place: dict[tuple[str, str, int], dict[str, float | None]] = {}
    entries = [SchemeEntry.model_validate(entry) for entry in run.experiment["schemes"]]
    pairs = zip(labels_of(entries), entries, strict=True)
    aims = {
        label: (entry.piloted, float(getattr(entry, entry.piloted)))
        for label, entry in pairs
        if entry.piloted in COSTS
    }
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
