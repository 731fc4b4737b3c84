"""A mark of sentences, ready to write and to detect: file, key and embedder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from stela_core import StelaError
from stela_core.api import Key, mix, seed_of, threshold, trusted
from stela_sentence.detection import SentenceDetection, judged
from stela_sentence.embedders import Embedder, embedder_of
from stela_sentence.mark_file import MarkFile, read_mark_file
from stela_sentence.partitions import Regions
from stela_sentence.split import sentences

COLOURS = 0xFFFFFFE2
"""First number of what seeds colours, before the context; planes begin otherwise."""

CAVEAT = (
    "this mark was made by someone else, who may have fitted its file to the text: it decides nothing. "
    "If its file and key were fixed before the text: stela sentence trust FILE"
)


class SentenceMark:
    """A mark of whole sentences.

    Region r is valid after context q where ``mix(seed_of(key, (COLOURS, q)), r) < floor(gamma 2^32)``
    (docs/hashing.md). The papers permute the regions and take a share gamma of them: pairs then depend on one
    another. Here each pair is a coin by itself, so that the binomial tail is exact.

    Args:
        file: of the mark.
        key: its 64-bit key.
        embedder: of the file's fingerprint.
        caveat: what verdicts take for granted.

    Raises:
        StelaError: the embedder has another number of dimensions than the file.
    """

    def __init__(self, file: MarkFile, key: int, embedder: Embedder, caveat: str | None = None) -> None:
        self.file = file
        self.caveat = caveat
        self._key = key
        self._embedder = embedder
        self._partition = file.partition(key)
        self._mean = np.array(file.mean, dtype=np.int64)
        width = embedder.vectors(["a"]).shape[1]
        if width != len(self._mean):
            raise StelaError(
                f"the mark has vectors of {len(self._mean)} numbers, its embedder of {width}.",
                "make the mark again with this embedder",
            )

    @cached_property
    def _seeds(self) -> npt.NDArray[np.uint64]:
        """(contexts,): the seed of what may follow each."""
        drawn = [seed_of(self._key, (COLOURS, context)) for context in range(self._partition.contexts)]
        return np.array(drawn, dtype=np.uint64)

    def vectors(self, texts: Sequence[str]) -> npt.NDArray[np.int64]:
        """Embeddings of sentences less the mean, (n, dimensions), int64."""
        if not len(texts):
            return np.zeros((0, len(self._mean)), dtype=np.int64)
        return self._embedder.vectors(texts) - self._mean

    def regions(self, vectors: npt.NDArray[np.int64]) -> Regions:
        """The regions of sentences in order, from what :meth:`vectors` gives."""
        if not len(vectors):
            return Regions(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))
        return self._partition.regions(vectors)

    def green(self, contexts: npt.NDArray[np.int64], regions: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Whether regions (n,) are valid after contexts (n,)."""
        return np.asarray(mix(self._seeds[contexts], regions) < threshold(self.file.gamma))

    def detect(self, text: str) -> SentenceDetection:
        """Test a text.

        Raises:
            StelaError: it is longer than 2^20 characters, or has more than 10,000 sentences.
        """
        whole = sentences(text)
        regions = self.regions(self.vectors(whole))
        contexts, numbers = regions.contexts[:-1], regions.numbers[1:]
        green = self.green(contexts, numbers)
        return judged(whole, contexts, numbers, green, self.file.gamma, self.file.alpha, self.caveat)

    def detect_many(self, texts: Sequence[str]) -> list[SentenceDetection]:
        """Test texts, each by itself.

        Raises:
            StelaError: as for :meth:`detect`.
        """
        return [self.detect(text) for text in texts]


def load_mark(path: str | Path, key: Key | None = None, embedder: str | None = None) -> SentenceMark:
    """The mark of a file.

    Args:
        path: what ``stela sentence new`` wrote.
        key: of a mark whose key is secret; by default that of the variable ``STELA_KEY``.
        embedder: where the mark's sentence-embedding model is; not for ``ngrams``.

    Raises:
        StelaError: the file is missing or bad, or key or embedder are missing or others.
    """
    file = read_mark_file(path)
    return SentenceMark(
        file,
        file.key.resolved(key),
        embedder_of(file.embedder, embedder),
        None if file in trusted else CAVEAT,
    )
