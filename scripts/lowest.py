"""Write the lowest versions that the projects declare as constraints: ``python scripts/lowest.py FILE``.

Needs the standard library alone, for it runs before anything is installed. What a dependency brings along
is left to pip, which takes the newest that suits it; the project's own distributions are this folder's.
Two kinds keep the versions of ``constraints.txt``: tools of development that no project declares, and torch,
of which a small build for CPUs is not to be had for every version.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(?:\[[^\]]*\])?\s*(?:>=\s*(?P<lowest>[0-9][\w.]*))?")
AS_IN_CONSTRAINTS = ("torch", "hypothesis", "pytest-xdist", "pytest-random-order", "setuptools")


def declared() -> dict[str, set[str]]:
    """Lower bounds by dependency, over all projects and extras.

    Raises:
        ValueError: a dependency is declared without one.
    """
    bounds: dict[str, set[str]] = {}
    for file in [ROOT / "pyproject.toml", *sorted(ROOT.glob("plugins/*/pyproject.toml"))]:
        project = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
        extras = project.get("optional-dependencies", {}).values()
        for requirement in [*project.get("dependencies", []), *(one for extra in extras for one in extra)]:
            if requirement.startswith("stela-"):
                continue
            match = REQUIREMENT.match(requirement)
            if match is None or match["lowest"] is None:
                raise ValueError(f"{file.relative_to(ROOT)}: {requirement} has no lower bound")
            bounds.setdefault(match["name"].lower(), set()).add(match["lowest"])
    return bounds


def constraints() -> str:
    """The file: one version of each.

    Raises:
        ValueError: two projects declare different bounds, or one declares none.
    """
    lines = []
    for name, bounds in sorted(declared().items()):
        if len(bounds) > 1:
            raise ValueError(f"{name} has several lower bounds: {', '.join(sorted(bounds))}")
        if name not in AS_IN_CONSTRAINTS:
            lines.append(f"{name}=={bounds.pop()}")
    pinned = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    lines += [line for line in pinned if line.partition("==")[0] in AS_IN_CONSTRAINTS]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(constraints(), encoding="utf-8")
