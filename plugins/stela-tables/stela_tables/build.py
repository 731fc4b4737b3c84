"""Build indeterminacy tables from corpora, in this process, in several, or on a cluster."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from stela_cli.jobs.workers import make_executor
from stela_corpora.corpus import Corpus, distinct
from stela_corpora.sampled import TextCorpus

from stela_core import Registry, StelaError
from stela_tables.count import Tally, shards_of
from stela_tables.count_job import CountShards, Shard
from stela_tables.counts import NgramCounts, TaggerIdentity
from stela_tables.table import IndeterminacyTable

log = logging.getLogger(__name__)

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
    corpora: Sequence[str | Path | TextCorpus],
    ks: Sequence[int],
    workers: int | None = None,
    skip_bad: bool = False,
    advance: Advance | None = None,
    executor: str = "local",
) -> Built:
    """Tag each corpus once and make a table for each k; the same for any number of workers.

    Args:
        registry: where the tagger is looked up; its local plugin files are loaded by workers too.
        tagger: ``NAME`` or ``NAME:MODEL``.
        corpora: JSON lines with a string ``text``, plain, .gz, .xz or .zst, or corpora already opened.
        ks: lengths of n-grams, 1 to 8.
        workers: how many workers count; by default only this process (``local``), or the whole cluster.
        skip_bad: leave out bad lines of the files and count them.
        advance: called with the number of bytes read since the last call.
        executor: where the workers run: ``local``, or what a plugin registers.

    Raises:
        StelaError: a corpus is missing, bad or holds no tags, the tagger cannot run, a worker died.
    """
    if not corpora or not ks or not all(1 <= k <= MAX_K for k in ks):
        raise StelaError(f"a table needs a corpus, and k from 1 to {MAX_K}.", "see stela lambda build --help")
    files = [Corpus(c, skip_bad) if isinstance(c, str | Path) else c for c in corpora]
    for file in files:
        _ = file.size  # a missing file is found before hours of work
    names = distinct(file.name for file in files)
    totals = [Tally() for _ in files]
    identity: TaggerIdentity | None = None
    seen = 0

    def read() -> int:
        """Bytes read since the last call."""
        nonlocal seen
        before, seen = seen, sum(file.position for file in files)
        return seen - before

    job = CountShards.of(registry, tagger, ks)
    # All corpora in one go: no worker waits where one ends and the next begins.
    shards = (Shard(n, pieces) for n, file in enumerate(files) for pieces in shards_of(file))
    with make_executor(registry, executor, workers).start(job) as counters:
        for corpus, counted_by, tally in counters.map(shards):
            identity = _same(identity, counted_by)
            totals[corpus].add(tally)
            for file, total in zip(files[:corpus], totals, strict=False):
                _check_tags(file, total)  # at once, not after the other corpora
            if advance is not None:
                advance(read())
    if advance is not None:
        advance(read())
    for file, total in zip(files, totals, strict=True):
        _check_tags(file, total)
        log.info("corpus %s: %d documents, %d tags counted", file.name, total.documents, total.tags)
    assert identity is not None
    bad = {name: file.bad for name, file in zip(names, files, strict=True)}
    counted = {
        k: {
            name: NgramCounts(total.documents, total.tags, total.counts[k])
            for name, total in zip(names, totals, strict=True)
        }
        for k in ks
    }
    return Built({k: _table(k, identity, counted[k]) for k in ks}, bad)


def _check_tags(file: TextCorpus, total: Tally) -> None:
    if not total.tags:
        raise StelaError(
            f'corpus "{file.path}" holds no tags ({total.documents} documents).',
            'each line is a JSON object with a string "text"',
        )


def _same(identity: TaggerIdentity | None, other: TaggerIdentity) -> TaggerIdentity:
    """The one tagger of all workers: on a cluster, machines may have other versions of it."""
    if identity is not None and identity != other:
        raise StelaError(
            f'workers have different taggers "{other.name}": {identity.version} (fingerprint '
            f"{identity.fingerprint}) and {other.version} ({other.fingerprint}).",
            "install the same versions on all machines",
        )
    return other


def _table(k: int, identity: TaggerIdentity, corpora: dict[str, NgramCounts]) -> IndeterminacyTable:
    if not any(corpus.counts for corpus in corpora.values()):
        raise StelaError(
            f"no document has {k} tags, the length of one n-gram.", "give longer documents or a smaller --k"
        )
    return IndeterminacyTable.from_counts(k, identity, corpora)
