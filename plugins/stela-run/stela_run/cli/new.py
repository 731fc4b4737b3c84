"""``stela new``: a scheme, a tagger or a metric to fill in, with a test that passes."""

from __future__ import annotations

import keyword
import re
from importlib.util import find_spec
from pathlib import Path

import click
from stela_cli.common import registry_of
from stela_cli.printing import say

from stela_core import Registry, Scheme, StelaError, Tagger, Weighting
from stela_core.api import write_atomically
from stela_run.cli.starters import STARTERS
from stela_run.metric import Metric

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
LONGEST = 40
"""Characters of a name."""


@click.command("new", epilog="\b\nExample:\n  stela new scheme word-length")
@click.argument("kind", type=click.Choice([*STARTERS]))
@click.argument("name")
@click.pass_context
def new(context: click.Context, kind: str, name: str) -> None:
    """Write a scheme, a tagger or a metric to fill in, and a test that it passes.

    Both files go into this folder. The example works as it is: a weight by the length of a word, tags by
    endings, or a count of commas. Replace it by your idea.
    """
    if not NAME.fullmatch(name) or len(name) > LONGEST:
        raise StelaError(
            f'"{name}" is not a name for a {kind}.',
            f"small letters, digits and hyphens, at most {LONGEST}: word-length",
        )
    module = name.replace("-", "_")
    plugin, test = Path(f"{module}.py"), Path(f"test_{module}.py")
    for file in (plugin, test):
        if file.exists():
            raise StelaError(f'"{file}" is there already.', "choose another name")
    if name in _taken(registry_of(context), kind):
        raise StelaError(f'there is a plugin "{name}" already.', "choose another name")
    if keyword.iskeyword(module) or find_spec(module) is not None:
        raise StelaError(f'"{plugin}" would hide a module of Python with this name.', "choose another name")
    starter = STARTERS[kind]
    words = {
        "name": name,
        "module": module,
        "class_name": "".join(part.capitalize() for part in name.split("-")),
    }
    for file, text in ((plugin, starter.plugin), (test, starter.test)):
        write_atomically(file, text.substitute(words).encode(), replace=False)
    say(f"{plugin}, {test}: write your {kind} in the first. Then:")
    for line in starter.next.substitute(words).splitlines():
        say(f"  {line}")


def _taken(registry: Registry, kind: str) -> set[str]:
    """Names that a new one would clash with: a weighting is a scheme, too."""
    if kind == "scheme":
        return {*registry.names(Scheme), *registry.names(Weighting)}
    return {*registry.names(Tagger if kind == "tagger" else Metric)}
