"""What a C2PA manifest can say of a marked text (docs/signing.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import stela_core as stela

if TYPE_CHECKING:
    import click


@stela.hookimpl
def stela_commands(cli: click.Group) -> None:
    """Add ``stela c2pa`` and ``stela c2pa find``."""
    from stela_sign.c2pa.group import c2pa

    cli.add_command(c2pa)
