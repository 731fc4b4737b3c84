"""Texts of a sample that a model is run over: human, marked, or the model's own."""

from __future__ import annotations

from typing import NamedTuple

import stela_run

from stela_core.api import Evidence


class Scored(NamedTuple):
    """One text, what it stands after, and the evidence of its detection."""

    prompt: str
    text: str
    evidence: Evidence


def texts_of_kind(sample: stela_run.Sample, kind: str) -> list[Scored]:
    """Texts that are ``human``, ``marked``, or the ``model``'s own without a mark."""
    if kind == "marked":
        return [Scored(row.generated.prompt, row.text, row.detection.evidence) for row in sample.marked]
    unmarked = sample.human if kind == "human" else sample.model_text
    return [Scored(row.prompt, row.text, row.detections[0].evidence) for row in unmarked if row.detections]
