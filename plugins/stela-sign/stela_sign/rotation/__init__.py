"""Keys of profiles over time: a new one that marks from now on or from some day, an old one published."""

from __future__ import annotations

from typing import TYPE_CHECKING

import stela_core as stela

if TYPE_CHECKING:
    import click


@stela.hookimpl
def stela_commands(cli: click.Group) -> None:
    """Add ``stela profile rotate`` and ``stela profile publish``."""
    import click

    from stela_sign.rotation.commands import profile_publish, profile_rotate

    profiles = cli.commands["profile"]
    assert isinstance(profiles, click.Group)
    profiles.add_command(profile_publish, "publish")
    profiles.add_command(profile_rotate, "rotate")
