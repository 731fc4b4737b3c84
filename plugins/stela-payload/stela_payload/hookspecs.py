"""The hook of encoders, next to those of ``stela_core.hookspecs``."""

from __future__ import annotations

from collections.abc import Sequence

from stela_core import Component
from stela_core.api import hookspec
from stela_payload.interface import SeedEncoder

INTERFACES: tuple[type[Component], ...] = (SeedEncoder,)
"""What the hook below registers."""


@hookspec
def stela_register_encoders() -> type[SeedEncoder] | Sequence[type[SeedEncoder]]:  # type: ignore[empty-body]
    """Encoders: a message to the seeds that carry it."""
