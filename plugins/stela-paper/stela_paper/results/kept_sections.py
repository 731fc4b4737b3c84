"""Sections of a page that was written before: an experiment that is not run again keeps its own."""

from __future__ import annotations

import re
from pathlib import Path

NAMED = re.compile(r"^`docs/experiments/([\w-]+)\.toml`", re.MULTILINE)


def kept_sections(page: Path, figures: str) -> dict[str, str]:
    """A page's sections by the name of their experiment; none where there is no page yet.

    Args:
        page: the file.
        figures: folder of its figures; sections name it as ``results``, as they do when they are new.
    """
    if not page.exists():
        return {}
    text = page.read_text("utf-8").replace(f"]({figures}/", "](results/")
    sections = (f"## {part}" for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:])
    named = ((NAMED.search(section), section.rstrip("\n") + "\n") for section in sections)
    return {match[1]: section for match, section in named if match}
