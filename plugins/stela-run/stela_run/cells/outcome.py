"""The test of a text as a row of plain values, for files."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Any, NamedTuple, Self

from stela_core import Detection
from stela_core.api import Verdict

COLUMNS = ("text", "z", "z_plain", "p_value", "scored_tokens", "unique_pairs", "green_fraction", "key")
"""What records tell of each test; ``text`` names the prompt, ``key`` is 16 hex digits."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is kept of the test of a text: all that the detection says, but for its evidence."""

    text: str
    """Digest of the prompt."""
    z: float
    z_plain: float
    p_value: float
    scored_tokens: int
    unique_pairs: int
    green_fraction: float
    key: str | None
    verdict: Verdict
    foreign_scores: dict[str, float]
    """Scores of other toolkits, by name."""
    readings: int = 1
    """How many the text was tested in."""

    @classmethod
    def of(cls, detection: Detection, prompt: str, key: int | None) -> Self:
        """The outcome of a text after a prompt, tested under a 64-bit key."""
        return cls(
            digest_of_prompt(prompt),
            float(detection.z),
            float(detection.z_plain),
            float(detection.p_value),
            detection.scored_tokens,
            detection.unique_pairs,
            float(detection.green_fraction),
            None if key is None else f"{key:016x}",
            detection.verdict,
            {name: float(score) for name, score in detection.foreign_scores.items()},
            detection.readings,
        )

    @classmethod
    def of_row(cls, row: Sequence[Any]) -> Self:
        """The outcome that :meth:`row` wrote."""
        text, z, z_plain, p_value, scored, pairs, green, key, verdict, scores, *newer = row
        foreign = {name: float(score) for name, score in scores.items()}
        return cls(
            *(text, float(z), float(z_plain), float(p_value), scored, pairs, float(green), key, verdict),
            *(foreign, *newer),
        )

    def row(self) -> list[Any]:
        """Every float to the last bit; as text where JSON has no number for it."""
        *values, scores, readings = astuple(self)
        exact = [str(v) if isinstance(v, float) and not math.isfinite(v) else v for v in values]
        foreign = {name: str(score) for name, score in scores.items()}
        return [*exact, foreign] if readings == 1 else [*exact, foreign, readings]

    def columns(self) -> list[Any]:
        """The values of :data:`COLUMNS`: ``None`` for what JSON has no number for."""
        values = (getattr(self, name) for name in COLUMNS)
        return [number(value) if isinstance(value, float) else value for value in values]


def digest_of_prompt(prompt: str) -> str:
    """What files call a prompt."""
    return hashlib.blake2b(prompt.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


class Token(NamedTuple):
    """A token of the example, for the report."""

    text: str
    green: bool | None
    weight: float | None
    context: Sequence[str] | None

    @classmethod
    def all_of(cls, detection: Detection) -> list[Self]:
        """The tokens of a text."""
        return [
            cls(token.text, token.green, number(token.weight), token.context) for token in detection.tokens
        ]


def number(value: float | None) -> float | None:
    """A plain float; ``None`` for what JSON has no number for."""
    return None if value is None or not math.isfinite(value) else float(value)


def columns_of(row: Sequence[Any]) -> dict[str, Any]:
    """Values by :data:`COLUMNS`; rows of older versions have no key."""
    return dict.fromkeys(COLUMNS) | dict(zip(COLUMNS, row, strict=False))
