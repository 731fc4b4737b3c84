"""Texts tested under several marks that differ by their key alone: weighed once, coloured for each.

What a text's evidence weighs depends on no key, so cutting, tagging and weighing, which take nearly all of
the time, are done once. With n marks tested, n times the smallest of their p-values is a p-value
(Bonferroni): on unmarked text P(min p_i <= a / n) <= sum P(p_i <= a / n) <= a, however the tests depend on
each other.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from stela_core.catalogue import lent
from stela_core.composition import Composition
from stela_core.detection.batch import Batch
from stela_core.detection.detector import Detector
from stela_core.detection.result import Detection, best_reading
from stela_core.detection.verdict import VERDICTS
from stela_core.interfaces import Scorer
from stela_core.interfaces.encoder import no_message
from stela_core.logs import timed
from stela_core.profile.epochs import Written, note_of
from stela_core.profile.key_set import KeySet, OwnKey

log = logging.getLogger(__name__)

SHOWN = 16
"""Candidate keys whose detections are kept."""


class KeyedDetectors:
    """A profile's keys: detectors that differ in their key alone.

    Args:
        detector: of the current key.
        keys: those that are at hand; the detector is that of the first.
    """

    def __init__(self, detector: Detector, keys: KeySet) -> None:
        self._detector = detector
        self.keys = keys
        self.named = keys.several or keys.known[0].published is not None
        """Whether a detection has to say which of the keys it is about."""

    def __len__(self) -> int:
        """How many keys texts are tested for."""
        return len(self.keys.known)

    @property
    def detector(self) -> Detector:
        """Of the current key."""
        return self._detector

    def among(self, messages: Sequence[int | str]) -> KeyedDetectors:
        """The same for these messages alone; errors as for :meth:`.Watermark.among`."""
        parts = self._detector.composition
        if parts.encoder is None:
            raise no_message()
        narrowed = replace(parts, encoder=parts.encoder.among(messages))
        return KeyedDetectors(self._detector.with_composition(narrowed), self.keys)

    def only(self, key_id: str | None, written: Written | None) -> KeyedDetectors:
        """The same for the keys of this id and of these days; errors as for :meth:`.KeySet.only`."""
        keys, parts = self.keys.only(key_id, written), self._detector.composition
        return KeyedDetectors(self._detector.with_composition(parts.under(keys.known[0].number)), keys)

    @cached_property
    def each(self) -> list[tuple[OwnKey, Detector]]:
        """The youngest key's first."""
        detector, parts = self._detector, self._detector.composition
        made = []
        for number, key in enumerate(self.keys.known):
            note = None if key.published is None else note_of(key.key_id, key.published)
            under = parts if number == 0 else parts.under(key.number)
            made.append((key, detector.with_composition(under, note) if number or note else detector))
        return made

    def with_passages(self, detection: Detection) -> Detection:
        """The detection, under each of the keys, with its passages: ``with_passage``."""
        if detection.by_key:
            return most_marked([self.with_passages(each) for each in detection.by_key])
        own = (key for key in self.keys.known[1:] if key.key_id == detection.key_id)
        key, parts = next(own, None), self._detector.composition
        parts = parts if key is None else parts.under(key.number)
        return with_passage(detection, parts.scorer, parts)

    def detect_batch(self, batch: Batch, beside: int = 0) -> list[Detection]:
        """Each text under the key whose mark it looks to bear most; p-values are times their number.

        Args:
            batch: the texts.
            beside: how many other marks the texts are tested for, where keys are candidates.
        """
        with timed(log, "texts tested: %d", len(batch.readings), level=logging.DEBUG):
            return self._detect(batch, len(self) + beside)

    def _detect(self, batch: Batch, tests: int) -> list[Detection]:
        if not self.named:
            return self._detector.detect_batch(batch)
        keys = self.keys
        by_key: list[list[Detection]] = [[] for _ in batch.readings]
        for n, m, detection in self._under_each(batch, tests):
            by_key[m].append(replace(detection, key_id=keys.known[n].key_id))
            if keys.candidates:  # they may be very many, and evidence takes memory
                by_key[m] = sorted(by_key[m], key=order_of)[:SHOWN]
        return [most_marked(detections) for detections in by_key]

    def _under_each(self, batch: Batch, tests: int) -> Iterator[tuple[int, int, Detection]]:
        """Each text under each key, as :func:`detections_under`; of very many keys, under those that may have
        the least p-value.
        """
        first, keys = self._detector, self.keys
        # Where a hasher leaves tokens out, each key has evidence of its own.
        if not keys.candidates or first.composition.hasher.leaves_out:
            yield from detections_under([detector for _, detector in self.each], batch, tests)
            return
        promising = lent("promising", "testing for candidate keys")
        for m, readings in enumerate(first.readings_evidence(batch)):
            numbers = promising(first, readings, [key.number for key in keys.known], tests)
            for n in range(len(keys.known)) if numbers is None else numbers:
                detector = first.with_composition(first.composition.under(keys.known[n].number))
                judged = [detector.judge(detector.recoloured(each), tests) for each in readings]
                yield n, m, best_reading(judged)


def detections_under(
    detectors: Sequence[Detector], batch: Batch, tests: int
) -> Iterator[tuple[int, int, Detection]]:
    """Each text under each detector: number of the detector, number of the text, detection.

    Args:
        detectors: at least one; all have the same evidence but for the key
            (:func:`stela_core.profile.identity.evidence_signature`). Each judges by its own thresholds.
        batch: the texts.
        tests: how many marks are tested in all, these among them: p-values are times their number.
    """
    first = detectors[0]
    weighed = first.readings_evidence(batch)
    # A hasher may leave tokens out by which seeds are equal: then each key has evidence of its own.
    alike = not first.composition.hasher.leaves_out
    for n, detector in enumerate(detectors):
        if n and not alike:
            weighed = detector.readings_evidence(batch)
        for m, readings in enumerate(weighed):
            coloured = readings
            if alike and detector is not first:
                coloured = [detector.recoloured(evidence) for evidence in readings]
            yield n, m, best_reading([detector.judge(evidence, tests) for evidence in coloured])


def most_marked(detections: Sequence[Detection]) -> Detection:
    """Of one text under several keys, the detection that says most; it holds the others, too.

    Args:
        detections: at least one, each corrected for the number of keys; the first of equal ones is taken.
    """
    return replace(min(detections, key=order_of), by_key=tuple(detections))


def order_of(detection: Detection) -> tuple[int, float]:
    """What says more comes first."""
    return VERDICTS.index(detection.verdict), detection.deciding_p


def with_passage(detection: Detection, scorer: Scorer, parts: Composition | None = None) -> Detection:
    """The detection with its passages, by whoever lends the function of this name.

    Args:
        detection: of one text under one key.
        scorer: gives p-values.
        parts: with that key: where marks carry messages, each passage then has its own.

    Raises:
        StelaError: what looks for passages is not installed.
    """
    scanned: Callable[..., Detection] = lent("with_passage", "looking for passages")
    return scanned(detection, scorer, parts)
