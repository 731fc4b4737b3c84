"""A local plugin for the tests: taggers of universal tags, of Penn's, and of neither."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from stela_tables.counts import NgramCounts, TaggerIdentity
from stela_tables.file import write_table
from stela_tables.table import IndeterminacyTable

import stela_core as stela


class Universal(stela.Tagger):
    """Short words are determiners, those with a capital verbs, others nouns."""

    name = "universal"
    language = "en"
    tagset = "Universal Dependencies"
    knows: tuple[str, ...] = ()

    def __init__(self, parameters: stela.Parameters | None = None) -> None:
        self.parameters = parameters

    @property
    def model(self) -> str:
        return "none"

    @property
    def version(self) -> str:
        return "1"

    def tag(self, texts: Sequence[str]) -> list[list[stela.Tag]]:
        stela.require_well_formed(texts)
        return [[stela.Tag(kind(m[0]), *m.span()) for m in re.finditer(r"\w+|[.]", t)] for t in texts]

    def tables(self) -> dict[int, Path]:
        """A table on disk that tells which tags the tagger knows."""
        if not self.knows:
            return {}
        path = Path(tempfile.mkdtemp()) / "table.json"
        counts = NgramCounts(1, len(self.knows), {(tag,): 1 for tag in self.knows})
        identity = TaggerIdentity(self.name, self.model, self.version, self.fingerprint)
        write_table(path, IndeterminacyTable.from_counts(1, identity, {"c": counts}))
        return {1: path}


def kind(word: str) -> str:
    if word == ".":
        return "PUNCT"
    return "DET" if len(word) < 4 else "VERB" if word[0].isupper() else "NOUN"


class LettersOfCase(Universal):
    name = "letters-of-case"
    tagset = "case"


class PennLike(Universal):
    name = "penn-like"
    tagset = "Penn Treebank"
    knows = (".", "DT", "JJ", "NN", "VBD", "ZZ")


class PennPoor(PennLike):
    name = "penn-poor"
    knows = ("DT", "JJ", ".")


@stela.hookimpl
def stela_register_taggers() -> list[type[stela.Tagger]]:
    return [Universal, LettersOfCase, PennLike, PennPoor]
