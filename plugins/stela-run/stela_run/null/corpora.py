"""The corpora of ``--check-null``: where they are, and their texts, weighed once for all keys."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt
from stela_cli.progress import progress
from stela_corpora import TextSource
from stela_corpora.corpus import Corpus
from stela_models.logits import ModelLogits
from tokenizers import Tokenizer

from stela_core import Hasher, Registry, StelaError, Watermark
from stela_core.api import did_you_mean
from stela_run.null.shift import FEWEST, Shift, cut, shift_under_key
from stela_run.null.unmarked import Unmarked

MOST = 8_000
"""Texts looked at in one corpus."""

PER_DOCUMENT = 4
"""Texts cut from one document, at most."""

BATCH = 250
"""Texts handed to the tagger at once."""


@dataclass(frozen=True)
class HumanTexts:
    """The texts of one corpus, weighed."""

    name: str
    """Name as it was given on the command line."""
    path: Path
    texts: Unmarked
    documents: npt.NDArray[np.int64]
    """The document of each text, (texts,)."""

    @property
    def different(self) -> int:
        """How many documents have texts."""
        return len(np.unique(self.documents))

    def hasher(self, watermark: Watermark, key: int) -> Hasher:
        """The watermark's hasher with another key."""
        own = watermark.parts.hasher
        return own.under(key)

    def shift(self, watermark: Watermark, key: int, error: float, half: int | None = None) -> Shift:
        """How z is shifted under a key: on all documents, or on those of even or odd number (0, 1)."""
        own = self.own(half)
        z = self.texts.z_scores(self.hasher(watermark, key))[own]
        return shift_under_key(z, self.documents[own], watermark.profile.alpha, error)

    def own(self, half: int | None) -> npt.NDArray[np.bool_]:
        """Which texts are of documents of even or odd number (0, 1), or all (``None``), (texts,)."""
        return np.ones(len(self.documents), dtype=np.bool_) if half is None else self.documents % 2 == half

    @property
    def digest(self) -> str:
        """SHA-256 of the file."""
        return hashlib.sha256(self.path.read_bytes()).hexdigest()


def corpus_path(registry: Registry, name: str, language: str | None) -> Path:
    """The file that ``name`` stands for: a path, or ``SOURCE[:LANGUAGE]`` of an installed text source.

    Args:
        registry: knows the text sources.
        name: what was given.
        language: of the profile; ``None`` where it is for any.

    Raises:
        StelaError: the source has no text of the language, or none is known; or there is no such source.
    """
    source, _, chosen = name.partition(":")
    if registry.has(TextSource, source):
        try:
            return registry.get(TextSource, source).location(chosen or language or UNKNOWN)
        except StelaError:
            if chosen or language:
                raise
            raise StelaError(
                f'corpus "{source}": the profile is for any language, and so the corpus has none.',
                f"write {source}:en, or that of another language; or add --language",
            ) from None
    path = Path(name)
    if not path.suffix and not path.exists():
        raise StelaError(
            f'there is no corpus "{name}".',
            f"{did_you_mean(source, registry.names(TextSource))} or give a .jsonl file",
        )
    return path


UNKNOWN = "und"
"""Language of a corpus where none is known (ISO 639-2)."""


def read_corpora(
    watermark: Watermark,
    registry: Registry,
    tokenizer: Tokenizer,
    names: Sequence[str],
    logits: ModelLogits | None = None,
) -> list[HumanTexts]:
    """The texts of each corpus once; all are looked for before any is read.

    Raises:
        StelaError: a corpus is missing, bad or too small.
    """
    paths = {name: corpus_path(registry, name, watermark.profile.language) for name in names}
    for path in paths.values():
        _ = Corpus(path).size
    return [read_human(watermark, tokenizer, name, path, logits) for name, path in paths.items()]


def read_human(
    watermark: Watermark, tokenizer: Tokenizer, name: str, path: Path, logits: ModelLogits | None = None
) -> HumanTexts:
    """Texts cut from a corpus's documents, weighed.

    Raises:
        StelaError: the corpus is missing, bad or too small.
    """
    pieces = list(cut(documents_of(path), tokenizer, MOST, PER_DOCUMENT))
    evidence = []
    with progress(f"reading {name}", len(pieces)) as advance:
        for start in range(0, len(pieces), BATCH):
            batch = pieces[start : start + BATCH]
            evidence += watermark.detector.evidence([piece.ids for piece in batch], logits)
            advance(len(batch))
    texts = Unmarked(evidence, watermark.parts.hasher, watermark.parts.scorer)
    documents = np.array([piece.document for piece in pieces], dtype=np.int64)[texts.with_evidence]
    human = HumanTexts(name, path, texts, documents)
    if human.different < FEWEST:
        raise StelaError(
            f'corpus "{name}" has {human.different} documents of 50 tokens or more: too few to check a key.',
            f"give at least {FEWEST}, a thousand or more for a key to pass easily",
        )
    return human


def documents_of(file: str | Path) -> Iterator[str]:
    """Documents spread evenly over the corpus, whose parts may be of different kinds; all of a small one."""
    count = sum(1 for _ in Corpus(file))
    return islice(Corpus(file), 0, None, max(1, count * PER_DOCUMENT // MOST))
