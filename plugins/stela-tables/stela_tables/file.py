"""Read and check the files of tables: counts (``table.py``), values (``values.py``), gains (``gains/``)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from stela_core import StelaError
from stela_core.api import Limits, parse_json, read_bounded, write_atomically
from stela_tables.counts import Codes, CorpusCounts, TaggerIdentity, row_keys
from stela_tables.gains.table import FORMAT as GAINS
from stela_tables.gains.table import GainTable, parse_gains
from stela_tables.table import FORMAT, IndeterminacyTable, table_bytes
from stela_tables.values import FORMAT as VALUES
from stela_tables.values import ValueTable, parse_values

MAX_K = 8
MAX_COUNT = 2**53
MAX_BYTES = 16 << 20
LIMITS = Limits(elements=2_000_000, depth=8, string=1 << 16)
MAX_TAGS = 1_000_000
"""Most tags of the contexts of all corpora, k of each: 200,000 contexts of k = 5."""
AnyTable = IndeterminacyTable | ValueTable | GainTable
AGAIN = "get the file again, or build it again with stela lambda build"


def read_table(path: str | Path) -> IndeterminacyTable:
    """Read and check the file of an indeterminacy table.

    Raises:
        StelaError: it is missing, corrupt, truncated, or of another format.
    """
    return parse_table(read_table_bytes(path), f'table "{path}"')


def read_any_table(path: str | Path) -> AnyTable:
    """Read and check a file of counts, values or gains; errors as for :func:`read_table`."""
    return parse_any_table(read_table_bytes(path), f'table "{path}"')


def read_table_bytes(path: str | Path) -> bytes:
    """The bytes of a table file, of at most 16 MiB, as a profile takes them.

    Raises:
        StelaError: it cannot be read, or is too large.
    """
    return read_bounded(path, MAX_BYTES, f'table "{path}"', "build one with stela lambda build")


def write_table(path: str | Path, table: IndeterminacyTable, replace: bool = True) -> None:
    """Write a table file at once or not at all.

    Raises:
        StelaError: it is larger than any that is read; or as for
            :func:`stela_core.api.write_atomically`.
    """
    data = table_bytes(table)
    contexts = sum(_contexts_of(corpus) for corpus in table.corpora)
    if len(data) > MAX_BYTES or contexts * table.k > MAX_TAGS:
        raise StelaError(
            f"the table has {contexts:,} contexts of k = {table.k} ({len(data) / 2**20:.0f} MiB), more than "
            "any reader takes.",
            "build it with a smaller --k, or of fewer --documents",
        )
    write_atomically(Path(path), data, replace)


def _contexts_of(corpus: CorpusCounts) -> int:
    """Distinct contexts of full length: rows are sorted, so equal ones stand together."""
    before = corpus.ngrams[:, :-1]
    return int((before[1:] != before[:-1]).any(axis=1).sum()) + (len(before) > 0)


def parse_table(data: bytes, source: str) -> IndeterminacyTable:
    """An indeterminacy table from the bytes of its file; ``source`` names it in errors.

    Raises:
        StelaError: the bytes are not a table of this format, or what they hold is wrong.
    """
    table = parse_any_table(data, source)
    if not isinstance(table, IndeterminacyTable):
        held = f"values ({table.quantity})" if isinstance(table, ValueTable) else "gains"
        raise StelaError(
            f"{source} holds {held}, not counts of tags.",
            "build one with stela lambda build",
        )
    return table


def parse_any_table(data: bytes, source: str) -> AnyTable:
    """A table of counts, values or gains from the bytes of its file; ``source`` names it in errors.

    Raises:
        StelaError: the bytes are not a table of these formats, or what they hold is wrong.
    """
    if len(data) > MAX_BYTES:
        raise StelaError(f"{source} is larger than {MAX_BYTES >> 20} MiB.", AGAIN)
    content = parse_json(data, source, AGAIN, limits=LIMITS, distinct=True)
    kind = content.get("format") if isinstance(content, dict) else None
    readers: dict[str, Callable[[dict[str, Any], str], AnyTable]]
    readers = {FORMAT: _parse_content, VALUES: parse_values, GAINS: parse_gains}
    parse = readers.get(str(kind))
    if parse is None:
        if isinstance(kind, str) and kind.startswith(("stela-table/", "stela-values/", "stela-gains/")):
            raise StelaError(
                f"{source} has format {kind}; this version reads {FORMAT}, {VALUES} and {GAINS}.",
                "a newer stela-core may read it",
            )
        raise StelaError(f"{source} is not an indeterminacy table.", "build one with stela lambda build")
    try:
        return parse(content, hashlib.sha256(data).hexdigest())
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError, IndexError) as error:
        reason = f"no {error}" if isinstance(error, KeyError) else str(error)[:200]
        raise StelaError(f"{source} is corrupt: {reason}.", AGAIN) from None


def _parse_content(content: dict[str, Any], digest: str) -> IndeterminacyTable:
    k = content["k"]
    _require(type(k) is int and 1 <= k <= MAX_K, f"k is not a number from 1 to {MAX_K}")
    tags = content["tags"]
    _require(_are_strings(tags) and tags == sorted(set(tags)), "tags are not distinct names in order")
    identity = content["tagger"]
    _require(isinstance(identity, dict) and _are_strings(list(identity.values())), "tagger is not an object")
    contexts = sum(len(corpus["counts"]) for corpus in content["corpora"])
    _require(contexts * k <= MAX_TAGS, f"it has more than {MAX_TAGS // k:,} contexts")
    corpora = [_parse_corpus(corpus, k, len(tags)) for corpus in content["corpora"]]
    names = [corpus.name for corpus in corpora]
    _require(names == sorted(set(names)), "names of corpora are not distinct and in order")
    _require(any(len(corpus.counts) for corpus in corpora), "it holds no counts")
    return IndeterminacyTable(k, TaggerIdentity(**identity), tags, corpora, digest)


def _parse_corpus(corpus: dict[str, Any], k: int, size: int) -> CorpusCounts:
    name, documents, tags = corpus["name"], corpus["documents"], corpus["tags"]
    _require(isinstance(name, str), "a corpus has no name")
    _require(type(documents) is int and documents >= 0, f"documents of {name} is not a number")
    ngrams, counts = _read_counts(corpus["counts"], k)
    if len(counts):
        _require(ngrams.min() >= 0 and ngrams.max() < size, f"a tag of {name} has no name")
        _require(counts.min() >= 1, f"a count of {name} is below 1")
        _require(bool((np.diff(row_keys(ngrams, size)) > 0).all()), f"counts of {name} are not in order")
    total = sum(counts.tolist())
    _require(type(tags) is int and total <= tags < MAX_COUNT, f"tags of {name} does not fit its counts")
    return CorpusCounts(name, documents, tags, ngrams, counts)


def _read_counts(counts: dict[str, list[int]], k: int) -> tuple[Codes, Codes]:
    followers = list(counts.values())
    flat = list(chain.from_iterable(followers))
    lengths = np.fromiter(map(len, followers), np.int64, len(followers))
    _require(set(map(type, flat)) <= {int} and not (lengths % 2).any(), "counts are not pairs of numbers")
    pairs = np.fromiter(flat, np.int64, len(flat)).reshape(-1, 2)
    _require(all(key.count(" ") == max(0, k - 2) for key in counts), f"a context has not {k - 1} tags")
    codes = np.fromiter(map(int, " ".join(counts).split()), np.int64)
    contexts = codes.reshape(len(followers), k - 1) if k > 1 else np.zeros((len(followers), 0), np.int64)
    return np.column_stack([np.repeat(contexts, lengths // 2, axis=0), pairs[:, 0]]), pairs[:, 1]


def _are_strings(values: Sequence[Any]) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


def _require(condition: bool, otherwise: str) -> None:
    if not condition:
        raise ValueError(otherwise)
