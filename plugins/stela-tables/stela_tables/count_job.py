"""The job of counting: workers construct the tagger once, and give the tally of each shard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from stela_cli.jobs.executor import Job
from stela_cli.jobs.workers import PluginFile, plugin_files, registry_of_worker

from stela_core import Registry, StelaError, Tagger
from stela_core.api import contained, make_tagger, reason_of
from stela_tables.count import Piece, Tally, count_shard
from stela_tables.counts import TaggerIdentity


class Shard(NamedTuple):
    """What is counted at a time."""

    corpus: int
    """Number of the corpus, which comes back with the tally."""
    pieces: list[Piece]


class Counted(NamedTuple):
    """The tally of a shard of a corpus, and who tagged it."""

    corpus: int
    tagger: TaggerIdentity
    tally: Tally


@dataclass
class CountShards(Job[Shard, Counted]):
    """Tag the documents of a shard and count their n-grams of each length in ``ks``."""

    spec: str
    ks: tuple[int, ...]
    files: tuple[PluginFile, ...] = ()
    registry: Registry | None = field(default=None, repr=False)
    """Registry of the process that made the job; other processes make theirs."""
    tagger: Tagger | None = field(default=None, repr=False)
    """Constructed by :meth:`start` in each worker."""

    @classmethod
    def of(cls, registry: Registry, spec: str, ks: Sequence[int]) -> CountShards:
        """A job for a tagger of this registry, with its local plugin files."""
        return cls(spec, tuple(ks), plugin_files(registry), registry)

    def __reduce__(self) -> tuple[Any, ...]:
        # Neither a registry nor a tagger travels.
        return CountShards, (self.spec, self.ks, self.files)

    def start(self) -> None:
        """Construct the tagger, on one thread."""
        registry = self.registry or registry_of_worker(self.files)
        self.tagger = make_tagger(registry, self.spec, threads=1)

    def run(self, item: Shard) -> Counted:
        """The tally of one shard; whatever the tagger raises is a StelaError."""
        tagger = self.tagger
        assert tagger is not None
        try:
            with contained:
                return Counted(item.corpus, identity_of(tagger), count_shard(tagger, self.ks, item.pieces))
        except StelaError:
            raise
        except Exception as error:
            where = f"a text that begins {item.pieces[0].text[:40]!r}"
            raise StelaError(
                f'tagger "{tagger.name}" failed on {where}: {reason_of(error)}.',
                "report it to the maker of the plugin",
            ) from error


def identity_of(tagger: Tagger) -> TaggerIdentity:
    """What a table says of its tagger."""
    return TaggerIdentity(
        tagger.name, tagger.model, tagger.version, tagger.fingerprint, tagger.tagset, tagger.language
    )
