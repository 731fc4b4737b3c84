"""Build indeterminacy tables from corpora, in this process or in several."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from stela_core.errors import StelaError
from stela_core.registry import Registry
from stela_core.tables.corpus import Corpus, corpus_names
from stela_core.tables.count import Tally, shards_of
from stela_core.tables.counts import NgramCounts, TaggerIdentity
from stela_core.tables.table import IndeterminacyTable
from stela_core.tables.tagger_spec import make_tagger
from stela_core.tables.workers import Pool, TaggerSource, count_guarded, identity_of

MAX_K = 8

Advance = Callable[[int], None]


@dataclass(frozen=True)
class Built:
    """Tables by k, and how many bad lines of each corpus were left out."""

    tables: dict[int, IndeterminacyTable]
    bad: dict[str, int]


def build_tables(
    registry: Registry,
    tagger: str,
    corpora: Sequence[str | Path],
    ks: Sequence[int],
    workers: int = 1,
    skip_bad: bool = False,
    advance: Advance | None = None,
) -> Built:
    """Tag each corpus once and make a table for each k; the same for any number of workers.

    Args:
        registry: where the tagger is looked up; its local plugin files are loaded by workers too.
        tagger: ``NAME`` or ``NAME:MODEL``.
        corpora: JSON lines with a string ``text``, plain, .gz, .xz or .zst.
        ks: lengths of n-grams, 1 to 8.
        workers: processes; 1 counts in this one.
        skip_bad: leave out bad lines and count them.
        advance: called with the number of bytes read since the last call.

    Raises:
        StelaError: a corpus is missing, bad or holds no tags, the tagger cannot run, a worker died.
    """
    if not corpora or not ks or not all(1 <= k <= MAX_K for k in ks):
        raise StelaError(f"a table needs a corpus, and k from 1 to {MAX_K}.", "see stela lambda build --help")
    files = [Corpus(path, skip_bad) for path in corpora]
    for file in files:
        _ = file.size  # a missing file is found before hours of work
    names = corpus_names(file.path for file in files)
    counted: dict[int, dict[str, NgramCounts]] = {k: {} for k in ks}
    with ExitStack() as stack:
        counter: InProcess | Pool
        if workers == 1:
            counter = InProcess(registry, tagger)
        else:
            counter = stack.enter_context(Pool(TaggerSource.of(registry, tagger), workers))
        identity = counter.identity()
        for name, file in zip(names, files, strict=True):
            total = Tally()
            seen = 0
            for tally in counter.count(ks, shards_of(file)):
                total.add(tally)
                if advance is not None:
                    advance(file.position - seen)
                    seen = file.position
            if not total.tags:
                raise StelaError(
                    f'corpus "{file.path}" holds no tags ({total.documents} documents).',
                    'each line is a JSON object with a string "text"',
                )
            for k, counts in total.counts.items():
                counted[k][name] = NgramCounts(total.documents, total.tags, counts)
    bad = {name: file.bad for name, file in zip(names, files, strict=True)}
    return Built({k: _table(k, identity, counted[k]) for k in ks}, bad)


class InProcess:
    """Counts in this process, with the methods of :class:`Pool`."""

    def __init__(self, registry: Registry, spec: str) -> None:
        self._tagger = make_tagger(registry, spec, threads=1)

    def identity(self) -> TaggerIdentity:
        """Who the tagger is."""
        return identity_of(self._tagger)

    def count(self, ks: Sequence[int], shards: Iterator[list[str]]) -> Iterator[Tally]:
        """The tally of each shard."""
        for shard in shards:
            yield count_guarded(self._tagger, ks, shard)


def _table(k: int, identity: TaggerIdentity, corpora: dict[str, NgramCounts]) -> IndeterminacyTable:
    if not any(corpus.counts for corpus in corpora.values()):
        raise StelaError(
            f"no document has {k} tags, the length of one n-gram.", "give longer documents or a smaller --k"
        )
    return IndeterminacyTable.from_counts(k, identity, corpora)
