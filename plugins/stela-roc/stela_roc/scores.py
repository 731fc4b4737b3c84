"""Scores of texts: what detection says about each, as one number that grows with the evidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import stela_core as stela

Floats = npt.NDArray[np.float64]


def scores_of(detections: Iterable[stela.Detection]) -> Floats:
    """``-log10`` of the p-value of each detection, (n,).

    Not z: texts differ in their number of coins and in the spread of their weights, so equal z's are
    not equal evidence, and the p-value, not z, is what ``stela detect`` compares with alpha.
    """
    p_values = np.array([detection.p_value for detection in detections], dtype=np.float64)
    return -np.log10(np.maximum(p_values, np.finfo(np.float64).tiny))


@dataclass(frozen=True, slots=True)
class Negatives:
    """Scores of unmarked texts: each text has one for each key, and they stay together."""

    scores: Floats
    """(detections,), all texts'."""
    texts: npt.NDArray[np.intp]
    """(detections,), index of the text of each."""
    count: int
    """Number of texts."""

    @classmethod
    def of(cls, unmarked: Sequence[stela.Unmarked]) -> Negatives:
        """Of the unmarked texts of a sample; texts without a detection are left out."""
        rows = [scores_of(one.detections) for one in unmarked if one.detections]
        sizes = [len(row) for row in rows]
        scores = np.concatenate(rows) if rows else np.empty(0)
        return cls(scores, np.repeat(np.arange(len(rows)), sizes), len(rows))
