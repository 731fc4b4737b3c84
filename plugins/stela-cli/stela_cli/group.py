"""A group of commands. An unknown one gets a suggestion, or the name of the plugin that brings it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

import click

from stela_cli.published_commands import commands_within, distribution_of_command
from stela_core import StelaError
from stela_core.api import did_you_mean, published

if TYPE_CHECKING:
    from stela_cli.late_commands import LateCommands
    from stela_core import Registry

SENTENCE = 200
"""Characters of a command's first sentence: more than any has, so that none is cut."""

EVERYDAY = ("profile", "generate", "detect", "page", "serve", "key", "verdict", "message", "demo", "plugins")
RESEARCH = (
    "run",
    "compare",
    "new",
    "paper",
    "lambda",
    "language",
    "audit",
    "trace",
    "posterior",
    "sentence",
)
"""Commands of ``stela`` in the order of its help; the others follow, as those of plugins."""

REST = "Other options"
"""Heading of those that have no other."""


class Group(click.Group):
    """A group that lists whole sentences, and whose unknown commands get a hint."""

    late: LateCommands
    """Late commands of the outermost group: they are added to it, and to the groups in it, when asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of the commands here, and of those that were not asked for yet."""
        late = _late(ctx)
        waiting = [] if late is None else late.waiting_in(words_of(ctx, "").strip())
        return sorted({*self.commands, *waiting})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command; it is imported if it waits."""
        late = _late(ctx)
        if cmd_name not in self.commands and late is not None:
            late.add(words_of(ctx, cmd_name))
        return self.commands.get(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List each command with the first sentence of its help."""
        rows = {}
        for name in self.list_commands(ctx):
            command = self.commands.get(name)
            waits = published().summaries.get(words_of(ctx, name), "")
            rows[name] = waits if command is None else command.get_short_help_str(SENTENCE)
        sections = {"Commands": [*rows]}
        if ctx.parent is None:
            everyday, research = ([name for name in some if name in rows] for some in (EVERYDAY, RESEARCH))
            others = [name for name in rows if name not in {*everyday, *research}]
            sections = {"Commands": everyday, "Commands for research": research, "Other commands": others}
        for heading, names in sections.items():
            if names:
                with formatter.section(heading):
                    formatter.write_dl([(name, rows[name]) for name in names])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or raise a StelaError that says what to install, or holds the closest name."""
        unknown = bool(args) and self.get_command(ctx, args[0]) is None
        if unknown and not args[0].startswith("-") and not ctx.resilient_parsing:
            from stela_cli.common import registry_of  # not before something is wrong: it imports much

            require_installed(None if ctx.obj is None else registry_of(ctx), words_of(ctx, args[0]))
            # Those of plugins that are not here, too: typed right, they say what to install.
            known = {*self.list_commands(ctx), *commands_within(words_of(ctx, "").strip())}
            raise StelaError(f'unknown command "{args[0]}".', did_you_mean(args[0], known))
        return super().resolve_command(ctx, args)


class Sectioned(click.Command):
    """A command with many options, whose help lists them under headings."""

    sections: Mapping[str, str] = MappingProxyType({})

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List each option under its heading."""
        headings = {name: heading for heading, names in self.sections.items() for name in names.split()}
        rows: dict[str, list[tuple[str, str]]] = {heading: [] for heading in (*self.sections, REST)}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record:
                rows[next((headings[name] for name in param.opts if name in headings), REST)].append(record)
        for heading, some in rows.items():
            if some:
                with formatter.section(heading):
                    formatter.write_dl(some)


def sectioned(sections: Mapping[str, str]) -> type[Sectioned]:
    """The class of a command whose help has these headings.

    Args:
        sections: by heading, the options under it, as they are typed. Those of every command come last.
    """
    return type("Sectioned", (Sectioned,), {"sections": sections})


class Formatter(click.HelpFormatter):
    """Help with bold headings; where it is not printed on a terminal, click leaves their codes out."""

    def write_heading(self, heading: str) -> None:
        """Write a heading in bold."""
        super().write_heading(click.style(heading, bold=True))


def _late(context: click.Context) -> LateCommands | None:
    return getattr(context.find_root().command, "late", None)


def words_of(context: click.Context, name: str) -> str:
    """A command as it is typed after ``stela``, such as ``profile new``."""
    words = [name]
    at = context
    while at.parent is not None:
        words.insert(0, str(at.info_name))
        at = at.parent
    return " ".join(words)


def require_installed(registry: Registry | None, command: str) -> None:
    """Refuse a command of a plugin of this project that is not here.

    Args:
        registry: the plugins, where they are known yet.
        command: its words, without ``stela``.

    Raises:
        StelaError: the plugin that brings it is not installed, or could not be loaded.
    """
    missing = distribution_of_command(command)
    if missing is None:
        return
    for broken in [] if registry is None else registry.broken:
        if broken.name == published().commands[command]:
            raise StelaError(
                f'command "{command}" is not available: plugin "{broken.name}" failed to load.', broken.reason
            )
    if registry is None or missing not in registry.distributions():
        raise StelaError(f'command "{command}" is not installed.', f"pip install {missing}")
