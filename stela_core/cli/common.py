"""What several commands share: the registry, typed parameters, keys, tables on the terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.segment import Segment

from stela_core.errors import StelaError
from stela_core.files.write import is_stdout
from stela_core.hashing.key_file import exposure_of, read_key_file
from stela_core.hashing.slow_keys import Passphrase
from stela_core.printable import printable, printable_json
from stela_core.registry.components import Registry

Command = TypeVar("Command", bound=Callable[..., object])


def force_option(command: Command) -> Command:
    """Give a command that writes a file the option ``--force``, its parameter ``force``."""
    return click.option("--force", is_flag=True, help="Replace the file that -o names.")(command)


def allow_lenient_option(command: Command) -> Command:
    """Give a command that makes a profile the option ``--allow-lenient``, its parameter ``allow_lenient``."""
    return click.option(
        "--allow-lenient", is_flag=True, help="Take alpha above 0.05, and min-tokens below 8."
    )(command)


def tagger_option(command: Command) -> Command:
    """Give a command the option ``--tagger``, its parameter ``tagger``."""
    return click.option(
        "--tagger", metavar="NAME:FOLDER", help="The profile's tagger, where its model is a folder of yours."
    )(command)


def registry_of(context: click.Context) -> Registry:
    """The registry made by the command line's group."""
    registry = context.obj
    assert isinstance(registry, Registry)
    return registry


def report(output: str, line: str) -> None:
    """A line on what was written: on stdout, or on stderr where the output itself goes to stdout."""
    say(line, err=is_stdout(Path(output)))


def print_json(value: Any) -> None:
    """One JSON value on one line of stdout, in UTF-8; nothing in it acts on a terminal."""
    click.echo(printable_json(json.dumps(value, ensure_ascii=False)))


def say(message: str, err: bool = False) -> None:
    """One message on stdout or stderr; nothing in it acts on a terminal."""
    click.echo(printable(message), err=err)


def print_text(text: str) -> None:
    """A text on stdout: as it is into a file or a pipe, without effect on a terminal."""
    click.echo(printable(text) if sys.stdout.isatty() else text)


def console() -> Console:
    """Rich output on stdout; as wide as its content where stdout is not a terminal."""
    terminal = Console(soft_wrap=False, highlight=False)
    terminal = terminal if terminal.is_terminal else Console(width=200, highlight=False)
    terminal.push_render_hook(_PrintableHook())
    return terminal


class _PrintableHook(RenderHook):
    """Escapes what a stranger's words would do to a terminal, in whatever is printed."""

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


def key_from(file: str | None) -> int | Passphrase | None:
    """What a key file holds, or ``None`` where no file was named; a note where others may read it."""
    if file is None:
        return None
    remark = exposure_of(file)
    if remark is not None:
        say(f"note: {remark}", err=True)
    return read_key_file(file)


def fail(message: str, hint: str) -> int:
    """Print ``error: MESSAGE hint: HINT`` on stderr; the exit status is 2."""
    say(
        f"error: {' '.join(message.split())}" + (f" hint: {' '.join(hint.split())}" if hint else ""), err=True
    )
    return 2
