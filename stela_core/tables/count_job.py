"""The job of counting: workers construct the tagger once, and give the tally of each shard."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from stela_core.errors import StelaError
from stela_core.interfaces import Job, Tagger
from stela_core.manager import reason_of
from stela_core.registry import Registry, create_registry
from stela_core.tables.count import Tally, count_documents
from stela_core.tables.counts import TaggerIdentity
from stela_core.tables.tagger_spec import make_tagger


class Counted(NamedTuple):
    """The tally of a shard, and who tagged it."""

    tagger: TaggerIdentity
    tally: Tally


class PluginFile(NamedTuple):
    """A local plugin file, with its content for workers on other machines."""

    path: str
    content: bytes


@dataclass
class CountShards(Job[list[str], Counted]):
    """Tag the documents of a shard and count their n-grams of each length in ``ks``."""

    spec: str
    ks: tuple[int, ...]
    files: tuple[PluginFile, ...] = ()
    tagger: Tagger | None = field(default=None, repr=False)
    """Constructed by :meth:`start` in each worker."""

    @classmethod
    def of(cls, registry: Registry, spec: str, ks: Sequence[int]) -> CountShards:
        """A job for a tagger of this registry, with its local plugin files."""
        origins = registry.plugins.origins.values()
        paths = [Path(o.distribution) for o in origins if o.version == "local"]
        return cls(spec, tuple(ks), tuple(PluginFile(str(p.resolve()), p.read_bytes()) for p in paths))

    def start(self) -> None:
        """Construct the tagger, on one thread."""
        self.tagger = make_tagger(
            create_registry(map(local_path, self.files)) if self.files else create_registry(),
            self.spec,
            threads=1,
        )

    def run(self, item: list[str]) -> Counted:
        """The tally of one shard; whatever the tagger raises is a StelaError."""
        tagger = self.tagger
        assert tagger is not None
        try:
            return Counted(identity_of(tagger), count_documents(tagger, self.ks, item))
        except StelaError:
            raise
        except Exception as error:
            where = f"a text that begins {item[0][:40]!r}"
            raise StelaError(
                f'tagger "{tagger.name}" failed on {where}: {reason_of(error)}.',
                "report it to the maker of the plugin",
            ) from error


def local_path(file: PluginFile) -> Path:
    """Where the file lies on this machine: its own place, or a copy of its content."""
    path = Path(file.path)
    try:
        if path.read_bytes() == file.content:
            return path
    except OSError:
        pass
    copy = Path(tempfile.mkdtemp(prefix="stela-plugin-")) / path.name
    copy.write_bytes(file.content)
    return copy


def identity_of(tagger: Tagger) -> TaggerIdentity:
    """What a table says of its tagger."""
    return TaggerIdentity(
        tagger.name, tagger.model, tagger.version, tagger.fingerprint, tagger.tagset, tagger.language
    )
