"""Lines that commands print; nothing in them acts on a terminal. Light: every command begins here."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from stela_cli.output import is_stdout
from stela_core.api import printable


def say(message: str, err: bool = False) -> None:
    """One message on stdout or stderr; nothing in it acts on a terminal."""
    click.echo(printable(message), err=err)


def fail(message: str, hint: str) -> int:
    """Print ``error: MESSAGE hint: HINT`` on stderr; the exit status is 2."""
    say(
        f"error: {' '.join(message.split())}" + (f" hint: {' '.join(hint.split())}" if hint else ""), err=True
    )
    return 2


def print_text(text: str) -> None:
    """A text on stdout: as it is into a file or a pipe, without effect on a terminal."""
    click.echo(printable(text) if sys.stdout.isatty() else text)


def print_json(value: Any) -> None:
    """One JSON value on one line of stdout, in UTF-8; nothing in it acts on a terminal."""
    click.echo(printable_json(json.dumps(value, ensure_ascii=False)))


def printable_json(text: str) -> str:
    r"""A JSON text with control and format characters of its strings as ``\u001b``: it reads the same.

    The characters are those of :func:`stela_core.api.printable`. ``json.dumps`` escapes only C0 controls,
    unless it escapes every letter that is not ASCII.
    """
    if text.isprintable():
        return text
    return "".join(c if c == printable(c) else _in_json(c) for c in text)


def _in_json(character: str) -> str:
    return json.dumps(character)[1:-1] if ord(character) != 0x7F else "\\u007f"


def report(output: str, line: str) -> None:
    """A line on what was written: on stdout, or on stderr where the output itself goes to stdout."""
    say(line, err=is_stdout(Path(output)))
