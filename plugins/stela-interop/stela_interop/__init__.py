"""Green lists of other toolkits, bit for bit (docs/interop.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import stela_core as stela
from stela_interop.lefthash import Lefthash
from stela_interop.markllm import MarkLlm
from stela_interop.red_green import RedGreen
from stela_interop.sbw import Sbw
from stela_interop.selfhash import Selfhash
from stela_interop.textseal_green import TextSealGreen

if TYPE_CHECKING:
    import click


@stela.hookimpl
def stela_register_hashers() -> list[type[stela.Hasher]]:
    """Register the hashers."""
    return [Lefthash, Selfhash, MarkLlm, Sbw, RedGreen, TextSealGreen]


@stela.hookimpl
def stela_commands(cli: click.Group) -> None:
    """Add ``stela profile import``."""
    # Here, since whoever wants the hashers alone needs no command line.
    from stela_interop.profile_import import add_to

    add_to(cli)
