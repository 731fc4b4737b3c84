"""Korean morphemes with Sejong tags, by Kiwi; ships indeterminacy tables for k = 2, 3 and 4."""

import stela_core as stela
from stela_sejong.tagger import Sejong

__all__ = ["Sejong", "stela_register_taggers"]


@stela.hookimpl
def stela_register_taggers() -> type[stela.Tagger]:
    """Register the tagger."""
    return Sejong
