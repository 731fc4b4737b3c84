"""Whether a table fits a tagger and a language, and what is to be said of it where a profile is made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from stela_core import StelaError, Tagger
from stela_tables.counts import TREEBANK
from stela_tables.file import read_table
from stela_tables.gains.table import GainTable
from stela_tables.table import IndeterminacyTable
from stela_tables.values import ValueTable

KNOWN = 0.95
"""Least share of a treebank's words (XPOS) whose tag the tagger's own tables hold, too."""


def remarks_on(table: object, tagger: Tagger | None, language: str | None) -> list[str]:
    """Remarks on a table that fits a tagger and a language.

    Raises:
        StelaError: it does not fit.
    """
    if isinstance(table, ValueTable | GainTable):
        return _check_values(table, tagger, language)
    if isinstance(table, IndeterminacyTable) and tagger is not None:
        return _check_counts(table, tagger)
    return []


def _check_counts(table: IndeterminacyTable, tagger: Tagger) -> list[str]:
    """Remarks on a table that fits the tagger.

    A table that a tagger built goes with this tagger. A treebank's UPOS table goes with every tagger of
    universal tags. A treebank's own tags (XPOS) go with a tagger that ships tables in which at least
    ``KNOWN`` of the treebank's words find their tag: names of tag sets do not tell.

    Raises:
        StelaError: it does not fit.
    """
    if table.tagger.name == TREEBANK:
        remarks = (
            _check_universal(table, tagger) if table.tagger.model == "upos" else _check_own(table, tagger)
        )
        languages = {table.tagger.language, tagger.language}
        if len(languages) == 2 and not languages & {"", "mul"}:
            remarks.append(f'the table\'s language is "{table.tagger.language}", not "{tagger.language}"')
        return remarks
    if table.tagger.name != tagger.name:
        raise StelaError(
            f'wrong table: it was built with tagger "{table.tagger.name}", not "{tagger.name}".',
            f"build one with stela lambda build --tagger {tagger.name}",
        )
    if table.tagger.fingerprint != tagger.fingerprint:
        return [
            f"the table was built with {table.tagger.version}, this tagger is {tagger.version}: "
            "the mark is valid, its strength may be slightly off"
        ]
    return []


def _check_values(table: ValueTable | GainTable, tagger: Tagger | None, language: str | None) -> list[str]:
    """Remarks on values or gains that fit the tagger, where they are looked up by tags, and the language.

    Raises:
        StelaError: another tagger gave its tags.
    """
    remarks = []
    if table.language and language and table.language != language:
        remarks.append(f'the table\'s language is "{table.language}", not "{language}"')
    if table.tagger is not None and tagger is not None:
        if table.tagger.name != tagger.name:
            raise StelaError(
                f'wrong table: it was learned with tagger "{table.tagger.name}", not "{tagger.name}".',
                f"learn one with stela lambda {'learn' if isinstance(table, ValueTable) else 'gains'} "
                f"--tagger {tagger.name}",
            )
        if table.tagger.fingerprint != tagger.fingerprint:
            remarks.append(
                f"the table was learned with {table.tagger.version}, this tagger is {tagger.version}: "
                "the mark is valid, its strength may be slightly off"
            )
    return remarks


def _check_universal(table: IndeterminacyTable, tagger: Tagger) -> list[str]:
    if tagger.tagset != "Universal Dependencies":
        raise StelaError(
            f'wrong table: it holds universal tags (UPOS), tagger "{tagger.name}" those of {tagger.tagset}.',
            f"take a tagger of universal tags, or build a table with --tagger {tagger.name}",
        )
    return [
        "the table holds a treebank's tags, not this tagger's: the mark is valid, its strength may be off"
    ]


def _check_own(table: IndeterminacyTable, tagger: Tagger) -> list[str]:
    known = {tag for path in tagger.tables().values() for tag in _tags_of(path)}
    if not known:
        raise StelaError(
            f"wrong table: it holds the {table.tagger.tagset}, and tagger "
            f'"{tagger.name}" ships no table to compare its tags with.',
            f"build one with stela lambda build --tagger {tagger.name}",
        )
    counts = _words_of(table)
    strange = sorted((tag for tag in counts if tag not in known), key=lambda tag: (-counts[tag], tag))
    share = 1 - sum(counts[tag] for tag in strange) / counts.total()
    if share < KNOWN:
        raise StelaError(
            f'wrong table: tagger "{tagger.name}" knows the tags of only {share:.0%} of its words '
            f"({table.tagger.tagset}), not {_some(strange)}.",
            f"build one with stela lambda build --tagger {tagger.name}",
        )
    shown = f"all but {_some(strange)}" if strange else "all"
    return [
        f'the table holds the {table.tagger.tagset}; by name tagger "{tagger.name}" has {shown} '
        "of these tags: the mark is valid, its strength may be off"
    ]


def _some(tags: Sequence[str]) -> str:
    more = len(tags) - 5
    return ", ".join(tags[:5]) + (f" and {more} more" if more > 0 else "")


def _words_of(table: IndeterminacyTable) -> Counter[str]:
    """How often each tag ends a k-gram."""
    counts: Counter[str] = Counter()
    for corpus in table.by_name().values():
        for ngram, count in corpus.counts.items():
            counts[ngram[-1]] += count
    return counts


def _tags_of(path: Path) -> tuple[str, ...]:
    return read_table(path).tags
