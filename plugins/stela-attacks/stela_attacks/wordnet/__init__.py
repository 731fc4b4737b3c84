"""Synonym substitution with WordNet."""

import stela_run

import stela_core as stela
from stela_attacks.wordnet.attack import WordNet

__all__ = ["WordNet"]


@stela.hookimpl
def stela_register_attacks() -> type[stela_run.Attack]:
    """Register the attack."""
    return WordNet
