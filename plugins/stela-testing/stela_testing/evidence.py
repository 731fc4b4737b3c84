"""What every evidence is held to: no key changes a weight, and p-values hold (invariants 4 and 5)."""

from __future__ import annotations

from random import Random
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pytest

from stela_core import Surrogate, Watermark
from stela_core.api import Detector, Evidence, LanguageModel

TEXTS = (
    "It was unbelievably cold when the crew of the old ship counted the eels again, and again there were too "
    "many of them.",
    "The city lies on the river, and the river gave the city its name. The city of the river, people say; "
    "and of the river they say that it is the city's.",
    "Minutes of the meeting: the roof leaks, the roof has leaked since May, and the roof will leak until "
    "somebody pays. Nobody offered to. The next meeting is in the other room.",
)
"""Human text, some of it repetitive."""

TAIL = (1 - 0.999) / 2
"""Least probability, for p-values that hold, of a share as large (small) as the one that was seen."""


class EvidenceContract:
    """Subclass in your tests, with fixtures ``watermark`` and, where detection runs a model, ``model``."""

    texts: ClassVar[tuple[str, ...]] = TEXTS
    draws: ClassVar[int] = 1_000
    """Keys drawn for each text."""

    @pytest.fixture(scope="class")
    @classmethod
    def watermark(cls) -> Watermark:
        """The watermark under test, with any key."""
        raise NotImplementedError("override the fixture watermark")

    @pytest.fixture(scope="class")
    @classmethod
    def model(cls) -> LanguageModel | Surrogate | None:
        """What detection runs; by default nothing."""
        return None

    def detector(self, watermark: Watermark, key: int) -> Detector:
        """The same detector under another key."""
        return watermark.detector.with_composition(watermark.parts.under(key))

    def evidence(
        self, watermark: Watermark, model: LanguageModel | Surrogate | None, key: int
    ) -> list[Evidence]:
        """All texts under a key, from the beginning: nothing is kept of another one."""
        detector = self.detector(watermark, key)
        logits = watermark.logits_of(model)
        return detector.evidence(detector.ids_of(self.texts), logits)

    def test_no_key_and_no_colour_changes_a_weight(
        self, watermark: Watermark, model: LanguageModel | Surrogate | None
    ) -> None:
        """Keys are drawn anew: signals change, and what is weighed, and how, is the same to the last bit."""
        draw = Random(2026)
        first, *others = [self.evidence(watermark, model, draw.getrandbits(64)) for _ in range(4)]
        for other in others:
            for one, again in zip(first, other, strict=True):
                assert one.positions.tolist() == again.positions.tolist()
                assert alike(one.groups) == alike(again.groups)
                assert one.weights.tolist() == again.weights.tolist()
                assert one.signal.tolist() != again.signal.tolist()

    def test_p_values_hold_on_human_text(
        self, watermark: Watermark, model: LanguageModel | Surrogate | None
    ) -> None:
        """Each text under separate keys: rates at .1, .01 and .001 within their 99.9 % intervals."""
        from scipy.stats import binom

        draw = Random(7)
        p_values: list[float] = []
        for text in self.evidence(watermark, model, 1):
            for _ in range(self.draws):
                detector = self.detector(watermark, draw.getrandbits(64))
                own = detector.recoloured(text)
                p_values.append(detector.composition.scorer.score_signals(own.signals).p_value)
        values = np.array(p_values)
        for level in (0.1, 0.01, 0.001):
            hits, count = int((values <= level).sum()), len(values)
            # It is in the interval of Clopper and Pearson where each tail has half of 0.1 % or more.
            more = binom.sf(hits - 1, count, level)
            assert more >= TAIL, f"{hits / count} of p-values are at most {level}"
            fewer = binom.cdf(hits, count, 0.9 * level)
            assert level < 0.1 or fewer >= TAIL, "the test has lost its power"


def alike(groups: npt.NDArray[np.int64]) -> list[int]:
    """Groups by number of their first token: the numbers themselves are those of seeds in order."""
    _, first, place = np.unique(groups, return_index=True, return_inverse=True)
    told: list[int] = first[place].tolist()
    return told
