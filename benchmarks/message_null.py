"""Who is named in text that carries no message: human documents, and marked text under wrong keys."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator

import numpy as np
from stela_models.generation.generate import Sampling, generate
from stela_models.load import load_model
from stela_run.statistics.shares import clopper_pearson

import stela_core as stela
from benchmarks.texts import Texts, registry

MARKS = (("gumbel", 16), ("gumbel", 32), ("gumbel", 64), ("kgw", 16))
TOKENS = 50
DOCUMENTS = 300
KEYS = 21
LEVELS = (1e-1, 1e-2, 1e-3)
SHOWN = 1e-4
"""Bound on the probability of a wrong digit up to which detection shows one."""


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print docs/results/benchmarks/message-null.csv, a row for each mark and kind of text.

    Each document has keys of its own. A *naming* is the smallest bound of a text's digits: for text without
    a message P(naming <= a) <= a, and a digit that is shown has one of at most 1e-4.
    """
    rows = csv.writer(sys.stdout, lineterminator="\n")
    heads = [f"{what}, {level:g}" for what in ("p", "naming") for level in LEVELS]
    rows.writerow(("mark", "bits", "text", "tests", *heads, "digits shown"))
    for scheme, bits in MARKS:
        mark = stela.create(scheme, model="tiny", key="public", bits=bits, registry=registry())
        for kind in (*args.languages.split(","), "marked"):
            ids = marked(mark) if kind == "marked" else texts.documents(kind, DOCUMENTS, TOKENS)
            seen = np.array(list(read(mark, ids, np.random.default_rng(args.seed))))
            cells = [share(column, level) for column in seen.T for level in LEVELS]
            shown = int((seen[:, 1] <= SHOWN).sum())
            rows.writerow((scheme, bits, kind, len(seen), *cells, shown))
            sys.stdout.flush()


def read(
    mark: stela.Watermark, ids: list[list[int]], rng: np.random.Generator
) -> Iterator[tuple[float, float]]:
    """p-value and naming of each text under each of its keys."""
    hasher = mark.parts.hasher
    size = 8 * type(hasher).key_words(hasher.parameters)
    for row in ids:
        for _ in range(KEYS):
            detector = mark.detector.with_composition(mark.parts.under(int.from_bytes(rng.bytes(size))))
            [evidence] = detector.evidence([row])
            assert evidence.message is not None
            yield detector.judge(evidence).p_value, min(evidence.message.errors)


def share(values: np.ndarray, level: float) -> str:
    """Share of values up to a level over that level, with its exact 95 % interval."""
    hits = int((values <= level).sum())
    low, high = clopper_pearson(hits, len(values))
    return f"{hits / len(values) / level:.2f} [{low / level:.2f} {high / level:.2f}]"


def marked(mark: stela.Watermark) -> list[list[int]]:
    """Ids of texts of the embedded model, each with a message, under the mark's own key."""
    assert mark.profile.message is not None
    random = np.random.default_rng(1)
    messages = [int.from_bytes(random.bytes(8)) >> 64 - mark.profile.message.bits for _ in range(DOCUMENTS)]
    batches = generate(
        mark,
        load_model(registry(), "tiny"),
        ["The history of the city"] * DOCUMENTS,
        Sampling(TOKENS, min_new_tokens=TOKENS),
        batch_size=50,
        messages=messages,
    )
    return [text.token_ids for batch in batches for text in batch]
