"""Print the version that all distributions share, or set it: ``python scripts/version.py [0.3.0]``.

Sets ``version`` in every pyproject.toml, and what the plugins ask of each other and of stela-core:
``>=0.3,<0.4`` for 0.3.0, as before 1.0 a minor version may break plugins; ``>=1.2,<2`` for 1.2.0.
Needs the standard library alone. Afterwards: ``towncrier build``, and install again (``make test`` does).
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSION = re.compile(r'^version = "(?P<version>[^"\n]*)"$', re.MULTILINE)
REQUIREMENT = re.compile(r'"(?P<name>stela-[a-z-]+(?:\[[a-z,]+\])?)(?P<bounds>[<>=][^"\n]*)?"')
FORM = re.compile(r"(?P<major>0|[1-9]\d*)\.(?P<minor>0|[1-9]\d*)\.(0|[1-9]\d*)")


def pyprojects(root: Path = ROOT) -> list[Path]:
    """Those of the core, of ``bundle``, of the plugins and of the template, in this order."""
    others = sorted(root.glob("plugins/*/pyproject.toml"))
    return [root / "pyproject.toml", root / "bundle" / "pyproject.toml", *others]


def versions(root: Path = ROOT) -> dict[str, str]:
    """Version by distribution."""
    projects = [tomllib.loads(file.read_text(encoding="utf-8"))["project"] for file in pyprojects(root)]
    return {project["name"]: project["version"] for project in projects}


def bounds(version: str) -> str:
    """What a distribution of this version asks of the project's others.

    Raises:
        ValueError: it is not three whole numbers.
    """
    match = FORM.fullmatch(version)
    if match is None:
        raise ValueError(f'"{version}" is not a version: three whole numbers, such as 0.3.0')
    major, minor = int(match["major"]), int(match["minor"])
    return f">={major}.{minor},<{f'0.{minor + 1}' if major == 0 else major + 1}"


def with_version(text: str, version: str) -> str:
    """A pyproject.toml of this version. An extra of its own (``stela-core[generate]``) keeps no bounds.

    Raises:
        ValueError: as in :func:`bounds`, or the file states no version.
    """
    asked = bounds(version)
    own = tomllib.loads(text)["project"]["name"]

    def requirement(match: re.Match[str]) -> str:
        name = match["name"]
        return match[0] if name.partition("[")[0] == own else f'"{name}{asked}"'

    head, begin, rest = text.partition("dependencies = [")
    head, count = VERSION.subn(f'version = "{version}"', head, count=1)
    if count != 1:
        raise ValueError(f"{own} states no version before its dependencies")
    before, tables, after = rest.partition("\n[project.entry-points")
    return head + begin + REQUIREMENT.sub(requirement, before) + tables + after


def set_version(version: str, root: Path = ROOT) -> None:
    """Write it everywhere, or nowhere if one file cannot take it."""
    made = {file: with_version(file.read_text(encoding="utf-8"), version) for file in pyprojects(root)}
    for file, text in made.items():
        file.write_text(text, encoding="utf-8")


def main(arguments: list[str]) -> int:
    try:
        for version in arguments:
            set_version(version)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    by_file = versions()
    for version in sorted(set(by_file.values())):
        named = [name for name, stated in by_file.items() if stated == version]
        print(version, "" if len(named) == len(by_file) else f"({', '.join(named)})")
    return 0 if len(set(by_file.values())) == 1 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
