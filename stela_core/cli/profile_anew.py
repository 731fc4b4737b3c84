"""A profile that was changed, written in place of the one it was made of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from stela_core.cli.common import say
from stela_core.profile.archive import Archive, not_carried_over, write_archive
from stela_core.profile.own import is_own, remember
from stela_core.profile.schema import Profile


def write_anew(output: str | Path, archive: Archive, made: Profile, given: str, force: bool) -> None:
    """Write a changed profile; it stays a profile of this user's own, and what it loses is said.

    Args:
        output: the new file.
        archive: what was read of the old one.
        made: the changed profile.
        given: the old file.
        force: replace a file of the new one's name.
    """
    own, left_out = is_own(archive.profile), not_carried_over(given)
    write_archive(output, replace(archive, profile=made), replace=force)
    if own:
        remember(made)
    for name in left_out:
        say(f"note: {name} was over the profile of before and is left out: make it anew", err=True)
