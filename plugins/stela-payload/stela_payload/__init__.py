"""Messages in marks: who made a text, with an exact bound on naming the wrong one."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

import stela_core as stela

if TYPE_CHECKING:
    import click

    from stela_payload.encoder import Payload


@stela.hookimpl
def stela_add_hooks() -> ModuleType:
    """The hook of encoders."""
    from stela_payload import hookspecs

    return hookspecs


@stela.hookimpl
def stela_register_encoders() -> type[Payload]:
    """Register the encoder."""
    from stela_payload.encoder import Payload

    return Payload


@stela.hookimpl
def stela_commands(cli: click.Group) -> None:
    """Add ``stela message new``."""
    from stela_payload.message_command import add_to

    add_to(cli)
