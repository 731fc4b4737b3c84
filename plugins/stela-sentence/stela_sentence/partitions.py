"""What region a sentence's embedding is in: by planes, by centres, by its likeness to the one before.

All work on embeddings in whole numbers. Sums of products are exact, and square roots, divisions and
comparisons are those of IEEE 754: regions are the same on every machine.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from stela_core.api import mix, seed_of

Vectors = npt.NDArray[np.int64]
"""(n, dimensions), whole numbers of at most 2^11; up to 2^12 dimensions."""

PLANES = 0xFFFFFFE1
"""First number of what planes are drawn from; colours begin otherwise."""


class Regions(NamedTuple):
    """Regions of sentences that stand one after the other."""

    numbers: npt.NDArray[np.int64]
    """(n,): the region of each, below their number."""
    contexts: npt.NDArray[np.int64]
    """(n,): by what number the key says which regions may follow each, below that of contexts."""
    margins: npt.NDArray[np.float64]
    """(n,): how far each is from the nearest other region, at least 0."""


class Partition(Protocol):
    """A rule that gives sentences regions."""

    @property
    def contexts(self) -> int:
        """Number of contexts."""

    def regions(self, vectors: Vectors) -> Regions:
        """The regions of a text's sentences, in order."""


class Planes:
    """Signs on random planes through the origin: SemStamp (Hou et al., NAACL 2024, Algorithm 1).

    The normals are +1 and -1, drawn by the key, in place of the paper's normal draws.

    Args:
        key: 64-bit.
        bits: number of planes; ``2**bits`` regions.
        dimensions: of embeddings.
    """

    def __init__(self, key: int, bits: int, dimensions: int) -> None:
        places = np.arange(dimensions)
        drawn = [mix(seed_of(key, (PLANES, plane)), places) & 1 for plane in range(bits)]
        self.normals = np.array(drawn, dtype=np.int64) * 2 - 1
        """(bits, dimensions)."""
        self.contexts = 1 << bits

    def regions(self, vectors: Vectors) -> Regions:
        """Bit j of a number is 1 on the positive side of plane j; the margin is the least |cosine|."""
        sides = vectors @ self.normals.T
        bits, dimensions = self.normals.shape
        numbers = (sides > 0) @ (1 << np.arange(bits, dtype=np.int64))
        lengths = np.sqrt((vectors * vectors).sum(axis=1) * dimensions)
        return Regions(numbers, numbers, np.abs(sides).min(axis=1) / np.maximum(lengths, 1))


class Centres:
    """The nearest of K centres by cosine: k-SemStamp (Hou et al., Findings of ACL 2024, Algorithm 1).

    Args:
        centres: (K, dimensions), whole numbers, none of them 0.
    """

    def __init__(self, centres: Vectors) -> None:
        self.centres = centres
        self.contexts = len(centres)
        self._lengths = np.sqrt((centres * centres).sum(axis=1))

    def regions(self, vectors: Vectors) -> Regions:
        """The margin is the distance to the second centre less that to the first."""
        cosines = self.cosines(vectors)
        numbers = cosines.argmax(axis=1).astype(np.int64)
        ranked = np.sort(cosines, axis=1)
        return Regions(numbers, numbers, ranked[:, -1] - ranked[:, -2])

    def cosines(self, vectors: Vectors) -> npt.NDArray[np.float64]:
        """(n, K); 0 for a vector of 0."""
        lengths = np.maximum(np.sqrt((vectors * vectors).sum(axis=1)), 1)
        return np.asarray(vectors @ self.centres.T / (lengths[:, None] * self._lengths))


class Bands:
    """The band of its cosine with the sentence before: after SimMark (Dabiriaghdam and Wang, EMNLP 2025).

    The paper keeps one interval, the same for all keys: no p-value over random keys is known. Here a key
    chooses among bands, for each region (by planes) of the sentence before.

    Args:
        edges: between the bands, ascending; one more band than edges.
        planes: give contexts.
    """

    def __init__(self, edges: npt.NDArray[np.float64], planes: Planes) -> None:
        self.edges = edges
        self.contexts = planes.contexts
        self._planes = planes

    def regions(self, vectors: Vectors) -> Regions:
        """The margin is the distance to the nearest edge. The first sentence counts as in band 0."""
        likeness = cosines_of_neighbours(vectors)
        numbers = np.searchsorted(self.edges, likeness, side="right").astype(np.int64)
        margins = np.abs(likeness[:, None] - self.edges).min(axis=1)
        contexts = self._planes.regions(vectors).numbers
        return Regions(np.concatenate([[0], numbers]), contexts, np.concatenate([[np.inf], margins]))


def cosines_of_neighbours(vectors: Vectors) -> npt.NDArray[np.float64]:
    """Cosine of each vector with the next, (n,) -> (n - 1,); 0 where one of them is 0."""
    lengths = np.maximum(np.sqrt((vectors * vectors).sum(axis=1)), 1)
    products = (vectors[:-1] * vectors[1:]).sum(axis=1)
    return np.asarray(products / (lengths[:-1] * lengths[1:]))
