"""A text piece by piece, as the page shows it (``web/page/shade.ts``): shaded by side and weight.

Colour is never all that tells pieces from each other: favoured ones have a line below, others dots.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import stela_core as stela
from stela_core.api import printable
from stela_page.said import filled, words

STEPS = 4
"""Shades."""

MOSTLY = 0.85
"""Passages that cover more of a marked text than this say nothing more, and are not outlined."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A token, or some that look alike."""

    kind: str
    """Its classes of CSS."""
    said: str
    """What a pointer on it shows."""
    text: str


@dataclass(frozen=True, slots=True)
class Part:
    """Pieces next to each other: a passage that looks marked, or what stands between such."""

    passage: bool
    pieces: list[Piece]


def visible(text: str) -> str:
    """Someone else's text for a page: no character of it reorders others, or hides."""
    return printable(text.replace("\r\n", "\n"))


def parts_of(detection: stela.Detection, most: int) -> list[Part]:
    """Parts of a text with its passages, of at most ``most`` tokens."""
    tokens = detection.tokens
    top = max((token.weight or 0.0 for token in tokens), default=0.0) or 1.0
    spans = sorted((passage.token_start, passage.token_end) for passage in outlined(detection))
    parts: list[Part] = []
    for number, token in enumerate(tokens[:most]):
        inside = any(start <= number < end for start, end in spans)
        begins = any(start == number for start, _ in spans)
        if not parts or begins or parts[-1].passage != inside:
            parts.append(Part(inside, []))
        if token.text:
            parts[-1].pieces.append(_piece(*token, top))
    return parts


def outlined(detection: stela.Detection) -> Sequence[Any]:
    """The passages of a text that is mixed."""
    covered = sum(passage.end - passage.start for passage in detection.passages)
    length = len("".join(token.text for token in detection.tokens).strip())
    return () if detection.watermarked and covered > MOSTLY * length else detection.passages


def _piece(
    shown: str, green: bool | None, weight: float | None, context: tuple[str, ...] | None, top: float
) -> Piece:
    text = visible(shown)
    if weight is None or green is None:
        return Piece("uncounted", "", text)
    side = words()["green" if green else "red"]
    said = f"{side}, {filled('weight', weight=f'{weight:.2f}')}"
    if not green:
        return Piece("red", said, text)
    shade = min(STEPS, max(1, math.ceil(STEPS * weight / top)))
    return Piece(f"green green-{shade}", said, text)
