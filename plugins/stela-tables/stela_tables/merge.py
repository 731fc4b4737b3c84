"""Merge tables: the same as building one on the corpora of all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from stela_core import StelaError
from stela_tables.counts import NgramCounts
from stela_tables.table import IndeterminacyTable


def merge(tables: Iterable[IndeterminacyTable]) -> IndeterminacyTable:
    """One table with the corpora of all; corpora of the same name are parts of one and are added.

    Raises:
        StelaError: there is no table, or k or the tagger differ.
    """
    parts = list(tables)
    if not parts:
        raise StelaError("there is no table to merge.", "give one or more")
    first = parts[0]
    for part in parts[1:]:
        if part.k != first.k:
            raise StelaError(f"tables of k = {first.k} and k = {part.k} cannot merge.", "build both with one")
        if part.tagger.fingerprint != first.tagger.fingerprint:
            raise StelaError(
                f"tables of {_describe(first)} and {_describe(part)} cannot merge.",
                "build both with one tagger",
            )
    merged: dict[str, NgramCounts] = {}
    for part in parts:
        for name, corpus in part.by_name().items():
            merged[name] = add(merged[name], corpus) if name in merged else corpus
    return IndeterminacyTable.from_counts(first.k, first.tagger, merged)


def add(one: NgramCounts, other: NgramCounts) -> NgramCounts:
    """Counts of two sets of documents together."""
    counts: Counter[tuple[str, ...]] = Counter()
    counts.update(one.counts)
    counts.update(other.counts)
    return NgramCounts(one.documents + other.documents, one.tags + other.tags, counts)


def _describe(table: IndeterminacyTable) -> str:
    tagger = table.tagger
    return f'tagger "{tagger.name}" {tagger.version} ({tagger.fingerprint})'
