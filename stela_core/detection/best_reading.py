"""Which reading of a text its detection reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from stela_core.detection.result import Detection


def best_reading(detections: Sequence[Detection]) -> Detection:
    """The detection with the smallest p-value of those of a text's readings; the first of equal ones.

    A text is long enough where any of its readings could have reached alpha, whatever the reported one could.

    Args:
        detections: at least one, each corrected by the reading's share of alpha; the smallest is then valid.
    """
    if len(detections) == 1:
        return detections[0]
    best = min(detections, key=lambda one: one.p_decisive)
    long_enough = (one for one in (best, *detections) if one.verdict != "insufficient text")
    telling = next(long_enough, best)
    return replace(
        best,
        verdict=telling.verdict,
        estimate=telling.estimate,
        readings=len(detections),
        others=tuple(one.evidence for one in detections if one is not best),
    )
