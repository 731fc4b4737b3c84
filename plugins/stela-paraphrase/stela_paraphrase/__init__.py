"""Attacks that rewrite a text with a model: paraphrase, back-translation, masked words, a random walk."""

import stela_run

import stela_core as stela
from stela_paraphrase.dipper import Dipper
from stela_paraphrase.masked import Masked
from stela_paraphrase.translate import Translate
from stela_paraphrase.walk import Walk

__all__ = ["Dipper", "Masked", "Translate", "Walk"]


@stela.hookimpl
def stela_register_attacks() -> list[type[stela_run.Attack]]:
    """Register the attacks."""
    return [Dipper, Masked, Translate, Walk]
