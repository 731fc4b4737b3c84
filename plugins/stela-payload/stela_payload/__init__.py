"""Messages in marks: who made a text, with an exact bound on naming the wrong one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import stela_core as stela

if TYPE_CHECKING:
    import click


@stela.hookimpl
def stela_register_encoders() -> type[stela.Encoder]:
    """Register the encoder."""
    from stela_payload.encoder import Payload

    return Payload


@stela.hookimpl
def stela_commands(cli: click.Group) -> None:
    """Add ``stela message new``."""
    from stela_payload.message_command import add_to

    add_to(cli)
