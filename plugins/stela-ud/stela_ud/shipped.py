"""The pipelines that come along: where they are, and how far their tags look."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

HERE = Path(__file__).parent
SHIPPED = ("en", "zh", "ko")


class Habits(NamedTuple):
    """How a language is watermarked, by default."""

    k: int
    unit: Literal["word", "character"]
    window: int


HABITS = {
    # A tag looks at 2 words either side: 6 words hold the last 3 tags and what decides them.
    "en": Habits(2, "word", 6),
    "ko": Habits(4, "word", 6),
    "zh": Habits(4, "character", 32),
}
"""Habits of the shipped pipelines."""


def habits_of(language: str) -> Habits:
    """Habits of any other pipeline in this language, which may see 4 words either side."""
    if language in {"zh", "ja", "th"}:
        return Habits(4, "character", 48)
    k = {"en": 2, "ko": 4}.get(language, 3)
    return Habits(k, "word", k + 5)


def folder_of(language: str) -> Path:
    """The folder of a shipped pipeline."""
    return HERE / "models" / language


def tables_of(language: str) -> dict[int, Path]:
    """The tables that come along for it, by k."""
    files = {k: HERE / "tables" / language / f"k{k}.json" for k in (2, 3, 4)}
    return {k: path for k, path in files.items() if path.is_file()}
