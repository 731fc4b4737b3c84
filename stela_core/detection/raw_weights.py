"""Weights of texts' tokens, by the model's logits where they need them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stela_core.composition import checked_weights
from stela_core.interfaces import Context, Positions, Weighting
from stela_core.models.logits import Chunk


class RawWeights(NamedTuple):
    """Weights of a text's scored tokens, before what their weighting does over the text."""

    positions: npt.NDArray[np.intp]
    """Of the tokens, (n,)."""
    values: npt.NDArray[np.float64]
    """(n,)."""


def weigh(
    positions: Sequence[npt.NDArray[np.intp]],
    contexts: Sequence[Sequence[Context]],
    tails: Sequence[Sequence[str]],
    weightings: Mapping[str, Weighting],
    gamma: float,
    chunks: Iterable[Chunk] | None,
) -> dict[str, list[RawWeights]]:
    """Raw weights of each text by each weighting; one number a position is all that is kept of logits.

    Args:
        positions: of each text's scored tokens.
        contexts: POS contexts there, or nothing.
        tails: ends of the text before each, or nothing.
        weightings: by name.
        gamma: share of green tokens.
        chunks: the model's logits, where weightings need them.

    Raises:
        StelaError: a weighting breaks its contract.
    """
    weights = {name: [np.zeros(len(at)) for at in positions] for name in weightings}
    if chunks is None:
        chunks = (Chunk(number, 0, len(at), None) for number, at in enumerate(positions))
    for chunk in chunks:
        part = slice(chunk.start, chunk.stop)
        seen = Positions(
            chunk.stop - chunk.start,
            contexts[chunk.text][part],
            chunk.logits,
            gamma=gamma,
            text=tails[chunk.text][part],
        )
        for name, weighting in weightings.items():
            weights[name][chunk.text][part] = checked_weights(weighting, seen)
    return {
        name: [RawWeights(at, one) for at, one in zip(positions, of, strict=True)]
        for name, of in weights.items()
    }
