"""Which reading of a text its detection reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from stela_core.detection.result import Detection


def best_reading(detections: Sequence[Detection]) -> Detection:
    """The detection with the smallest p-value of those of a text's readings; the first of equal ones.

    Args:
        detections: at least one, each corrected for the number of readings; the smallest is then valid.
    """
    if len(detections) == 1:
        return detections[0]
    best = min(detections, key=lambda one: one.p_decisive)
    return replace(best, others=tuple(one.evidence for one in detections if one is not best))
