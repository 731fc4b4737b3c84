"""All code points that Unicode calls default-ignorable, those that are not assigned yet included."""

from __future__ import annotations

import json
from pathlib import Path

FILE = Path(__file__).with_name("ignorable.json")
"""Ranges, with source, version and licence; ``python -m scripts.write_ignorable`` writes it."""


def character_class() -> str:
    """The ranges as they stand between the brackets of a regular expression."""
    ranges: list[str] = json.loads(FILE.read_text(encoding="utf-8"))["ranges"]
    ends = ((chr(int(end, 16)) for end in one.split("-")) for one in ranges)
    return "".join(f"{first}-{last}" for first, last in ends)
