"""``--verbose``: what the packages log, on standard error."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click

from stela_core.api import printable

FLAGS = ("-v", "--verbose")
OURS = "stela_"
"""What the names of our packages, and of most plugins, begin with."""


class Lines(logging.Handler):
    """A line on standard error for each record, with the seconds since the command began."""

    def __init__(self) -> None:
        super().__init__()
        self._start = time.time()
        self.addFilter(is_shown)

    def emit(self, record: logging.LogRecord) -> None:
        """Write the line; the name of another's file does not act on a terminal."""
        package = record.name.partition(".")[0]
        message = " ".join(record.getMessage().split())
        seconds = max(0.0, record.created - self._start)
        click.echo(printable(f"{seconds:7.2f} s  {package}: {message}"), err=True)


def is_shown(record: logging.LogRecord) -> bool:
    """Whether a record is of our packages, or a warning of any."""
    return record.name.startswith(OURS) or record.levelno >= logging.WARNING


@contextmanager
def verbose(arguments: Sequence[str]) -> Iterator[None]:
    """Show what is logged while the body runs, where the arguments ask for it.

    Plugins are loaded before the arguments are parsed, and their loading is shown, too.
    """
    times = asked(arguments)
    if not times:
        yield
        return
    root, lines = logging.getLogger(), Lines()
    level = root.level
    root.addHandler(lines)
    root.setLevel(logging.INFO if times == 1 else logging.DEBUG)
    try:
        yield
    finally:
        root.removeHandler(lines)
        root.setLevel(level)


def asked(arguments: Sequence[str]) -> int:
    """How often the arguments before ``--`` ask for it."""
    times = 0
    for argument in arguments:
        if argument == "--":
            break
        if argument == "--verbose":
            times += 1
        elif argument.startswith("-v") and set(argument[1:]) == {"v"}:
            times += len(argument) - 1
    return times


def add_verbose(command: click.Command) -> None:
    """Give a command the option, where it has no other of this name."""
    taken = {flag for parameter in command.params for flag in parameter.opts}
    if "--verbose" not in taken:
        flags = [flag for flag in FLAGS if flag not in taken]
        help_line = "Show on standard error what is loaded and done, with times. -vv shows more."
        command.params.append(click.Option(flags, count=True, expose_value=False, help=help_line))
