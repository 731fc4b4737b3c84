"""What reads the files of strangers: each takes a path, and either returns or raises a StelaError."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from stela_corpora.conllu import ConlluFile
from stela_corpora.corpus import Corpus
from stela_interop.foreign import read_lm_watermarking
from stela_interop.foreign_markllm import read_markllm
from stela_interop.foreign_synthid import read_transformers
from stela_run.cells.cell_file import bounds_of
from stela_run.cells.store import Store
from stela_tables.file import read_any_table
from stela_tables.values import ValueTable

from stela_core.errors import StelaError
from stela_core.hashing.key_file import read_key_file
from stela_core.loading import load
from stela_core.registry.components import Registry, create_registry
from tests.safety.honest import TEXT

EXPERIMENT = {"texts": 100, "keys": 5, "lengths": [100]}
"""What a cell's file may hold depends on it."""


@cache
def registry() -> Registry:
    """The installed plugins."""
    return create_registry()


def read_profile(path: Path) -> None:
    """Load it, and test a text."""
    load(path, registry=registry()).detect(TEXT)


def read_table(path: Path) -> None:
    """Read it, and look something up."""
    table = read_any_table(path)
    if isinstance(table, ValueTable):
        table.of_text("the city")
        table.of_tags(("DET",))
    else:
        table.lookup(("DET", "NOUN"))
        _ = table.entries, table.mean_over_tokens
    table.mean("types")


def read_corpus(path: Path) -> None:
    """All its documents."""
    for _ in Corpus(path):
        pass


def read_treebank(path: Path) -> None:
    """All its sentences."""
    for _ in ConlluFile(path):
        pass


def read_cell(path: Path) -> None:
    """The only cell of a run's folder: the file has to be ``cells/x.json.gz``."""
    Store(path.parent.parent, bounds_of(EXPERIMENT)).read("x")


def read_configuration(path: Path) -> None:
    """As the configuration of each toolkit; the last error counts."""
    last: StelaError | None = None
    for read in (read_transformers, read_lm_watermarking, read_markllm):
        try:
            read(path)
        except StelaError as error:
            last = error
    if last is not None:
        raise last


def read_key(path: Path) -> None:
    """A key file."""
    read_key_file(path)


TARGETS: dict[str, Callable[[Path], None]] = {
    "profile": read_profile,
    "table": read_table,
    "corpus": read_corpus,
    "treebank": read_treebank,
    "cell": read_cell,
    "configuration": read_configuration,
    "key": read_key,
}
NAMES = {
    "profile": "p.stela",
    "table": "t.json",
    "corpus": "c.jsonl",
    "treebank": "en_x-ud-train.conllu",
    "cell": "cells/x.json.gz",
    "configuration": "config.json",
    "key": "key.txt",
}
"""File of each kind within a folder."""
