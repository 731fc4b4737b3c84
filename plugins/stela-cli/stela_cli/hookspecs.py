"""The hook of what texts are read from, beside those of ``stela_core.hookspecs``."""

from __future__ import annotations

from stela_cli.documents.reader import Reader
from stela_core import Component
from stela_core.api import Classes, hookspec

INTERFACES: tuple[type[Component], ...] = (Reader,)
"""What the hook below registers."""


@hookspec
def stela_register_readers() -> Classes[Reader]:  # type: ignore[empty-body]
    """Kinds of files that texts are read from."""
