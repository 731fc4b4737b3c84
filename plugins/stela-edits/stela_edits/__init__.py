"""Attacks that need no model: words, characters and sentences changed; text cut or pasted into human text."""

import stela_run

import stela_core as stela
from stela_edits.case import Case
from stela_edits.contraction import Contraction
from stela_edits.delete import Delete
from stela_edits.emoji import Emoji
from stela_edits.homoglyph import Homoglyph
from stela_edits.insert import Insert
from stela_edits.misspelling import Misspelling
from stela_edits.paste import Paste
from stela_edits.punctuation import Punctuation
from stela_edits.sentences import Sentences
from stela_edits.swap import Swap
from stela_edits.template import Template
from stela_edits.truncate import Truncate
from stela_edits.typo import Typo

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
