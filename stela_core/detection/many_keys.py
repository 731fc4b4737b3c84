"""Texts tested under several marks that differ only by their key: weighed once, coloured for each.

What a text's evidence weighs depends on no key, so cutting, tagging and weighing, which take nearly all of
the time, are done once. With n marks tested, n times the smallest of their p-values is a p-value
(Bonferroni): on unmarked text P(min p_i <= a / n) <= sum P(p_i <= a / n) <= a, however the tests depend on
each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from stela_core.catalogue import lent
from stela_core.composition import Composition
from stela_core.detection.batch import Batch
from stela_core.detection.detector import Detector
from stela_core.detection.result import Detection
from stela_core.detection.verdict import VERDICTS


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
    alike = not first.composition.hasher.drops_dependent
    for n, detector in enumerate(detectors):
        if n and not alike:
            weighed = detector.readings_evidence(batch)
        for m, readings in enumerate(weighed):
            coloured = readings
            if alike and detector is not first:
                coloured = [detector.recoloured(evidence) for evidence in readings]
            yield n, m, detector.judge_readings(coloured, tests)


def most_marked(detections: Sequence[Detection]) -> Detection:
    """The strongest of one text's detections under several keys; it holds the others, too.

    Args:
        detections: at least one, each corrected for the number of keys; the first of equal ones is taken.
    """
    return replace(min(detections, key=order_of), by_key=tuple(detections))


def order_of(detection: Detection) -> tuple[int, float]:
    """What says more comes first."""
    return VERDICTS.index(detection.verdict), detection.deciding_p


def with_passage(detection: Detection, parts: Composition) -> Detection:
    """The detection with its passages, by whoever lends the function of this name.

    Args:
        detection: of one text under one key.
        parts: with that key.
    """
    scanned: Callable[..., Detection] = lent("with_passage", "looking for passages")
    return scanned(detection, parts.scorer, parts)
