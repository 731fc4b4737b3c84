"""Commands that are imported when they are called: those here by their modules, a plugin's by its hook.

``stela --help`` and a press of Tab import none of them.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING

import click

from stela_cli.completion import add_completion
from stela_cli.published_commands import commands_within
from stela_cli.verbose import add_verbose
from stela_core.api import own_process, published

if TYPE_CHECKING:
    from stela_core import Registry

CORE = {
    "completion": "stela_cli.completion_script",
    "detect": "stela_cli.detect",
    "plugins": "stela_cli.plugins",
    "key new": "stela_cli.profile_new",
    "profile new": "stela_cli.profile_new",
    "profile show": "stela_cli.profile_show",
    "profile trust": "stela_cli.profile_show",
}
"""The module of each command of this package; there it is named as its words are, with ``_`` between."""


class LateCommands:
    """What is added to a command line when it is asked for.

    Args:
        cli: the group ``stela``, in which the core's groups are.
        registry: makes the registry, or gives the one that is there.
        installed: names of the plugins of this project that may be asked for commands.
    """

    def __init__(
        self, cli: click.Group, registry: Callable[[], Registry], installed: Collection[str]
    ) -> None:
        self._cli = cli
        self._registry = registry
        self._installed = installed
        self._asked: set[str] = set()
        self._equip()

    def waiting_in(self, group: str) -> list[str]:
        """Names of the commands in a group (its words after ``stela``) that were not asked for yet."""
        names = {*commands_within(group), *commands_within(group, CORE)}
        return [name for name in names if self._waits(f"{group} {name}".strip())]

    def add(self, command: str) -> None:
        """Import a command (its words after ``stela``); with one of a plugin, all that the plugin brings."""
        if not self._waits(command):
            return
        if command in CORE:
            self._asked.add(command)
            *group, name = command.split()
            within = self._cli.commands[group[0]] if group else self._cli
            assert isinstance(within, click.Group)
            with _kept():
                module = import_module(CORE[command])
            within.add_command(getattr(module, command.replace(" ", "_")), name)
            self._equip()
        else:
            plugin = published().commands[command]
            with _kept():
                self._registry().load([plugin])
            self.add_plugin(plugin)

    def add_all(self) -> None:
        """Import all commands."""
        for command in [*CORE, *published().commands]:
            self.add(command)

    def add_plugin(self, plugin: str) -> None:
        """Add what a plugin that is loaded brings."""
        self._asked.add(plugin)
        self._registry().plugins.ask(plugin, "stela_commands", lambda add: add(self._cli))
        self._equip()

    def _waits(self, command: str) -> bool:
        if command in CORE:
            return command not in self._asked
        plugin = published().commands.get(command)
        return plugin in self._installed and plugin not in self._asked

    def _equip(self) -> None:
        """Give new commands what all have."""
        for command in all_commands(self._cli):
            add_verbose(command)
            add_completion(command)


@contextmanager
def _kept() -> Iterator[None]:
    """What is made here is kept until the end: nobody looks through it for garbage, now or later."""
    if not own_process:
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def all_commands(command: click.Command) -> Iterator[click.Command]:
    """A command and, of a group, those in it that are here."""
    yield command
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            yield from all_commands(inner)
