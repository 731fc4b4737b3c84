"""Write what this project publishes beside the core, for hints (stela_core/catalogue.py).

    python -m scripts.write_published [--check]

Kinds and commands are what the installed plugins register; names are entry points of ``stela.names``.
"""

from __future__ import annotations

import argparse
import json
import lzma
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from stela_cli.documents.reader import Reader
from stela_cli.group import SENTENCE, Group
from stela_cli.late_commands import CORE

from stela_core.catalogue import FILE, LENT, published
from stela_core.files.fingerprint import sha256
from stela_core.interfaces import Scheme
from stela_core.registry.components import Registry, create_registry

ROOT = Path(__file__).parents[1]
PARTS = (
    "components",
    "distributions",
    "commands",
    "summaries",
    "hooks",
    "suffixes",
    "shipped_tables",
    "packed_tables",
    "names",
    "recommended",
)


def projects() -> list[dict[str, Any]]:
    """What each distribution's pyproject.toml says of it."""
    files = sorted(ROOT.glob("plugins/stela-*/pyproject.toml"))
    return [tomllib.loads(file.read_text(encoding="utf-8"))["project"] for file in files]


def added_commands(registry: Registry) -> tuple[dict[str, str], dict[str, str]]:
    """The plugin of each command, or group of commands, that one adds; and the first sentence of its help."""
    commands: dict[str, str] = {}
    summaries: dict[str, str] = {}
    for implementation in registry.plugins.manager.hook.stela_commands.get_hookimpls():
        cores = {name: Group(name) for name in ("profile", "key")}
        cli = Group("stela", commands=dict(cores))
        implementation.function(cli)
        within = {
            f"{name} {word}": each for name, group in cores.items() for word, each in group.commands.items()
        }
        added = within | {word: each for word, each in cli.commands.items() if word not in cores}
        commands |= dict.fromkeys(added, implementation.plugin_name)
        summaries |= {words: each.get_short_help_str(SENTENCE) for words, each in added.items()}
    return commands, summaries


def hooks_of(registry: Registry) -> dict[str, str]:
    """The plugin that brings each hook that the core has not."""
    hooks: dict[str, str] = {}
    for implementation in registry.plugins.manager.hook.stela_add_hooks.get_hookimpls():
        specified = [name for name in vars(implementation.function()) if name.startswith("stela_")]
        hooks |= dict.fromkeys(specified, implementation.plugin_name)
    return hooks


def content() -> dict[str, dict[str, Any]]:
    """What the file is to hold."""
    registry = create_registry()
    homes = {
        name: project["name"]
        for project in projects()
        for name in project.get("entry-points", {}).get("stela", {})
    }
    kinds: dict[str, set[str]] = {name: set() for name in homes}
    suffixes: dict[str, str] = {}
    tables: dict[str, str] = {}
    packed: dict[str, str] = {}
    recommended: list[str] = []
    for entry in registry:
        if entry.plugin in kinds:
            kinds[entry.plugin].add(entry.kind)
            for path in entry.component.shipped_tables():
                data = path.read_bytes()
                table = sha256(lzma.decompress(data) if path.suffix == ".xz" else data)
                tables[table] = entry.plugin
                if path.suffix == ".xz":
                    packed[sha256(data)] = table
            if issubclass(entry.component, Reader):
                suffixes |= dict.fromkeys(entry.component.suffixes, entry.plugin)
            if issubclass(entry.component, Scheme) and entry.component.recommended:
                recommended.append(entry.component.name)
    names: dict[str, str] = {}
    for project in projects():
        names |= project.get("entry-points", {}).get(LENT, {})
    [scheme] = recommended
    commands, summaries = added_commands(registry)
    for words, module in CORE.items():
        command: click.Command = getattr(import_module(module), words.replace(" ", "_"))
        summaries[words] = command.get_short_help_str(SENTENCE)
    commands = {command: name for command, name in commands.items() if name in kinds}
    hooks = {hook: name for hook, name in hooks_of(registry).items() if name in kinds}
    return {
        "components": {name: sorted(kinds[name]) for name in sorted(kinds)},
        "distributions": dict(sorted(homes.items())),
        "commands": dict(sorted(commands.items())),
        "summaries": dict(sorted(summaries.items())),
        "hooks": dict(sorted(hooks.items())),
        "suffixes": dict(sorted(suffixes.items())),
        "shipped_tables": dict(sorted(tables.items())),
        "packed_tables": dict(sorted(packed.items())),
        "names": {name: home.partition(":")[0] for name, home in sorted(names.items())},
        "recommended": {"scheme": scheme},
    }


def main() -> None:
    """Write it, or with ``--check`` find out whether it is up to date."""
    parser = argparse.ArgumentParser(description="Write what the project publishes.")
    parser.add_argument("--check", action="store_true", help="Change nothing; fail if it is not up to date.")
    check: bool = parser.parse_args().check
    if not FILE.exists():
        FILE.write_text(json.dumps({part: {} for part in PARTS}), encoding="utf-8")
        published.cache_clear()
    text = json.dumps(content(), indent=1) + "\n"
    if check:
        if text != FILE.read_text(encoding="utf-8"):
            sys.exit(f"{FILE} is not up to date: python -m scripts.write_published")
        return
    FILE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
