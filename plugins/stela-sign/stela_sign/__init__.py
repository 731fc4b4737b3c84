"""Signatures: who made a profile, and who gave a verdict (docs/signing.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import stela_core as stela

if TYPE_CHECKING:
    import click


@stela.hookimpl
def stela_commands(cli: click.Group) -> None:
    """Add ``stela key signing``, ``stela profile sign`` and ``verify``, and ``stela verdict``."""
    # Here, since nothing else needs the library of signatures.
    from stela_sign.commands import add_to

    add_to(cli)
