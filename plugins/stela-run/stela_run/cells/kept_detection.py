"""Detections as they are kept between the test of a text and the metrics: numbers; evidence on demand."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from stela_core import Detection
from stela_run.cells.detection_rows import COLUMNS, outcome_of

FLOATS = (1, 2, 3, 6)
"""Places of :data:`COLUMNS` that are floats."""


class KeptDetection(Detection):
    """A detection whose evidence, which is large, is worked out again where a metric looks at it.

    Args:
        again: gives the whole detection.
        **said: all that it says without evidence.
    """

    def __init__(self, again: Callable[[], Detection], **said: Any) -> None:
        object.__setattr__(self, "_again", again)
        super().__init__(evidence=None, estimate=lambda: again().power, **said)

    @property
    def evidence(self) -> Any:
        """Of the detection, worked out again."""
        return self._again().evidence  # type: ignore[attr-defined]

    @evidence.setter
    def evidence(self, value: None) -> None:
        """The dataclass sets what is not kept."""


def kept_row(detection: Detection, prompt: str, key: int | None) -> list[Any]:
    """The values of :data:`COLUMNS`, every float to the last bit, and verdict and other toolkits' numbers."""
    row = outcome_of(detection, prompt, key)
    exact = (detection.z, detection.z_plain, detection.p_value, detection.green_fraction)
    for place, value in zip(FLOATS, exact, strict=True):
        row[place] = value if math.isfinite(value) else str(value)
    beside = {name: float(value) for name, value in detection.foreign_scores.items()}
    return [*row, detection.verdict, {name: str(value) for name, value in beside.items()}]


def row_of(kept: Sequence[Any]) -> list[Any]:
    """The row of a cell's file: ``None`` for what JSON has no number for."""
    row = list(kept[: len(COLUMNS)])
    for place in FLOATS:
        row[place] = None if isinstance(row[place], str) else row[place]
    return row


def detection_of(kept: Sequence[Any], threshold: float, again: Callable[[], Detection]) -> Detection:
    """The detection of a row of :func:`kept_row`."""
    z, z_plain, p_value, green = (float(kept[place]) for place in FLOATS)
    verdict, beside = kept[len(COLUMNS) :]
    return KeptDetection(
        again,
        verdict=verdict,
        p_value=p_value,
        z=z,
        z_plain=z_plain,
        scored_tokens=kept[4],
        unique_pairs=kept[5],
        green_fraction=green,
        threshold=threshold,
        foreign_scores={name: float(value) for name, value in beside.items()},
    )
