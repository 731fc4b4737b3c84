"""What several commands share: the registry, options, keys, tables on the terminal."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

import click
from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.segment import Segment

from stela_cli.printing import say
from stela_core import Registry, StelaError
from stela_core.api import Key, printable, read_keys

Command = TypeVar("Command", bound=Callable[..., object])


def force_option(command: Command) -> Command:
    """Give a command that writes a file the option ``--force``, its parameter ``force``."""
    return click.option("--force", is_flag=True, help="Replace the output file if it exists.")(command)


def allow_lenient_option(command: Command) -> Command:
    """Give a command that makes a profile the option ``--allow-lenient``, its parameter ``allow_lenient``."""
    says = "Allow alpha above 0.05 and min-tokens below 8."
    return click.option("--allow-lenient", is_flag=True, help=says)(command)


def output_option(metavar: str, says: str) -> Callable[[Command], Command]:
    """Give a command that writes a file the option ``-o``, its parameter ``output``."""
    path = click.Path(dir_okay=False)
    return click.option("-o", "--output", required=True, type=path, metavar=metavar, help=says)


def tagger_option(command: Command) -> Command:
    """Give a command the option ``--tagger``, its parameter ``tagger``."""
    return click.option(
        "--tagger", metavar="NAME:FOLDER", help="Load the profile's tagger from a model folder of yours."
    )(command)


def registry_of(context: click.Context) -> Registry:
    """The registry of the command line, which is made now if nothing asked before."""
    registry: Registry = context.obj if isinstance(context.obj, Registry) else context.obj()
    return registry


def console() -> Console:
    """Rich output on stdout; as wide as its content where stdout is not a terminal."""
    terminal = Console(soft_wrap=False, highlight=False)
    terminal = terminal if terminal.is_terminal else Console(width=200, highlight=False)
    terminal.push_render_hook(_PrintableHook())
    return terminal


class _PrintableHook(RenderHook):
    """Escape what the words of others would do to a terminal, in whatever is printed."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [_Printable(renderable) for renderable in renderables]


class _Printable:
    def __init__(self, renderable: ConsoleRenderable) -> None:
        self._renderable = renderable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self._renderable, options):
            # Rich's own control codes come in segments of their own, colours as a style.
            yield segment if segment.control else Segment(printable(segment.text), segment.style)


def parse_assignments(assignments: tuple[str, ...], option: str = "--param") -> dict[str, Any]:
    """``NAME=VALUE`` options; a value that reads as JSON is taken as that.

    Raises:
        StelaError: one has no ``=``.
    """
    values: dict[str, Any] = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not (equals and name):
            raise StelaError(f'"{assignment}" is not a parameter.', f"write {option} NAME=VALUE")
        try:
            values[name] = json.loads(value)
        except json.JSONDecodeError:
            values[name] = value
    return values


def key_from(file: str | None) -> Key | None:
    """What a key file holds, or ``None`` where no file was named; a note where others may read it."""
    if file is None:
        return None
    [named] = read_keys([file], lambda remark: say(f"note: {remark}", err=True), folders=False)
    return named.key
