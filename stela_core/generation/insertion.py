"""One step of insertion: from the rows' generated ids to seeds and weights. No torch here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stela_core.composition import Composition, checked_weights
from stela_core.interfaces import Positions
from stela_core.text.contexts import CausalContexts
from stela_core.text.token_bytes import TokenBytes


class Step(NamedTuple):
    """What to do to each row: add ``biases[r]`` to its green tokens under ``seeds[r]``."""

    seeds: npt.NDArray[np.uint64]
    weights: list[float | None]
    """Strength weight of each row; ``None`` where the next token is not marked."""
    biases: list[float]
    """In nats; 0 where it is not marked."""


class Insertion:
    """Compute the steps of a batch. Holds nothing about a text: rows may come in any order."""

    def __init__(self, parts: Composition, tokens: TokenBytes, contexts: CausalContexts | None) -> None:
        self._parts = parts
        self._contexts = contexts
        self._needs = parts.strength.needs
        self._width = parts.hasher.context_width
        self._scale = parts.bias_per_weight
        self._is_text = np.array([tokens.is_text(i) for i in range(len(tokens))] + [False])

    def step(self, generated: npt.NDArray[np.int64], logits: Any) -> Step | None:
        """The step after ``generated`` (rows, tokens so far), prompt left out.

        A row is marked if its last ``context_width`` generated ids are ordinary tokens: the first
        tokens of a text have no context, and rows that ended get no more.

        Returns:
            ``None`` if no row is marked.
        """
        rows, length = generated.shape
        if length < self._width:
            return None
        last = generated[:, length - self._width :]
        marked = np.flatnonzero(self._is_text[np.clip(last, -1, len(self._is_text) - 1)].all(axis=1))
        if len(marked) == 0:
            return None
        seeds = np.zeros(rows, dtype=np.uint64)
        seeds[marked] = self._parts.hasher.seeds(last[marked])
        weights: list[float | None] = [None] * rows
        biases = [0.0] * rows
        for row, weight in zip(marked.tolist(), self._weights(generated, logits, marked), strict=True):
            weights[row] = weight
            biases[row] = weight * self._scale
        return Step(seeds, weights, biases)

    def _weights(
        self, generated: npt.NDArray[np.int64], logits: Any, marked: npt.NDArray[np.intp]
    ) -> Sequence[float]:
        contexts = (
            self._contexts.before_next(generated[marked].tolist())
            if self._contexts is not None and "contexts" in self._needs
            else ()
        )
        own_logits = logits[marked] if "logits" in self._needs else None
        positions = Positions(len(marked), contexts, own_logits)
        found: list[float] = checked_weights(self._parts.strength, positions).tolist()
        return found
