"""The group ``stela``: finds plugins, lets them add commands, and turns errors into one line."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Sequence
from contextlib import nullcontext
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING

import click

from stela_cli.completion import VARIABLE
from stela_cli.group import Formatter, Group
from stela_cli.late_commands import LateCommands
from stela_cli.printing import fail
from stela_cli.verbose import verbose
from stela_core import StelaError
from stela_core.api import contained, own_process, published

if TYPE_CHECKING:
    from stela_core import Registry


def build_cli(registry: Registry) -> Group:
    """The command line with the commands that plugins add; those of this project when they are called."""
    plugins = registry.plugins
    cli = _groups(lambda: registry, [*plugins.origins, *plugins.waiting])
    for plugin in list(plugins.origins):
        cli.late.add_plugin(plugin)
    return cli


def build_cli_of(files: Sequence[str]) -> Group:
    """The command line of this environment and of local plugin files.

    The registry is made when a command asks for it, unless a plugin of somebody else may add commands.
    """
    ours, others = published().installed()
    if files or os.environ.get("STELA_PLUGINS") or others:
        return build_cli(create_registry(files))
    return _groups(cache(lambda: create_registry(files)), ours)


def create_registry(files: Sequence[str]) -> Registry:
    """The registry of this environment's plugins and of local plugin files."""
    from stela_core import create_registry

    return create_registry(files)


def _groups(registry: Callable[[], Registry], installed: Collection[str]) -> Group:
    settings = {"help_option_names": ["-h", "--help"], "obj": registry}

    @click.group("stela", cls=Group, context_settings=settings, epilog="\b\nExample:\n  stela demo")
    @click.version_option(version("stela-core"), "-V", "--version", prog_name="stela")
    @click.option(
        "--plugin",
        "files",
        multiple=True,
        metavar="FILE",
        help="Load this plugin file, too. May be repeated.",
    )
    def cli(files: tuple[str, ...]) -> None:
        """Watermark the text of language models, and find the watermark without any language model."""

    profiles = "Make, show and change profiles. A profile is one file with all that a detector needs."
    cli.add_command(Group("profile", help=profiles))
    cli.add_command(Group("key", help="Draw secret keys into files."))
    cli.late = LateCommands(cli, registry, installed)
    return cli


def take_plugin_files(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split ``--plugin FILE``, which may stand anywhere, from the other arguments.

    Plugins are loaded before the command is known, since they may add commands.
    """
    files: list[str] = []
    others: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            others += [argument, *rest]
        elif argument == "--plugin":
            file = next(rest, None)
            if file is None:
                raise StelaError("--plugin needs a file.", "--plugin FILE.py")
            files.append(file)
        elif argument.startswith("--plugin="):
            files.append(argument.removeprefix("--plugin="))
        else:
            others.append(argument)
    return files, others


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit status: 0 done, 2 the user can mend it."""
    try:
        files, others = take_plugin_files(arguments)
        # Where a shell asks for completions, click answers and ends the process.
        with nullcontext() if VARIABLE in os.environ else contained, verbose(others):
            status = build_cli_of(files).main(list(others), prog_name="stela", standalone_mode=False)
            return status if isinstance(status, int) else 0
    except StelaError as error:
        return fail(error.message, error.hint)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 0
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "stela"
        return fail(error.format_message(), f"see {command} --help")
    except click.ClickException as error:
        return fail(error.format_message(), "")
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        return 130
    except BrokenPipeError:
        # The reader (head, less) has gone; Python would complain again when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        return fail(f"{what}.", "check the path, the permissions and the free space")


def main() -> None:
    """Entry point of the console script."""
    own_process.begin()
    if "NO_COLOR" not in os.environ:
        click.Context.formatter_class = Formatter
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.exit(run(sys.argv[1:]))
