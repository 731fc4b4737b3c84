"""What the project's distributions need of each other."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable

from scripts.version import pyprojects


def with_needs(names: Iterable[str]) -> set[str]:
    """Distributions of the project with those of the project that they depend on."""
    projects = [tomllib.loads(file.read_text(encoding="utf-8"))["project"] for file in pyprojects()]
    asked = {project["name"]: project["dependencies"] for project in projects}
    needed: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting += [re.split(r"[\[<>=]", one)[0] for one in asked[name] if one.startswith("stela-")]
    return needed
