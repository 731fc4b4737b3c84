"""WatME: mutual exclusion inside clusters of interchangeable tokens (Chen et al., ACL 2024)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import stela_core as stela
from stela_watme.hasher import WatmeHasher

if TYPE_CHECKING:
    import click


class Watme(stela.Scheme):
    """A static bias; of each cluster of interchangeable tokens a share gamma is green, never all or none."""

    name = "watme"
    paper = "Chen et al., ACL 2024"
    hasher = "watme"
    strength = "uniform"
    evidence = "uniform"


@stela.hookimpl
def stela_register_hashers() -> type[stela.Hasher]:
    """Register the hasher."""
    return WatmeHasher


@stela.hookimpl
def stela_register_schemes() -> type[stela.Scheme]:
    """Register the scheme."""
    return Watme


@stela.hookimpl
def stela_commands(cli: click.Group) -> None:
    """Add ``stela watme clusters``."""
    # Here, since whoever wants the hasher alone needs no command line.
    from stela_watme.command import add_to

    add_to(cli)
