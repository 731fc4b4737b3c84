"""Detections as plain values, for files."""

from __future__ import annotations

import hashlib
import math
from typing import Any

from stela_core.detection.result import Detection

COLUMNS = ("text", "z", "z_plain", "p_value", "scored_tokens", "unique_pairs", "green_fraction")
"""What is kept of each detection; ``text`` names the prompt."""


def outcome_of(detection: Detection, prompt: str) -> list[Any]:
    """The values of :data:`COLUMNS`."""
    return [
        hashlib.blake2b(prompt.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest(),
        number(detection.z),
        number(detection.z_plain),
        number(detection.p_value),
        detection.scored_tokens,
        detection.unique_pairs,
        number(detection.green_fraction),
    ]


def example_of(detection: Detection) -> list[list[Any]]:
    """Text, green, weight and context of each token of a text, for the report."""
    return [
        [
            token.text,
            token.green,
            number(token.weight),
            None if token.context is None else list(token.context),
        ]
        for token in detection.tokens
    ]


def number(value: float | None) -> float | None:
    """A plain float; ``None`` for what JSON has no number for."""
    return None if value is None or not math.isfinite(value) else float(value)
