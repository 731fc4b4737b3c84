"""Stealing a watermark: learned from marked texts, without the key, and forged."""

import stela_run

import stela_core as stela
from stela_attacks.steal.attack import Steal

__all__ = ["Steal"]


@stela.hookimpl
def stela_register_attacks() -> type[stela_run.Attack]:
    """Register the attack."""
    return Steal
