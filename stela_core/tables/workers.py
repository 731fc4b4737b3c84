"""Worker processes that count shards: each constructs the tagger once."""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from stela_core.errors import StelaError
from stela_core.interfaces import Tagger
from stela_core.manager import reason_of
from stela_core.registry import Registry, create_registry
from stela_core.tables.count import Tally, count_documents
from stela_core.tables.counts import TaggerIdentity
from stela_core.tables.tagger_spec import make_tagger

T = TypeVar("T")

IN_FLIGHT = 3
"""Shards handed out per worker: enough to keep it busy, few enough to bound memory."""


@dataclass(frozen=True, slots=True)
class TaggerSource:
    """What a process needs to construct the tagger: its spec, and the local plugin files."""

    spec: str
    files: tuple[str, ...] = ()

    @classmethod
    def of(cls, registry: Registry, spec: str) -> TaggerSource:
        """The spec, with the local plugin files of the registry."""
        origins = registry.plugins.origins.values()
        return cls(spec, tuple(o.distribution for o in origins if o.version == "local"))


class Failure(NamedTuple):
    """A StelaError on its way between processes (exceptions with other arguments do not pickle)."""

    message: str
    hint: str


def identity_of(tagger: Tagger) -> TaggerIdentity:
    """What a table says of its tagger."""
    return TaggerIdentity(
        tagger.name, tagger.model, tagger.version, tagger.fingerprint, tagger.tagset, tagger.language
    )


def count_guarded(tagger: Tagger, ks: Sequence[int], texts: Sequence[str]) -> Tally:
    """:func:`count_documents`, with whatever a tagger raises as a StelaError."""
    try:
        return count_documents(tagger, ks, texts)
    except StelaError:
        raise
    except Exception as error:
        where = f"a text that begins {texts[0][:40]!r}"
        raise StelaError(
            f'tagger "{tagger.name}" failed on {where}: {reason_of(error)}.',
            "report it to the maker of the plugin",
        ) from error


class Pool:
    """Processes that count; use it as a context manager.

    Raises:
        StelaError: on use, where the tagger cannot be constructed or fails, or a process dies.
    """

    def __init__(self, source: TaggerSource, workers: int) -> None:
        self._workers = workers
        # spawn: a fork of a process with threads (a tagger's, the progress bar's) may hang.
        self._executor = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _start, (source,))

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self._executor.shutdown(wait=True, cancel_futures=True)

    def identity(self) -> TaggerIdentity:
        """Construct the tagger in a worker and ask who it is."""
        return _result_of(self._executor.submit(_identify))

    def count(self, ks: Sequence[int], shards: Iterable[Sequence[str]]) -> Iterator[Tally]:
        """The tally of each shard, in order; only a few shards are read ahead."""
        waiting: deque[Future[Tally | Failure]] = deque()
        for shard in shards:
            try:
                waiting.append(self._executor.submit(_count, tuple(ks), shard))
            except BrokenProcessPool:
                raise _died() from None
            if len(waiting) > IN_FLIGHT * self._workers:
                yield _result_of(waiting.popleft())
        while waiting:
            yield _result_of(waiting.popleft())


def _result_of(future: Future[T | Failure]) -> T:
    try:
        result = future.result()
    except BrokenProcessPool:
        raise _died() from None
    if isinstance(result, Failure):
        raise StelaError(result.message, result.hint)
    return result


def _died() -> StelaError:
    return StelaError(
        "a worker process died.",
        "it may have run out of memory: use fewer --workers; --workers 1 needs no other process",
    )


_source: TaggerSource | None = None
_tagger: Tagger | None = None


def _start(source: TaggerSource) -> None:
    global _source
    _source = source
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business


def _own_tagger() -> Tagger:
    global _tagger
    if _tagger is None:
        assert _source is not None
        _tagger = make_tagger(create_registry(_source.files), _source.spec, threads=1)
    return _tagger


def _identify() -> TaggerIdentity | Failure:
    try:
        return identity_of(_own_tagger())
    except StelaError as error:
        return Failure(error.message, error.hint)


def _count(ks: Sequence[int], texts: Sequence[str]) -> Tally | Failure:
    try:
        return count_guarded(_own_tagger(), ks, texts)
    except StelaError as error:
        return Failure(error.message, error.hint)
