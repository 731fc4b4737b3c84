"""IndeterminacyTable: POS context to lambda, with back-off to shorter contexts."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from stela_core import StelaError
from stela_core.api import Calibration, Context
from stela_tables.counts import (
    CorpusCounts,
    NgramCounts,
    TaggerIdentity,
    decode_corpus,
    encode_corpus,
    tags_of,
)
from stela_tables.levels import Level, Ngrams, level_of

REMEMBERED = 65_536


FORMAT = "stela-table/1"


class ContextEntry(NamedTuple):
    """One context of full length: its lambda, and how often it was ``seen`` in all corpora."""

    context: Context
    value: float
    seen: int


class IndeterminacyTable:
    """How freely the next tag can be chosen after each POS context (Park et al. 2026, section 4).

    It holds the counts of k-grams corpus by corpus, so that tables merge exactly; lambda is worked
    out on first use.
    """

    def __init__(
        self,
        k: int,
        tagger: TaggerIdentity,
        tags: Sequence[str],
        corpora: Iterable[CorpusCounts],
        sha256: str | None = None,
    ) -> None:
        self.k = k
        """Length of the n-grams: a context is the k - 1 tags before."""
        self.tagger = tagger
        """Which tagger gave the tags."""
        self.tags = tuple(tags)
        """Tag names, sorted; the arrays of the corpora hold indices into them."""
        self.corpora = tuple(sorted(corpora, key=lambda corpus: corpus.name))
        """Counts of each corpus, by name."""
        self._sha256 = sha256
        self._remembered: dict[Context, float] = {}

    @classmethod
    def from_counts(
        cls, k: int, tagger: TaggerIdentity, corpora: Mapping[str, NgramCounts]
    ) -> IndeterminacyTable:
        """A table of k-gram counts given by tag names, for each corpus."""
        tags = tags_of(corpus.counts for corpus in corpora.values())
        return cls(k, tagger, tags, [encode_corpus(name, c, k, tags) for name, c in corpora.items()])

    def lookup(self, context: Context) -> float:
        """The lambda of a context, in [0, 1].

        A context of more than k - 1 tags is cut to its last k - 1; one that was never seen, or is
        shorter, gets the value of its longest suffix that was seen, down to the empty context.
        """
        value = self._lambdas.get(context)
        if value is None:
            value = self._remembered.get(context)
        return self._back_off(context) if value is None else value

    def _back_off(self, context: Context) -> float:
        start = max(0, len(context) - self.k + 1)
        suffixes = (context[i:] for i in range(start, len(context) + 1))
        value = next(self._lambdas[suffix] for suffix in suffixes if suffix in self._lambdas)
        if len(self._remembered) >= REMEMBERED:
            self._remembered.clear()
        self._remembered[context] = value
        return value

    def entropy(self, context: Context) -> float:
        """Entropy of the next tag after a context in nats, not normalised; back-off as for :meth:`lookup`."""
        start = max(0, len(context) - self.k + 1)
        suffixes = (context[i:] for i in range(start, len(context) + 1))
        return next(self._entropies[suffix] for suffix in suffixes if suffix in self._entropies)

    def mean_entropy(self, calibration: Calibration) -> float:
        """Mean of :meth:`entropy` over the contexts of full length, alike or as often as they were seen."""
        weights = self._top.counts if calibration == "tokens" else self._top.counts**0
        return math.fsum(self._top.entropies * weights) / math.fsum(weights)

    def mean(self, calibration: Calibration) -> float:
        """Mean of lambda: ``types`` is the paper's, ``tokens`` is what text of this kind meets."""
        return self.mean_over_types if calibration == "types" else self.mean_over_tokens

    @cached_property
    def mean_over_types(self) -> float:
        """Mean over the distinct contexts of full length."""
        return math.fsum(self._top.lambdas) / len(self._top.lambdas)

    @cached_property
    def mean_over_tokens(self) -> float:
        """Mean over contexts of full length, each as often as it was seen in all corpora."""
        return math.fsum(self._top.lambdas * self._top.counts) / math.fsum(self._top.counts)

    @cached_property
    def contexts(self) -> tuple[Context, ...]:
        """The distinct contexts of full length, sorted."""
        return self._named(self._top)

    @cached_property
    def entries(self) -> tuple[ContextEntry, ...]:
        """The contexts of full length with lambda and count, in the order of :attr:`contexts`."""
        columns = (self.contexts, self._top.lambdas.tolist(), self._top.counts.astype(int).tolist())
        return tuple(ContextEntry(*row) for row in zip(*columns, strict=True))

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the bytes of the table's file."""
        if self._sha256 is not None:
            return self._sha256
        return hashlib.sha256(table_bytes(self)).hexdigest()

    def by_name(self) -> dict[str, NgramCounts]:
        """The counts by tag names, for each corpus: what :meth:`from_counts` takes."""
        return {c.name: NgramCounts(c.documents, c.tags, decode_corpus(c, self.tags)) for c in self.corpora}

    @cached_property
    def _levels(self) -> list[Level]:
        ngrams = Ngrams.of(self.corpora, self.k)
        if not len(ngrams.counts):
            raise StelaError(f"the table holds no sequence of {self.k} tags.", "build it on more text")
        levels = [level_of(ngrams, len(self.tags))]
        for _ in range(self.k - 1):
            ngrams = ngrams.shorten(len(self.tags))
            levels.append(level_of(ngrams, len(self.tags)))
        return levels

    @cached_property
    def _entropies(self) -> dict[Context, float]:
        entropies: dict[Context, float] = {}
        for level in self._levels:
            entropies.update(zip(self._named(level), level.entropies.tolist(), strict=True))
        return entropies

    @property
    def _top(self) -> Level:
        return self._levels[0]

    def _named(self, level: Level) -> tuple[Context, ...]:
        tags = self.tags
        rows: list[list[int]] = level.contexts.tolist()
        return tuple(tuple([tags[code] for code in row]) for row in rows)

    @cached_property
    def _lambdas(self) -> dict[Context, float]:
        lambdas: dict[Context, float] = {}
        for level in self._levels:
            lambdas.update(zip(self._named(level), level.lambdas.tolist(), strict=True))
        return lambdas


def table_bytes(table: IndeterminacyTable) -> bytes:
    """The bytes of a table's file: one JSON object, UTF-8, no spaces, a line feed at the end.

    ``format`` ("stela-table/1"), ``k``, ``tagger``, ``tags`` (sorted names; their index is their code) and
    ``corpora`` (sorted by name). The ``counts`` of a corpus go from a context, its k - 1 codes parted by
    spaces, to ``[code, count, code, count, ...]`` of the tags that followed it, both sorted. There are no
    floating-point numbers: lambda is worked out of the counts.
    """
    content = {
        "format": FORMAT,
        "k": table.k,
        "tagger": table.tagger._asdict(),
        "tags": table.tags,
        "corpora": [
            {"name": c.name, "documents": c.documents, "tags": c.tags, "counts": _write_counts(c)}
            for c in table.corpora
        ],
    }
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _write_counts(corpus: CorpusCounts) -> dict[str, list[int]]:
    counts: dict[str, list[int]] = {}
    rows: list[list[int]] = corpus.ngrams.tolist()
    for (*context, code), count in zip(rows, corpus.counts.tolist(), strict=True):
        counts.setdefault(" ".join(map(str, context)), []).extend((code, count))
    return counts
