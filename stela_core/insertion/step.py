"""One step of insertion: from the rows' generated ids to seeds and weights. No torch here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stela_core.composition import Composition, checked_weights
from stela_core.interfaces import Context, Positions
from stela_core.interfaces.weighting import TAIL
from stela_core.text.pos_contexts import CausalContexts
from stela_core.text.prefix import tail_of
from stela_core.text.token_bytes import TokenBytes

if TYPE_CHECKING:
    from stela_core.kernels.split import Split


class Step(NamedTuple):
    """What to do to each row: add ``biases[r]`` to its green tokens under ``seeds[r]``."""

    seeds: npt.NDArray[np.uint64]
    weights: list[float | None]
    """Strength weight of each row; ``None`` where the next token is not marked."""
    biases: list[float]
    """In nats; 0 where it is not marked."""
    split: Split | None = None
    """The green tokens of each row, where the weights needed them."""


class Insertion:
    """Compute the steps of a batch. Holds nothing about a text: rows may come in any order."""

    def __init__(self, parts: Composition, tokens: TokenBytes, contexts: CausalContexts | None) -> None:
        self._parts = parts
        self._contexts = contexts
        self._tokens = tokens
        self._needs = parts.strength.needs
        self._width = parts.hasher.context_width
        self._scale = parts.bias_per_weight
        self._is_text = [tokens.is_text(i) for i in range(len(tokens))]

    def step(self, generated: npt.NDArray[np.int64], logits: Any, vocab_size: int) -> Step | None:
        """The step after ``generated`` (rows, tokens so far), prompt left out.

        ``logits`` (rows, width) are those of the step; ids from ``vocab_size`` on are never green.

        A row is marked if its last ``context_width`` generated ids are ordinary tokens: the first
        tokens of a text have no context, and rows that ended get no more.

        Returns:
            ``None`` if no row is marked.
        """
        # Plain lists: on the few numbers of a step they are several times faster than arrays.
        rows, length = generated.shape
        if length < self._width:
            return None
        last = generated[:, length - self._width :]
        marked = [row for row, ids in enumerate(last.tolist()) if self._are_text(ids)]
        if not marked:
            return None
        if len(marked) == rows:
            seeds = self._parts.hasher.seeds(last)
            split = self._split(logits, seeds, vocab_size)
            weights = self._weights(generated, logits, split.green_mass if split else None)
            return Step(seeds, list(weights), [weight * self._scale for weight in weights], split)
        seeds = np.zeros(rows, dtype=np.uint64)
        seeds[marked] = self._parts.hasher.seeds(last[marked])
        split = self._split(logits, seeds, vocab_size)
        all_weights: list[float | None] = [None] * rows
        biases = [0.0] * rows
        some_logits = logits[marked] if "logits" in self._needs else None
        some_mass = split.green_mass[marked] if split else None
        weights = self._weights(generated[marked], some_logits, some_mass)
        for row, weight in zip(marked, weights, strict=True):
            all_weights[row] = weight
            biases[row] = weight * self._scale
        return Step(seeds, all_weights, biases, split)

    def _split(self, logits: Any, seeds: npt.NDArray[np.uint64], vocab_size: int) -> Split | None:
        if "green" not in self._needs:
            return None
        return self._parts.hasher.split(logits, seeds, vocab_size)

    def _are_text(self, ids: list[int]) -> bool:
        return all(0 <= i < len(self._is_text) and self._is_text[i] for i in ids)

    def _weights(
        self, generated: npt.NDArray[np.int64], logits: Any, green_mass: npt.NDArray[np.float64] | None
    ) -> list[float]:
        contexts: Sequence[Context] = ()
        text: Sequence[str] = ()
        if "text" in self._needs:
            text = [tail_of(ids, self._tokens, TAIL) for ids in generated.tolist()]
        if self._contexts is not None and "contexts" in self._needs:
            contexts = self._contexts.before_next(generated.tolist())
        logits = logits if "logits" in self._needs else None
        gamma = self._parts.hasher.gamma
        positions = Positions(len(generated), contexts, logits, green_mass, gamma, text)
        found: list[float] = checked_weights(self._parts.strength, positions).tolist()
        return found
