"""Build indeterminacy tables from treebanks' own tags, with no tagger.

n-grams cross the ends of sentences but not of documents, as in text that is tagged: a document is what
stands between two ``# newdoc``; a file without them is one document. Files that are named as parts of one
UD treebank (``en_ewt-ud-train.conllu``, ``-dev``, ``-test``) are one corpus; every other file is its own.

Mean of lambda over types from EWT's UPOS at k = 2, where the paper has 0.686 for English UD and does not
say how it cut its text (one corpus of the three parts / each part a separate corpus / train only)::

    documents by # newdoc       0.6852 / 0.6915 / 0.6836   <- this module
    each file one document      0.6873 / 0.6948 / 0.6848
    each sentence a document    0.6730 / 0.6791 / 0.6724
    documents, no punctuation   0.6963 / 0.7032 / 0.6923

Detection meets sentence ends within its contexts, so they are counted; it never meets the end of a document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from stela_corpora.conllu import Column, ConlluFile, Sentence
from stela_corpora.corpus import distinct

from stela_core import StelaError
from stela_core.api import short_hash
from stela_tables.count import Tally
from stela_tables.counts import TREEBANK, NgramCounts, TaggerIdentity
from stela_tables.table import IndeterminacyTable

SENTENCES = 500
"""How many sentences are counted between two calls of ``advance``."""


@dataclass(frozen=True)
class TreebankTables:
    """Tables by k, and what of each corpus was left out."""

    tables: dict[int, IndeterminacyTable]
    bad: dict[str, int]
    """Bad sentences."""
    untagged: dict[str, int]
    """Words whose tag is ``_``: no n-gram holds one, nor reaches over it."""


def build_from_treebanks(
    paths: Sequence[str | Path],
    ks: Sequence[int],
    column: Column = "upos",
    skip_bad: bool = False,
    advance: Callable[[int], None] | None = None,
) -> TreebankTables:
    """Count the tags of CoNLL-U files, once for all ``ks``.

    Args:
        paths: files, plain, .gz, .xz or .zst.
        ks: lengths of n-grams, at least 1.
        column: whose tags: ``upos`` or ``xpos``.
        skip_bad: leave out sentences with a bad line, and count them.
        advance: called with the number of bytes read since the last call.

    Raises:
        StelaError: a file is missing, bad, given twice or without tags, or nothing has k tags in a row.
    """
    files = [ConlluFile(path, column, skip_bad) for path in paths]
    for number, file in enumerate(files):
        _ = file.file.size  # a missing file is found before the work
        if any(file.file.path.resolve() == other.file.path.resolve() for other in files[:number]):
            raise StelaError(f'treebank "{file.file.path}" is given twice.', "give each file once")
    names = _corpora_of(files)
    totals: dict[str, Tally] = {}
    bad = dict.fromkeys(names, 0)
    untagged = dict.fromkeys(names, 0)
    for name, file in zip(names, files, strict=True):
        tally = Tally(0, 0, {k: Counter() for k in ks})
        seen = 0
        for _ in count_sentences(file, tally):
            if advance is not None:
                advance(file.file.position - seen)
                seen = file.file.position
        if not tally.tags:
            raise _no_tags(file)
        totals.setdefault(name, Tally()).add(tally)
        bad[name] += file.bad
        untagged[name] += file.untagged
    identity = _identity_of(list(totals), files, column)
    tables = {}
    for k in ks:
        if not any(tally.counts[k] for tally in totals.values()):
            raise StelaError(f"no document has {k} tags, the length of one n-gram.", "give a smaller --k")
        counted = {name: NgramCounts(t.documents, t.tags, t.counts[k]) for name, t in totals.items()}
        tables[k] = IndeterminacyTable.from_counts(k, identity, counted)
    return TreebankTables(tables, bad, untagged)


def count_sentences(sentences: Iterator[Sentence] | ConlluFile, tally: Tally) -> Iterator[None]:
    """Add sentences to a tally; yields after every ``SENTENCES`` of them, and at the end."""
    kept = max(tally.counts) - 1
    carried: list[str] = []
    number = 0
    for number, sentence in enumerate(sentences, start=1):
        if sentence.starts_document or number == 1:
            tally.documents += 1
            carried = []
        for place, run in enumerate(_runs(sentence.tags)):
            if place:
                carried = []
            tally.tags += len(run)
            sequence = carried + run
            for k, counts in tally.counts.items():
                # n-grams that end in this run: those within the carried tags were counted before.
                part = sequence[max(0, len(carried) - k + 1) :]
                counts.update(zip(*(part[i:] for i in range(k)), strict=False))
            carried = sequence[max(0, len(sequence) - kept) :]
        if number % SENTENCES == 0:
            yield
    yield


def _runs(tags: Sequence[str | None]) -> Iterator[list[str]]:
    """Parts between words without a tag; what stands before the first may be empty, as at the end."""
    run: list[str] = []
    for tag in tags:
        if tag is None:
            yield run
            run = []
        else:
            run.append(tag)
    yield run


def _corpora_of(files: Sequence[ConlluFile]) -> list[str]:
    """The corpus of each file: parts of one UD treebank share one."""
    whole = list(dict.fromkeys(file.name if file.has_parts else index for index, file in enumerate(files)))
    named = distinct(key if isinstance(key, str) else files[key].name for key in whole)
    of = dict(zip(whole, named, strict=True))
    return [of[file.name if file.has_parts else index] for index, file in enumerate(files)]


def _no_tags(file: ConlluFile) -> StelaError:
    column = file.column.upper()
    if file.untagged:
        other = "xpos" if file.column == "upos" else "upos"
        return StelaError(
            f'treebank "{file.file.path}" has no {column}: every word\'s is "_".', f"--column {other}"
        )
    return StelaError(f'treebank "{file.file.path}" holds no words.', "give a file in the CoNLL-U format")


def _identity_of(names: Sequence[str], files: Sequence[ConlluFile], column: Column) -> TaggerIdentity:
    """Who gave the tags: any treebank for UPOS, these ones for other tags."""
    tagset = "Universal Dependencies" if column == "upos" else f"XPOS of {', '.join(sorted(names))}"
    languages = {file.language for file in files}
    language = languages.pop() if len(languages) == 1 else "" if "" in languages else "mul"
    return TaggerIdentity(
        TREEBANK, column, f"CoNLL-U {column.upper()}", short_hash(TREEBANK, column, tagset), tagset, language
    )
