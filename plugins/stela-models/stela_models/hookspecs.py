"""The hook of short names for models, next to those of ``stela_core.hookspecs``."""

from __future__ import annotations

from collections.abc import Sequence

from stela_core import Component
from stela_core.api import hookspec
from stela_models.model_source import ModelSource

INTERFACES: tuple[type[Component], ...] = (ModelSource,)
"""What the hook below registers."""


@hookspec
def stela_register_models() -> type[ModelSource] | Sequence[type[ModelSource]]:  # type: ignore[empty-body]
    """Short names for language models."""
