"""Seeds by locality-sensitive hashing, lists even in clusters of meaning (Guo et al., EMNLP 2024)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import stela_core as stela
from stela_lsh.hasher import LshHasher

if TYPE_CHECKING:
    import click


class Lsh(stela.Scheme):
    """A static bias; contexts of nearly one meaning share a list, which has its share of every meaning."""

    name = "lsh"
    paper = "Guo et al., EMNLP 2024"
    hasher = "lsh"
    strength = "uniform"
    evidence = "uniform"


@stela.hookimpl
def stela_register_hashers() -> type[stela.Hasher]:
    """Register the hasher."""
    return LshHasher


@stela.hookimpl
def stela_register_schemes() -> type[stela.Scheme]:
    """Register the scheme."""
    return Lsh


@stela.hookimpl
def stela_commands(cli: click.Group) -> None:
    """Add ``stela lsh embed``."""
    # Here, since whoever wants the hasher alone needs no command line.
    from stela_lsh.command import add_to

    add_to(cli)
