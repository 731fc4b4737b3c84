"""A language's plugin, from files to a folder."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from stela_causal.word_files import Description, write_model
from stela_tables.build import build_tables
from stela_tables.file import write_table

import stela_core as stela
from stela_core.api import make_tagger, short_hash
from stela_language.learning import train
from stela_language.lesson import characters_of, known_characters
from stela_language.measuring import Measured, measure
from stela_language.treebank import Sentence, is_spaced, labels_of, parted, read_sentences
from stela_language.writing import Language, Made, write_class, write_rest

KS = (2, 3, 4)
FEWEST_JOINED = 20
"""How often tags have to be seen together for words written as one to have a label."""
SHAPE = {"lengths": [2, 3, 4, 6, 12], "bits": 14, "dilations": [1, 2, 4, 6], "delay": 3}
WIDTHS = {"char_width": 32, "ending_width": 16, "width": 128}
"""Chosen on Turkish: endings of 2, 3, 4, 10, dilations 1, 1, 2, 4 and width 96 gave a higher loss."""
SAMPLED = 60
"""Sentences of the test part that are looked at for the sample."""


class Wanted(NamedTuple):
    """What the command is given."""

    treebanks: Sequence[str]
    tests: Sequence[str]
    corpora: Sequence[str]
    language: Language
    epochs: int
    seed: int
    skip_bad: bool


def make(wanted: Wanted, output: Path, say: Callable[[str], None]) -> Measured:
    """Train, measure, build tables and write the plugin; what is half done lies in ``OUTPUT.partial``.

    Raises:
        StelaError: a file is missing or bad, or the output is there already.
    """
    partial = output.with_name(f"{output.name}.partial")
    require_no_folder(output)
    train_part, test_part, bad = _parts(wanted)
    if bad:
        say(f"note: left out {bad} bad sentences")
    labels = labels_of(train_part, FEWEST_JOINED)
    known, stands = known_characters(train_part)
    shape = Description.model_validate(
        {"characters": known, "folded": stands, "labels": labels, **SHAPE, **WIDTHS}
    )
    numbers = {label: number for number, label in enumerate(labels)}
    lesson = [characters_of(one, numbers) for one in train_part]
    content = "\n".join(f"{one.text}\t{one.words}\t{one.spaced}" for one in train_part)
    key = short_hash(
        shape.model_dump_json(),
        hashlib.sha256(content.encode()).hexdigest(),
        f"{wanted.epochs} {wanted.seed}",
    )
    _make_folder(partial)
    trained = sum(len(one.words) for one in train_part)
    say(f"training with {trained} words, testing with {sum(len(one.words) for one in test_part)}")
    arrays = train(lesson, shape, wanted.epochs, wanted.seed, partial, key, say)
    folder = partial / "plugin"
    shutil.rmtree(folder, ignore_errors=True)
    spaced = is_spaced(train_part)
    module = write_class(folder, wanted.language, spaced)
    write_model(module.parent / "model", shape, arrays)
    # No other plugin: one that is installed may have the same name, as when a language is made again.
    registry = stela.create_registry([module], installed=())
    measured = measure(make_tagger(registry, wanted.language.code), test_part)
    say(f"tags right {measured.tags:.1%}, boundaries F1 {measured.boundaries:.1%}; building tables")
    built = build_tables(registry, wanted.language.code, wanted.corpora, KS, skip_bad=wanted.skip_bad)
    (module.parent / "tables").mkdir()
    for k, table in built.tables.items():
        write_table(module.parent / "tables" / f"k{k}.json", table)
    sample = " ".join(one.text for one in test_part[:SAMPLED])
    means = {k: table.mean_over_tokens for k, table in built.tables.items()}
    sources = wanted.treebanks, wanted.tests, wanted.corpora
    made = Made(*sources, trained, wanted.epochs, spaced, sample, measured, means)
    write_rest(folder, wanted.language, made)
    os.rename(folder, output)
    shutil.rmtree(partial)
    return measured


def require_no_folder(output: Path) -> None:
    """Find out before any work whether the plugin may be written there.

    Raises:
        StelaError: something of this name is there, or its folder is not.
    """
    if os.path.lexists(output):
        raise stela.StelaError(f'"{output}" exists.', "name another folder, or move this one away")
    if not output.parent.is_dir():
        raise stela.StelaError(f'there is no folder "{output.parent}".', "make it first")


def _parts(wanted: Wanted) -> tuple[list[Sentence], list[Sentence], int]:
    sentences, bad = read_sentences(wanted.treebanks, wanted.skip_bad)
    tests, bad_tests = read_sentences(wanted.tests, wanted.skip_bad)
    return (*parted(sentences, tests), bad + bad_tests)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise stela.StelaError(f'cannot write "{folder}": {error.strerror}.', "name another folder") from None
