"""The p-values of a text's evidence, corrected for what was tested and what a stranger may have chosen."""

from __future__ import annotations

from dataclasses import dataclass

from stela_core.composition import Composition
from stela_core.detection.evidence import Evidence
from stela_core.detection.verdict import decisive
from stela_core.interfaces import Score
from stela_core.profile.provenance import Provenance


@dataclass(frozen=True)
class Corrected:
    """What a verdict rests on."""

    own: float
    """The p-value of the evidence, times its tests."""
    alike: float | None
    """With every token counted alike, where the table is a stranger's: see :attr:`.Detection.p_alike`."""
    chosen: float | None
    """Times the number of keys, where a stranger may have chosen among them part by part."""
    tests: tuple[Evidence, ...]
    """The evidence, once for each test that has to reach alpha."""
    choices: float
    """The number of those keys, else 1."""
    looks: float
    """What p-values were multiplied by, all in all."""

    @property
    def decisive(self) -> float:
        """The p-value that is held against alpha."""
        return decisive(self.own, self.alike, self.chosen)


def corrected(
    evidence: Evidence, score: Score, composition: Composition, provenance: Provenance, tests: int
) -> Corrected:
    """Correct a score's p-value: ``tests`` marks are tested in all, the evidence has its share of alpha."""
    times = tests / evidence.share
    own = min(1.0, times * score.p_value)
    alike, weighed = None, [evidence]
    if provenance.foreign_table and composition.evidence.uses_table:
        weighed.append(evidence.alike())
        plain = evidence.whole or composition.scorer.score_signals(weighed[1].signals)
        alike = min(1.0, times * plain.p_value)
    choices = provenance.choices_of(composition.hasher.log_choices)
    chosen = min(1.0, choices * decisive(own, alike)) if choices > 1 else None
    return Corrected(own, alike, chosen, tuple(weighed), choices, times * choices)
