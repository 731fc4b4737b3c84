"""The hook of short names for text, next to those of ``stela_core.hookspecs``."""

from __future__ import annotations

from collections.abc import Sequence

from stela_core import Component
from stela_core.api import hookspec
from stela_corpora.text_source import TextSource

INTERFACES: tuple[type[Component], ...] = (TextSource,)
"""What the hook below registers."""


@hookspec
def stela_register_corpora() -> type[TextSource] | Sequence[type[TextSource]]:  # type: ignore[empty-body]
    """Short names for prompts and human text."""
