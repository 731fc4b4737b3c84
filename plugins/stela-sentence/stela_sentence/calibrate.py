"""What a new mark takes from human text: mean, centres, bands. No p-value rests on its being typical."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from stela_core import StelaError
from stela_sentence.partitions import Vectors, cosines_of_neighbours
from stela_sentence.split import MOST_CHARACTERS, sentences

Units = npt.NDArray[np.float64]
"""(n, dimensions), of length 1."""

MOST_SENTENCES = 20_000
"""Most sentences of a corpus that are read."""

ROUNDS = 50
"""Rounds of k-means, at most."""


def documents(texts: Iterable[str], most: int = MOST_SENTENCES) -> Iterator[list[str]]:
    """The sentences of each text that has two or more, until there are ``most`` in all."""
    count = 0
    for text in texts:
        whole = sentences(text[:MOST_CHARACTERS])
        if len(whole) > 1:
            yield whole
            count += len(whole)
        if count >= most:
            return


def mean_of(vectors: Vectors) -> npt.NDArray[np.int64]:
    """The mean embedding, (dimensions,), rounded: what all sentences of a language share says nothing."""
    return np.asarray(np.rint(vectors.mean(axis=0)), dtype=np.int64)


def fit_centres(vectors: Vectors, count: int, seed: int = 0) -> Vectors:
    """Centres (count, dimensions) of embeddings by spherical k-means (Dhillon and Modha, 2001), rounded.

    Args:
        vectors: (n, dimensions), whole numbers.
        count: of centres, at least 2.
        seed: of the first ones, drawn far from each other (k-means++, Arthur and Vassilvitskii, 2007).

    Raises:
        StelaError: there are fewer than ten sentences a centre.
    """
    lengths = np.sqrt((vectors * vectors).sum(axis=1))
    units = vectors[lengths > 0] / lengths[lengths > 0, None]
    if len(units) < 10 * count:
        raise StelaError(
            f"the corpus has {len(units)} sentences, too few for {count} regions.",
            f"give {10 * count} or more, or fewer --regions",
        )
    draws = np.random.default_rng(seed)
    centres = _spread(units, count, draws)
    labels = np.full(len(units), -1)
    for _ in range(ROUNDS):
        nearest = (units @ centres.T).argmax(axis=1)
        if (nearest == labels).all():
            break
        labels = nearest
        for number in range(count):
            members = units[labels == number]
            # An empty cluster begins again at a sentence.
            total = members.sum(axis=0) if len(members) else units[draws.integers(len(units))]
            centres[number] = total / max(float(np.linalg.norm(total)), 1e-12)
    return np.asarray(np.rint(127 * centres), dtype=np.int64)


def _spread(units: Units, count: int, draws: np.random.Generator) -> Units:
    """Some of the embeddings, each drawn by its squared distance from those before."""
    chosen = [int(draws.integers(len(units)))]
    far = np.full(len(units), np.inf)
    while len(chosen) < count:
        far = np.minimum(far, np.maximum(2 - 2 * (units @ units[chosen[-1]]), 0))
        chosen.append(
            int(np.searchsorted(np.cumsum(far), draws.random() * far.sum()).clip(0, len(units) - 1))
        )
    return units[chosen]


def fit_edges(texts: Iterable[Vectors], count: int) -> npt.NDArray[np.float64]:
    """Edges (count - 1,) between bands of one share each of the cosines of neighbours in human text.

    Args:
        texts: the embeddings of each text's sentences, in order.
        count: of bands, at least 2.

    Raises:
        StelaError: there are fewer than ten neighbours a band, or equal edges.
    """
    cosines = np.concatenate([np.zeros(0), *map(cosines_of_neighbours, texts)])
    edges = np.quantile(cosines, np.arange(1, count) / count) if len(cosines) >= 10 * count else np.zeros(0)
    if len(edges) == 0 or (np.diff(edges) <= 0).any():
        raise StelaError(
            f"{len(cosines)} pairs of neighbouring sentences do not fill {count} bands.",
            "give a larger corpus, or fewer --regions",
        )
    return np.asarray(edges)
