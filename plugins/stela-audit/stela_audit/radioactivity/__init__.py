"""Tracing training: was a language model trained on text with a profile's mark?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import stela_core as stela

if TYPE_CHECKING:
    import click


@stela.hookimpl
def stela_commands(cli: click.Group) -> None:
    """Add ``stela trace``."""
    from stela_audit.radioactivity.command import trace

    cli.add_command(trace)
