"""The page docs/plugins.md: what each distribution brings, from its pyproject.toml and the registry."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import stela_core as stela
from scripts.build_wheels import released

ROOT = Path(__file__).parents[1]
GROUPS = {
    "Schemes and weights": ("scheme", "weighting", "hasher"),
    "Taggers": ("tagger",),
    "Models and texts to try": ("model", "corpus"),
    "Metrics": ("metric",),
    "Attacks": ("attack",),
    "Executors": ("executor",),
    "Files that are read": ("reader",),
    "The core, commands and engines": (),
    "Libraries": (),
}
"""Heading by kinds of component; a distribution stands where the first of its kinds does."""

HEAD = """# Plugins

Every part of STELA is a plugin: this page lists all distributions of the project, with what each adds.

```
pip install stela-cli stela-kgw
stela plugins
```

The second command lists what is installed, and whether it works, for example (in part):

```text
 kind       name     model  distribution  version  status  hint
 hasher     keyed           stela-core    {version}    ok
 scheme     kgw             stela-kgw     {version}    ok
```

- All versions are that of `stela-core`.
- *torch*: installing it brings torch. [Schemes](schemes.md) says which need a model to detect.
- *alpha*: it has run only on small models or a local server. All others are beta: measured in
  [results](results.md), [benchmarks](benchmarks.md) or their README.
- Code is Apache-2.0. *Other licences* are those of models, tables and parts that come with it.
- *Libraries* are installed with what needs them.
"""


def directory(registry: stela.Registry) -> str:
    """The page's text. Local plugin files and distributions of others are left out."""
    by_group: dict[str, list[str]] = {heading: [] for heading in GROUPS}
    for folder in released():
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        brought = components(registry, project["name"])
        by_group[group_of(set(brought), project["description"])].append(row(project, folder, brought))
    core = tomllib.loads((released()[0] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    parts = [HEAD.format(version=core["version"])]
    for heading, rows in by_group.items():
        columns = ["distribution", "what it is", "adds", "notes", "other licences"]
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


def group_of(kinds: set[str], description: str) -> str:
    """Heading of a distribution; the core and the command bring what all others need."""
    rest = "Libraries" if description.startswith("Library: ") else "The core, commands and engines"
    if ("scorer" in kinds and "scheme" not in kinds) or kinds >= {"executor", "reader"}:
        return rest
    return next((heading for heading, own in GROUPS.items() if kinds.intersection(own)), rest)


def row(project: dict[str, Any], folder: Path, brought: dict[str, list[type[stela.Component]]]) -> str:
    """A line of the table."""
    name = project["name"]
    shown = name if name == "stela-core" else f"[{name}](../{folder.relative_to(ROOT)}/README.md)"
    asked = " ".join(project["dependencies"])
    notes = ["torch"] if "torch>" in asked or "[generate]" in asked else []
    [status] = [one for one in project["classifiers"] if one.startswith("Development Status")]
    notes += ["alpha"] if status.endswith("Alpha") else []
    _, *licences = project["license"].replace("LicenseRef-", "").split(" AND ")
    what = project["description"].removeprefix("Library: ")
    return line([shown, what, added(brought), ", ".join(notes), ", ".join(licences)])


def added(brought: dict[str, list[type[stela.Component]]]) -> str:
    """Names of a distribution's components; those of the same kinds together."""
    kinds: dict[str, list[str]] = {}
    for kind, classes in sorted(brought.items()):
        for component in classes:
            kinds.setdefault(named(component), []).append(kind)
    names: dict[str, list[str]] = {}
    for name, own in kinds.items():
        names.setdefault(" and ".join(own), []).append(name)
    return "; ".join(f"{own} {', '.join(those)}" for own, those in names.items())


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
