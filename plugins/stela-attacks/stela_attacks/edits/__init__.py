"""Attacks that need no model: words, characters and sentences changed; text cut or pasted into human text."""

import stela_run

import stela_core as stela
from stela_attacks.edits.case import Case
from stela_attacks.edits.contraction import Contraction
from stela_attacks.edits.delete import Delete
from stela_attacks.edits.emoji import Emoji
from stela_attacks.edits.homoglyph import Homoglyph
from stela_attacks.edits.insert import Insert
from stela_attacks.edits.misspelling import Misspelling
from stela_attacks.edits.paste import Paste
from stela_attacks.edits.punctuation import Punctuation
from stela_attacks.edits.sentences import Sentences
from stela_attacks.edits.swap import Swap
from stela_attacks.edits.template import Template
from stela_attacks.edits.truncate import Truncate
from stela_attacks.edits.typo import Typo

__all__ = [
    "Case",
    "Contraction",
    "Delete",
    "Emoji",
    "Homoglyph",
    "Insert",
    "Misspelling",
    "Paste",
    "Punctuation",
    "Sentences",
    "Swap",
    "Template",
    "Truncate",
    "Typo",
]


@stela.hookimpl
def stela_register_attacks() -> list[type[stela_run.Attack]]:
    """Register the attacks."""
    words = [Delete, Insert, Swap, Truncate, Paste]
    surface = [Typo, Misspelling, Homoglyph, Case, Punctuation, Emoji, Contraction]
    return [*words, *surface, Sentences, Template]
