"""Detections as rows of plain values, for files."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import Any

from stela_core import Detection
from stela_core.api import format_key
from stela_run.metric import Unmarked

COLUMNS = ("text", "z", "z_plain", "p_value", "scored_tokens", "unique_pairs", "green_fraction", "key")
"""What is kept of each detection; ``text`` names the prompt, ``key`` is 16 hex digits."""


def columns_of(row: Sequence[Any]) -> dict[str, Any]:
    """A row's values by :data:`COLUMNS`; rows of older versions have no key."""
    return dict.fromkeys(COLUMNS) | dict(zip(COLUMNS, row, strict=False))


def outcome_of(detection: Detection, prompt: str, key: int | None) -> list[Any]:
    """The values of :data:`COLUMNS`."""
    return [
        hashlib.blake2b(prompt.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest(),
        number(detection.z),
        number(detection.z_plain),
        number(detection.p_value),
        detection.scored_tokens,
        detection.unique_pairs,
        number(detection.green_fraction),
        None if key is None else format_key(key),
    ]


def outcomes_of(texts: Sequence[Unmarked]) -> list[list[Any]]:
    """Those of unmarked texts, a row for each text and key."""
    return [
        outcome_of(detection, one.prompt, key)
        for one in texts
        for detection, key in zip(one.detections, one.keys, strict=True)
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


def beside(prompt: str, model_text: Sequence[Unmarked], human: Sequence[Unmarked]) -> dict[str, Any]:
    """What the report shows beside the example: its prompt, and how model and person went on unmarked.

    Text, z and p-value under the mark's own key of each; ``None`` where there is no such text.
    """
    shown: dict[str, Any] = {"prompt": prompt}
    for kind, texts in (("model", model_text), ("human", human)):
        same = next((one for one in texts if one.prompt == prompt), None)
        shown[kind] = None
        if same is not None:
            test = same.detections[0]
            shown[kind] = {"text": same.text, "z": number(test.z), "p_value": number(test.p_value)}
    return shown


def number(value: float | None) -> float | None:
    """A plain float; ``None`` for what JSON has no number for."""
    return None if value is None or not math.isfinite(value) else float(value)
