"""The page docs/plugins.md: what each distribution brings, from its pyproject.toml and the registry."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import stela_core as stela
from scripts.build_wheels import released

GROUPS = {
    "Schemes and weights": ("scheme", "weighting", "hasher"),
    "Taggers": ("tagger",),
    "Models and texts to try": ("model", "corpus"),
    "Attacks": ("attack",),
    "Metrics": ("metric",),
    "Executors": ("executor",),
    "Files that are read": ("reader",),
    "The core and libraries": (),
}
"""Heading by kinds of component; a distribution stands where the first of its kinds does."""

HEAD = """# Plugins

Every distribution of the project, its version that of `stela-core`. `pip install NAME` adds one,
`stela plugins` lists what is installed here and whether it works. *torch* says whether installing it brings
torch; which schemes run the model to detect is told in [schemes](schemes.md). *Beta* is measured in
[results](results.md), [benchmarks](benchmarks.md) or its own README; *alpha* has run on small models or a
local server alone. Written by `make docs`.
"""


def directory(registry: stela.Registry) -> str:
    """The page's text. Local plugin files and distributions of others are left out."""
    by_group: dict[str, list[str]] = {heading: [] for heading in GROUPS}
    for folder in released():
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        brought = components(registry, project["name"])
        by_group[group_of(set(brought))].append(row(project, folder.name, brought))
    parts = [HEAD]
    for heading, rows in by_group.items():
        columns = ["distribution", "brings", "torch", "status", "licence"]
        if rows:
            parts.append(f"\n## {heading}\n\n{line(columns)}{line(['---'] * len(columns))}{''.join(rows)}")
    return "".join(parts)


def components(registry: stela.Registry, distribution: str) -> dict[str, list[type[stela.Component]]]:
    """What a distribution registers, by kind."""
    by_kind: dict[str, list[type[stela.Component]]] = {}
    for entry in registry:
        if entry.origin.distribution == distribution:
            by_kind.setdefault(entry.kind, []).append(entry.component)
    return by_kind


def group_of(kinds: set[str]) -> str:
    """Heading of a distribution; the core brings what all others need."""
    if "scorer" in kinds and "scheme" not in kinds:
        return "The core and libraries"
    return next(
        (heading for heading, own in GROUPS.items() if kinds.intersection(own)), "The core and libraries"
    )


def row(project: dict[str, Any], folder: str, brought: dict[str, list[type[stela.Component]]]) -> str:
    """A line of the table."""
    name = project["name"]
    shown = name if name == "stela-core" else f"[{name}](../plugins/{folder}/README.md)"
    cells = [f"{kind} {', '.join(map(named, classes))}" for kind, classes in sorted(brought.items())]
    asked = " ".join(project["dependencies"])
    torch = "yes" if "torch>" in asked or "[generate]" in asked else "no"
    [status] = [one for one in project["classifiers"] if one.startswith("Development Status")]
    licences = project["license"].replace("LicenseRef-", "")
    what = f"{project['description']}: {'; '.join(cells)}" if cells else project["description"]
    return line([shown, what, torch, status.rsplit(" ", 1)[1].lower(), licences])


def named(component: type[stela.Component]) -> str:
    """Name of a component; of a tagger its tag set and languages, too."""
    if not issubclass(component, stela.Tagger):
        return f"`{component.name}`"
    return f"`{component.name}` ({component.tagset}; {languages(component)})"


def languages(tagger: type[stela.Tagger]) -> str:
    """Codes of a tagger's languages: its own, or those it ships tables of, or any that its model has."""
    own = getattr(tagger, "language", None)
    if isinstance(own, str):
        return own
    shipped = [path for path in tagger.shipped_tables() if path.stem == "k2"]
    codes = {json.loads(path.read_text(encoding="utf-8"))["tagger"]["language"] for path in shipped}
    return f"{', '.join(sorted(codes))}, and the model's" if codes else "the model's"


def line(cells: list[str]) -> str:
    """A line of a table in Markdown."""
    return f"| {' | '.join(cells)} |\n"
