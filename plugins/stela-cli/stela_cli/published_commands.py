"""Which commands this project's distributions bring: words after ``stela``."""

from __future__ import annotations

from collections.abc import Iterable

from stela_core.api import published


def distribution_of_command(command: str) -> str | None:
    """The distribution that brings a command (its words after ``stela``), if it is one of this project's."""
    short = published().commands.get(command)
    return None if short is None else published().distributions[short]


def commands_within(group: str, commands: Iterable[str] | None = None) -> set[str]:
    """Names of the commands in a group (its words after ``stela``): those of this project's distributions."""
    words = [command.split() for command in (published().commands if commands is None else commands)]
    return {name for *within, name in words if within == group.split()}
