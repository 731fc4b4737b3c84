"""Texts tested under several marks that differ by their key alone: weighed once, coloured for each.

What a text's evidence weighs depends on no key, so cutting, tagging and weighing, which take nearly all of
the time, are done once. With n marks tested, n times the smallest of their p-values is a p-value
(Bonferroni): on unmarked text P(min p_i <= a / n) <= sum P(p_i <= a / n) <= a, however the tests depend on
each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from stela_core.detection.best_reading import best_reading
from stela_core.detection.detector import Detector
from stela_core.detection.readings import Reading
from stela_core.detection.result import Detection
from stela_core.detection.verdict import Verdict
from stela_core.interfaces.logits import TextLogits

VERDICTS: tuple[Verdict, ...] = ("watermarked", "no watermark found", "insufficient text")
"""What says most first."""


def detections_under(
    detectors: Sequence[Detector],
    texts: Sequence[Sequence[Reading]],
    tests: int,
    logits: TextLogits | None = None,
    prompts: Sequence[str] | None = None,
) -> Iterator[tuple[int, int, Detection]]:
    """Each text under each detector: number of the detector, number of the text, detection.

    Args:
        detectors: at least one; all have the same evidence but for the key
            (:func:`stela_core.profile.identity.evidence_signature`). Each judges by its own thresholds.
        texts: the readings of each text, at least one each.
        tests: how many marks are tested in all, these among them: p-values are times their number.
        logits: see :meth:`Detector.detect_many`.
        prompts: see :meth:`Detector.detect_many`.
    """
    first = detectors[0]
    weighed = first.readings_evidence(texts, logits, prompts)
    # A hasher may leave tokens out by which seeds are equal: then each key has evidence of its own.
    alike = not first.composition.hasher.leaves_out
    for n, detector in enumerate(detectors):
        if n and not alike:
            weighed = detector.readings_evidence(texts, logits, prompts)
        for m, readings in enumerate(weighed):
            coloured = (
                readings if detector is first or not alike else [detector.recoloured(one) for one in readings]
            )
            yield n, m, best_reading([detector.judge(one, tests) for one in coloured])


def most_marked(detections: Sequence[Detection]) -> Detection:
    """Of one text under several keys, the detection that says most; it holds the others, too.

    Args:
        detections: at least one, each corrected for the number of keys; the first of equal ones is taken.
    """
    best = min(detections, key=order_of)
    return replace(best, by_key=tuple(detections))


def order_of(detection: Detection) -> tuple[int, float]:
    """What looks marked most comes first: by its verdict, then by the p-value that the verdict rests on."""
    window = detection.window
    p = detection.p_decisive if window is None else window.p_value
    return VERDICTS.index(detection.verdict), p
