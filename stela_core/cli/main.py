"""The group ``stela``: finds plugins, lets them add commands, and turns errors into one line."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence

import click

from stela_core.cli.common import fail
from stela_core.cli.completion import add_completion, completion, is_asked, registry_to_complete
from stela_core.cli.detect import detect
from stela_core.cli.group import Group
from stela_core.cli.plugins import plugins
from stela_core.cli.profile_new import key_new, profile_new
from stela_core.cli.profile_show import profile_show, profile_trust
from stela_core.cli.verbose import add_verbose, verbose
from stela_core.errors import StelaError
from stela_core.libraries import own_process
from stela_core.registry.components import Registry, create_registry
from stela_core.registry.manager import core_version


def build_cli(registry: Registry) -> click.Group:
    """The command line with the commands that plugins add."""
    settings = {"help_option_names": ["-h", "--help"], "obj": registry}

    @click.group("stela", cls=Group, context_settings=settings)
    @click.version_option(core_version(), prog_name="stela")
    @click.option(
        "--plugin",
        "files",
        multiple=True,
        metavar="FILE",
        help="Load this plugin file, too. May be repeated.",
    )
    def cli(files: tuple[str, ...]) -> None:
        """Watermark the text of language models, and find the watermark without any language model."""

    profiles = Group(
        "profile",
        help="Make, show and change profiles. A profile is one file with all that a detector needs.",
    )
    profiles.add_command(profile_new, "new")
    profiles.add_command(profile_show, "show")
    profiles.add_command(profile_trust, "trust")
    keys = Group("key", help="Draw secret keys into files.")
    keys.add_command(key_new, "new")
    for command in (plugins, profiles, keys, detect, completion):
        cli.add_command(command)
    for implementation in registry.plugins.manager.hook.stela_commands.get_hookimpls():
        try:
            implementation.function(cli)
        except Exception as error:
            registry.plugins.blame(implementation.plugin_name, error)
    for each in all_commands(cli):
        add_verbose(each)
        add_completion(each)
    return cli


def all_commands(command: click.Command) -> Iterator[click.Command]:
    """A command and, of a group, those in it."""
    yield command
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            yield from all_commands(inner)


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
        with verbose(others):
            registry = registry_to_complete() if is_asked() else create_registry(files)
            status = build_cli(registry).main(list(others), prog_name="stela", standalone_mode=False)
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
    own_process()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.exit(run(sys.argv[1:]))
