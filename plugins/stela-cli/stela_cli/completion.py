"""Completion in a shell: what values of options may be.

The shell calls ``stela`` with ``_STELA_COMPLETE`` at each press of Tab (click's own mechanism).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from stela_core import Registry

VARIABLE = "_STELA_COMPLETE"
"""Set where a shell asks, and what click calls it for a program ``stela``."""

MOST = 200
"""Profiles of a folder that are offered."""


class FromRegistry(click.types.StringParamType):
    """A string; what plugins register is offered for it.

    Args:
        interfaces: of what is offered, names in ``stela_core`` or of what a library lends.
        paths: what else may stand there: ``file``, ``dir`` (a folder).
    """

    def __init__(self, *interfaces: str, paths: str | None = None) -> None:
        self._interfaces = interfaces
        self._paths = paths

    def values(self, registry: Registry) -> Iterable[str]:
        """What is offered."""
        import stela_core
        from stela_core.api import lent

        for each in self._interfaces:
            interface = lent(each)
            if interface is not None:
                yield from registry.names(interface)
            elif each in dir(stela_core):
                yield from registry.names(getattr(stela_core, each))

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The names that begin so; where none does, what else may stand there."""
        from stela_cli.common import registry_of

        names = [] if ctx.obj is None else sorted({*self.values(registry_of(ctx))})
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


class Languages(FromRegistry):
    """Languages of the installed taggers."""

    def values(self, registry: Registry) -> Iterator[str]:
        """What is offered."""
        from stela_core import Tagger

        for name in registry.names(Tagger):
            language = getattr(registry.get(Tagger, name), "language", None)
            if isinstance(language, str):
                yield language


class Executors(FromRegistry):
    """Executors, which are an interface of this package."""

    def values(self, registry: Registry) -> Iterable[str]:
        """What is offered."""
        from stela_cli.jobs.executor import Executor

        return registry.names(Executor)


BY_NAME: dict[str, click.ParamType[Any]] = {
    "--scheme": FromRegistry("Scheme", "Weighting"),
    "--tagger": FromRegistry("Tagger"),
    "--model": FromRegistry("ModelSource", paths="dir"),
    "--surrogate": FromRegistry("ModelSource", paths="dir"),
    "--executor": Executors(),
    "--language": Languages(),
}
"""Options whose values plugins register."""

BY_METAVAR: tuple[tuple[str, click.ParamType[Any]], ...] = (
    (r".*\.stela", ProfilePath()),
    (r"DIR|FOLDER", AnyPath(folder=True)),
    (r"FILE(\|JSON)?|TABLE|.*\.\w+", AnyPath()),
    ("CORPUS", FromRegistry("TextSource", paths="file")),
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
