"""Prompts that texts are written after."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from benchmarks.texts import PROMPTS


def prompts_of(language: str, count: int, data: Path | None) -> list[str]:
    """The first ones of a language in a folder, over again where there are few; without one, one."""
    if data is None:
        return [{**PROMPTS, "en": "The history of the city"}[language]] * count
    with gzip.open(data / "prompts" / f"{language}.jsonl.gz", "rt", encoding="utf-8") as file:
        prompts = [json.loads(line)["prompt"] for line in file]
    return [prompts[n % len(prompts)] for n in range(count)]
