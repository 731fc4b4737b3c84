"""Making a mark of sentences from human text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from stela_core import StelaError
from stela_core.api import KeyPart
from stela_sentence.calibrate import documents, fit_centres, fit_edges, mean_of
from stela_sentence.embedders import Embedder
from stela_sentence.mark_file import FORMAT, EmbedderPart, Kind, MarkFile
from stela_sentence.partitions import Vectors

REGIONS: dict[Kind, int] = {"semstamp": 32, "k-semstamp": 32, "simmark": 12}
"""Number of regions by default. More make more coins; fewer survive more edits."""

MARGIN = 0.01
"""Margin by default, as MarkLLM has it."""

NGRAMS_MARGIN = 0.05
"""Margin of ``k-semstamp`` by ``ngrams``, whose centres are farther apart."""

MOST_REGIONS = 1024

CONTEXT_BITS = 5
"""Planes that give the contexts of ``simmark``."""


def create_mark(
    kind: Kind,
    embedder: Embedder,
    texts: Iterable[str],
    key: int,
    *,
    public: bool = False,
    salt: str | None = None,
    regions: int | None = None,
    gamma: float = 0.25,
    margin: float | None = None,
    alpha: float = 0.001,
) -> MarkFile:
    """A new mark.

    Args:
        kind: ``semstamp``, ``k-semstamp`` or ``simmark``.
        embedder: of sentences.
        texts: human text of the kind that will be written. ``semstamp`` takes its mean embedding from it,
            ``k-semstamp`` its centres, too, and ``simmark`` bands of equal shares.
        key: 64-bit.
        public: write the key into the file.
        salt: of a secret key made from a passphrase; by default it is drawn.
        regions: 2 to 1024, a power of two for ``semstamp``; by default 32, for ``simmark`` 12.
        gamma: probability that a region is valid after another, 0.05 to 0.9.
        margin: least distance of a kept sentence from the nearest other region; by default 0.01, for
            ``k-semstamp`` by ``ngrams`` 0.05.
        alpha: largest p-value that is called watermarked, at most 0.05.

    Raises:
        StelaError: there is too little text, or a number is out of its range.
    """
    count = REGIONS[kind] if regions is None else regions
    uneven = kind == "semstamp" and count & (count - 1)
    if not 2 <= count <= MOST_REGIONS or uneven:
        what = "a power of two from 2 to" if kind == "semstamp" else "2 to"
        raise StelaError(f"{kind} has no {count} regions.", f"give {what} {MOST_REGIONS}")
    vectors = [embedder.vectors(some) for some in documents(texts)]
    if not vectors:
        raise StelaError("the corpus has no text of two sentences.", "give a corpus of whole texts")
    every = np.concatenate(vectors)
    mean = mean_of(every)
    return MarkFile(
        format=FORMAT,
        kind=kind,
        embedder=EmbedderPart(
            name="ngrams" if embedder.fingerprint is None else "model", fingerprint=embedder.fingerprint
        ),
        mean=tuple(mean.tolist()),
        **_part(kind, count, [some - mean for some in vectors]),
        gamma=gamma,
        margin=_margin(kind, embedder) if margin is None else margin,
        alpha=alpha,
        key=KeyPart(**KeyPart.fields_of(key, public, salt)),
    )


def _margin(kind: Kind, embedder: Embedder) -> float:
    return NGRAMS_MARGIN if kind == "k-semstamp" and embedder.fingerprint is None else MARGIN


def _part(kind: Kind, count: int, vectors: list[Vectors]) -> dict[str, Any]:
    """What the file says of the regions, by texts' embeddings less the mean."""
    if kind == "semstamp":
        return {"bits": count.bit_length() - 1}
    if kind == "k-semstamp":
        return {"centres": tuple(map(tuple, fit_centres(np.concatenate(vectors), count).tolist()))}
    return {"bits": CONTEXT_BITS, "edges": tuple(fit_edges(vectors, count).tolist())}
