"""The null of marks of whole sentences: human documents of three languages under many keys."""

from __future__ import annotations

import argparse
import csv
import sys
from typing import get_args

import numpy as np
import numpy.typing as npt
from stela_run.statistics.shares import clopper_pearson
from stela_sentence.create import create_mark
from stela_sentence.mark import SentenceMark
from stela_sentence.mark_file import Kind
from stela_sentence.ngrams import KeptNgrams

from benchmarks.null_kinds import DOCUMENTS, KEYS, LEVELS
from benchmarks.texts import Texts

LEARNED = 600
"""Documents from which a mark is made; those that are tested come after them."""

CHARACTERS = 3000
"""Of a document that are tested, at most."""


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print rows as of null-kinds.csv: the share of p <= level over the level, of each language.

    Each document has keys of its own. A cell whose exact 95 % interval lies above the level says so.
    """
    rows = csv.writer(sys.stdout, lineterminator="\n")
    languages = args.languages.split(",")
    rows.writerow(("scheme", "level", *languages))
    human = {one: list(shuffled(texts.read(one, LEARNED + DOCUMENTS, 400))) for one in languages}
    for kind in get_args(Kind):
        p_values = [p_values_of(kind, documents, args.seed) for documents in human.values()]
        for level in LEVELS:
            cells = [cell(p, level) for p in p_values]
            rows.writerow((f"sentence/{kind}", f"{level:g}", *cells))
            sys.stdout.flush()


def shuffled(documents: list[str]) -> list[str]:
    """Those with text enough, in an order of their own: a corpus has its kinds one after the other."""
    order = np.random.default_rng(0).permutation(len(documents))
    return [documents[n][:CHARACTERS] for n in order if len(documents[n]) >= CHARACTERS / 3]


def p_values_of(kind: Kind, documents: list[str], seed: int) -> npt.NDArray[np.float64]:
    """Of each document under each of its keys; documents without a verdict count with 1."""
    embedder, rng = KeptNgrams(), np.random.default_rng(seed)
    mark = create_mark(kind, embedder, documents[:LEARNED], 1, public=True)
    tested = documents[LEARNED : LEARNED + DOCUMENTS]
    keys = rng.integers(1 << 63, size=(len(tested), KEYS))
    return np.array(
        [
            SentenceMark(mark, int(key), embedder).detect(text).p_value
            for text, own in zip(tested, keys, strict=True)
            for key in own
        ]
    )


def cell(p: npt.NDArray[np.float64], level: float) -> str:
    """Share over level."""
    hits = int((p <= level).sum())
    low, _ = clopper_pearson(hits, len(p))
    return f"{hits / len(p) / level:.2f}" + (" ABOVE" if low > level else "")
