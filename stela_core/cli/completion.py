"""Completion in a shell: ``stela completion SHELL``, and what values of options may be.

The shell calls ``stela`` with ``_STELA_COMPLETE`` at each press of Tab (click's own mechanism).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.metadata import entry_points
from typing import Any

import click
from click.shell_completion import CompletionItem, get_completion_class

from stela_core.interfaces import Executor, ModelSource, Scheme, Tagger, TextSource, Weighting
from stela_core.registry.components import Registry, create_registry
from stela_core.registry.manager import GROUP
from stela_core.registry.published import published

VARIABLE = "_STELA_COMPLETE"
"""Set where a shell asks, and what click calls it for a program ``stela``."""

SHELLS = ("bash", "zsh", "fish")

MOST = 200
"""Profiles of a folder that are offered."""

Values = Callable[[Registry], Iterable[str]]


class FromRegistry(click.types.StringParamType):
    """A string; what plugins register is offered for it.

    Args:
        values: what is offered.
        paths: what else may stand there: ``file``, ``dir`` (a folder).
    """

    def __init__(self, values: Values, paths: str | None = None) -> None:
        self._values = values
        self._paths = paths

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The names that begin so; where none does, what else may stand there."""
        registry = ctx.find_object(Registry)
        names = [] if registry is None else sorted({*self._values(registry)})
        offered = [CompletionItem(name) for name in names if name.startswith(incomplete)]
        return offered or ([] if self._paths is None else [CompletionItem(incomplete, type=self._paths)])


class AnyPath(click.Path):
    """A path that the command itself looks at."""

    def __init__(self, folder: bool = False) -> None:
        super().__init__(file_okay=not folder, readable=False)

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:  # type: ignore[override]
        """The path as it was given."""
        return value


class ProfilePath(AnyPath):
    """A path of a profile: those of the folder are offered."""

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The folder's profiles whose names begin so; where there are none, any file."""
        folder, beginning = os.path.split(incomplete)
        try:
            names = sorted(os.listdir(folder or "."))
        except OSError:
            names = []
        fitting = [n for n in names if n.startswith(beginning) and n.endswith(".stela") and n.isprintable()]
        offered = [CompletionItem(os.path.join(folder, name)) for name in fitting[:MOST]]
        return offered or super().shell_complete(ctx, param, incomplete)


def languages_of(registry: Registry) -> Iterator[str]:
    """Languages of the installed taggers."""
    for name in registry.names(Tagger):
        language = getattr(registry.get(Tagger, name), "language", None)
        if isinstance(language, str):
            yield language


BY_NAME: dict[str, click.ParamType[Any]] = {
    "--scheme": FromRegistry(lambda registry: [*registry.names(Scheme), *registry.names(Weighting)]),
    "--tagger": FromRegistry(lambda registry: registry.names(Tagger)),
    "--model": FromRegistry(lambda registry: registry.names(ModelSource), paths="dir"),
    "--surrogate": FromRegistry(lambda registry: registry.names(ModelSource), paths="dir"),
    "--executor": FromRegistry(lambda registry: registry.names(Executor)),
    "--language": FromRegistry(languages_of),
}
"""Options whose values plugins register."""

BY_METAVAR: tuple[tuple[str, click.ParamType[Any]], ...] = (
    (r".*\.stela", ProfilePath()),
    (r"DIR|FOLDER", AnyPath(folder=True)),
    (r"FILE(\|JSON)?|TABLE|.*\.\w+", AnyPath()),
    ("CORPUS", FromRegistry(lambda registry: registry.names(TextSource), paths="file")),
)
"""What a metavar of this form stands for."""


def add_completion(command: click.Command) -> None:
    """Let the values of a command's parameters be completed, where any string or any path is taken."""
    for parameter in command.params:
        kind = parameter.type
        metavar = re.sub(r"[\[\]]| ?\.\.\.| \| -", "", parameter.metavar or "")
        if type(kind) is click.types.StringParamType:
            by_name = next((BY_NAME[flag] for flag in parameter.opts if flag in BY_NAME), None)
            by_metavar = (kind for form, kind in BY_METAVAR if re.fullmatch(form, metavar))
            parameter.type = by_name or next(by_metavar, parameter.type)
        elif type(kind) is click.Path and parameter.name == "profile":
            parameter.type = ProfilePath()


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    r"""Print a script that lets your shell complete commands, options and their values.

    Load the script each time your shell starts:

    \b
    ~/.bashrc                    eval "$(stela completion bash)"
    ~/.zshrc                     eval "$(stela completion zsh)"
    ~/.config/fish/config.fish   stela completion fish | source
    """
    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(context.find_root().command, {}, "stela", VARIABLE).source())


def is_asked() -> bool:
    """Whether a shell asks for what may come next."""
    return os.environ.get(VARIABLE, "").endswith("_complete")


def registry_to_complete() -> Registry:
    """The plugins that can say what comes next, and no others: a shell waits for the answer."""
    kind = get_completion_class(os.environ[VARIABLE].partition("_")[0])
    before = (
        [] if kind is None else kind(click.Command("stela"), {}, "stela", VARIABLE).get_completion_args()[0]
    )
    installed = [entry for entry in entry_points(group=GROUP) if _may_say(entry.name, before)]
    return create_registry(installed=installed)


def _may_say(plugin: str, words: Sequence[str]) -> bool:
    """Whether a plugin brings a command that begins with these words, or a value that comes next."""
    if plugin not in published()["components"] or (words and words[-1].startswith("-")):
        return True
    own = [command.split() for command, name in published()["commands"].items() if name == plugin]
    command = next((word for word in words if not word.startswith("-")), None)
    return any(command in (None, first) for first, *_ in own)
