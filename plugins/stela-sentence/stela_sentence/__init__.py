"""Marks of whole sentences: SemStamp, k-SemStamp and SimMark, with exact p-values.

A candidate for the next sentence is kept where the region of its embedding is valid, by a key, after the
region of the sentence before (:mod:`stela_sentence.writing`). Detection splits the text into sentences again
and tests how many pairs of regions are valid (:mod:`stela_sentence.detection`). Python::

    from stela_sentence.mark import load_mark

    detection = load_mark("m.json").detect(text)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import stela_core as stela

if TYPE_CHECKING:
    import click


@stela.hookimpl
def stela_commands(cli: click.Group) -> None:
    """Add ``stela sentence``."""
    from stela_sentence.group import sentence

    cli.add_command(sentence)
