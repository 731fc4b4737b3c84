"""What copying and pasting may have made of a text: its canonical form, and that in sentence case."""

from __future__ import annotations

from functools import partial

import stela_core as stela
from stela_detection.canonical.draft import in_given
from stela_detection.canonical.form import canonical_text
from stela_detection.canonical.sentence_case import in_sentence_case

CANONICAL = "canonical"
SENTENCE_CASE = "in sentence case"


class Canonical(stela.Readings):
    """The canonical form of a text, and of one in capitals that form in sentence case."""

    name = "canonical"

    @classmethod
    def of(cls, text: str) -> list[stela.Reading]:
        """The canonical text and the text in sentence case, where they are other texts."""
        canonical = canonical_text(text)
        back = partial(in_given, steps=canonical.steps) if canonical.steps else None
        readings = []
        if canonical.text != text:
            readings.append(stela.Reading(CANONICAL, canonical.text, text, back))
        cased = in_sentence_case(canonical.text)
        if cased != canonical.text:
            readings.append(stela.Reading(SENTENCE_CASE, cased, text, back))
        return readings
