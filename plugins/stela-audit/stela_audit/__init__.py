"""What an outsider without the key can learn about a deployment, for its owner (docs/trust.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import stela_core as stela

if TYPE_CHECKING:
    import click


@stela.hookimpl
def stela_commands(cli: click.Group) -> None:
    """Add ``stela audit``."""
    from stela_audit.group import audit

    cli.add_command(audit)
