"""What several commands share: the registry, typed parameters, keys, tables on the terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from stela_core.errors import StelaError
from stela_core.numeric.keys import format_key, read_key_file
from stela_core.registry import Registry


def registry_of(context: click.Context) -> Registry:
    """The registry made by the command line's group."""
    registry = context.obj
    assert isinstance(registry, Registry)
    return registry


def print_json(value: Any) -> None:
    """One JSON value on one line of stdout, in UTF-8."""
    click.echo(json.dumps(value, ensure_ascii=False))


def console() -> Console:
    """Rich output on stdout; as wide as its content where stdout is not a terminal."""
    found = Console(soft_wrap=False, highlight=False)
    return found if found.is_terminal else Console(width=200, highlight=False)


def parse_assignments(assignments: tuple[str, ...]) -> dict[str, Any]:
    """``NAME=VALUE`` options; a value that reads as JSON is taken as that.

    Raises:
        StelaError: one has no ``=``.
    """
    found: dict[str, Any] = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not (equals and name):
            raise StelaError(f'"{assignment}" is not a parameter.', "write --param NAME=VALUE")
        try:
            found[name] = json.loads(value)
        except json.JSONDecodeError:
            found[name] = value
    return found


def key_from(file: str | None) -> str | None:
    """The key in a key file as 16 hex digits, or ``None`` where no file was named."""
    return None if file is None else format_key(read_key_file(Path(file)))
