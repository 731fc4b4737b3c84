"""Which panels a run has, and how its series are drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from stela_models.cli.demo_languages import LANGUAGES

from stela_run.report.draw import style_of
from stela_run.report.read import Place, Run
from stela_run.report.strength import Strength, strength_at, strengths
from stela_run.report.values import Values


@dataclass(frozen=True)
class View:
    """A run, its numbers, and the styles of its schemes: the same in all figures."""

    run: Run
    values: Values
    strengths: list[Strength]
    styles: dict[str, dict[str, Any]]

    @classmethod
    def of(cls, run: Run) -> View:
        """Styles by the order of the schemes in the records."""
        labels = list(dict.fromkeys(record["label"] for record in run.records))
        values = Values(run)
        return cls(
            run,
            values,
            strengths(run, values),
            {label: style_of(index) for index, label in enumerate(labels)},
        )

    def grids(self, attack: str | None = None) -> Iterator[tuple[str, str, dict[str, list[Place]]]]:
        """Model and language, and the places of each scheme after an attack, by length; without one those
        that were not attacked.
        """
        attack = self.run.untouched if attack is None else attack
        by_language: dict[tuple[str, str], dict[str, list[Place]]] = {}
        for place in self.run.places:
            if place.attack == attack:
                schemes = by_language.setdefault((place.model, place.language), {})
                schemes.setdefault(place.label, []).append(place)
        for (model, language), schemes in by_language.items():
            yield model, language, {label: sorted(all_, key=_length) for label, all_ in schemes.items()}

    def longest(self, attack: str | None = None) -> Iterator[tuple[str, str, int, list[Place]]]:
        """Model, language, their longest length, and the places there after an attack; without one those
        that were not attacked.
        """
        for model, language, schemes in self.grids(attack):
            length = max(place.length for places in schemes.values() for place in places)
            yield (
                model,
                language,
                length,
                [place for places in schemes.values() for place in places if place.length == length],
            )

    def strength(self, model: str, language: str, length: int) -> Strength:
        """The strength of the schemes compared there."""
        return strength_at(self.strengths, model, language, length)

    def name(self, model: str, language: str) -> str:
        """Name of a panel: the language, and the model where there are several."""
        called = language_name(language)
        return f"{model}, {called}" if len(self.run.experiment["models"]) > 1 else called


def language_name(code: str) -> str:
    """A language as a reader calls it; what the experiment calls it where the name is not known here."""
    return LANGUAGES[code].name if code in LANGUAGES else code


def _length(place: Place) -> int:
    return place.length
