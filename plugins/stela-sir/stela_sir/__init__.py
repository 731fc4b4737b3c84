"""SIR: lists by the meaning of the context (Liu et al., "A Semantic Invariant Robust ...", ICLR 2024)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import stela_core as stela
from stela_sir.hasher import SirHasher

if TYPE_CHECKING:
    import click


class Sir(stela.Scheme):
    """A static bias; contexts of near meaning have nearly one list, by a trained network."""

    name = "sir"
    paper = "Liu et al., ICLR 2024; He et al., ACL 2024"
    hasher = "sir"
    strength = "uniform"
    evidence = "uniform"


@stela.hookimpl
def stela_register_hashers() -> type[stela.Hasher]:
    """Register the hasher."""
    return SirHasher


@stela.hookimpl
def stela_register_schemes() -> type[stela.Scheme]:
    """Register the scheme."""
    return Sir


@stela.hookimpl
def stela_commands(cli: click.Group) -> None:
    """Add ``stela sir``."""
    # Here, since whoever wants the hasher alone needs no command line.
    from stela_sir.command import add_to

    add_to(cli)
