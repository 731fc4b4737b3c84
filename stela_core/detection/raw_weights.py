"""Weights of texts' tokens, by the model's logits where they need them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stela_core.composition import checked_weights
from stela_core.interfaces import Context, Positions, Weighting
from stela_core.interfaces.logits import Chunk, with_own_column


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
    tokens: Sequence[npt.NDArray[np.int64]] = (),
) -> dict[str, list[RawWeights]]:
    """Raw weights of each text by each weighting; one number a position is all that is kept of logits.

    Args:
        positions: of each text's scored tokens.
        contexts: POS contexts there, or nothing.
        tails: ends of the text before each, or nothing.
        weightings: by name.
        gamma: share of green tokens.
        chunks: the model's logits, where weightings need them.
        tokens: ids of each text's scored tokens, where weightings need them.

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
        shown = seen if not len(tokens) else _with_tokens(seen, chunk, tokens[chunk.text][part])
        for name, weighting in weightings.items():
            weights[name][chunk.text][part] = checked_weights(
                weighting, shown if "token" in weighting.needs else seen
            )
    return {
        name: [RawWeights(at, one) for at, one in zip(positions, of, strict=True)]
        for name, of in weights.items()
    }


def _with_tokens(seen: Positions, chunk: Chunk, ids: npt.NDArray[np.int64]) -> Positions:
    """The same with the columns of the tokens themselves."""
    if chunk.own:
        logits, columns = with_own_column(chunk.logits, chunk.own)
        return replace(seen, logits=logits, tokens=columns)
    # Ids the model does not know it reads as id 0.
    return replace(seen, tokens=np.where((ids >= 0) & (ids < chunk.logits.shape[-1]), ids, 0))
