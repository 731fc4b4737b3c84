"""Attacks that rewrite a text with a model: paraphrase, back-translation, masked words, a random walk."""

import stela_run

import stela_core as stela
from stela_attacks.paraphrase.dipper import Dipper
from stela_attacks.paraphrase.masked import Masked
from stela_attacks.paraphrase.translate import Translate
from stela_attacks.paraphrase.walk import Walk

__all__ = ["Dipper", "Masked", "Translate", "Walk"]


@stela.hookimpl
def stela_register_attacks() -> list[type[stela_run.Attack]]:
    """Register the attacks."""
    return [Dipper, Masked, Translate, Walk]
