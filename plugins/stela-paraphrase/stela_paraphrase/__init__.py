"""Attacks that rewrite a text with a sequence-to-sequence model."""

import stela_run

import stela_core as stela
from stela_paraphrase.dipper import Dipper
from stela_paraphrase.translate import Translate

__all__ = ["Dipper", "Translate"]


@stela.hookimpl
def stela_register_attacks() -> list[type[stela_run.Attack]]:
    """Register the attacks."""
    return [Dipper, Translate]
