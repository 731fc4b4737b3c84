"""One step of insertion: from the rows' generated ids to seeds and weights. No torch here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from stela_core.composition import Composition, checked_weights
from stela_core.insertion.hash_context import NextContexts
from stela_core.insertion.text_state import RowStates, placeholder
from stela_core.interfaces import Context, Positions
from stela_core.interfaces.weighting import TAIL
from stela_core.text.pos_contexts import CausalContexts
from stela_core.text.prefix import tail_of
from stela_core.text.token_bytes import TokenBytes

if TYPE_CHECKING:
    from stela_core.interfaces import GreenList
    from stela_core.interfaces.green_list import Split

Rows = Sequence[Sequence[int]] | npt.NDArray[np.integer[Any]]
"""Ids of each row: of any lengths, or an array (rows, tokens), of which only what is needed becomes lists."""


class Step(NamedTuple):
    """What to do to each row: raise green tokens by ``biases[r]``, or choose one, under ``seeds[r]``."""

    seeds: npt.NDArray[np.uint64]
    """(rows,), or (rows, words) where a seed has several; 0 where the next token is not marked."""
    weights: list[float | None]
    """Strength weight of each row; ``None`` where the next token is not marked."""
    biases: list[float]
    """In nats; 0 where it is not marked."""
    split: Split | None = None
    """The green tokens of each row, where the weights needed them."""

    @property
    def marks(self) -> bool:
        """Whether the next token of any row is marked."""
        return any(weight is not None for weight in self.weights)


class Insertion:
    """Compute the steps of a batch. Holds nothing about a text: rows may come in any order."""

    def __init__(self, composition: Composition, tokens: TokenBytes, contexts: CausalContexts | None) -> None:
        self._composition = composition
        self._contexts = contexts
        self._tokens = tokens
        self._needs = composition.strength.needs
        self._reads_text, self._reads_contexts = "text" in self._needs, "contexts" in self._needs
        self._next_contexts = NextContexts(composition.hasher)
        words = composition.hasher.seed_words
        self._seed_shape = () if words == 1 else (words,)
        self._scale = composition.bias_per_weight
        self._gamma = composition.hasher.law.share_above

    def step(self, generated: Rows | RowStates, logits: Any, vocab_size: int) -> Step:
        """The step after the ``generated`` ids of each row, prompt left out; rows may differ in length.

        ``logits`` (rows, width) are those of the step; ids from ``vocab_size`` on are never green.

        A row is marked if its last ``context_width`` generated ids are ordinary tokens: the first
        tokens of a text have no context (unless the hasher pads), and rows that ended get no more.

        Raises:
            StelaError: an id is negative, as placeholders of tokens that are not drawn yet are.
        """
        # Plain lists: on the few numbers of a step they are several times faster than arrays.
        count = len(generated)
        if isinstance(generated, RowStates):
            last, contexts = generated.next_contexts()
        else:
            last, contexts = self._next_contexts.of(generated)
        marked = [row for row, ids in enumerate(last) if ids is not None and self._are_text(ids)]
        seeds = np.zeros((count, *self._seed_shape), dtype=np.uint64)
        if not marked:
            return Step(seeds, [None] * count, [0.0] * count)
        hash_contexts = np.array([contexts[row] for row in marked], dtype=np.int64).reshape(len(marked), -1)
        if len(marked) == count:
            seeds = self._composition.hasher.seeds_of(marked, hash_contexts)
            split = self._split(logits, seeds, vocab_size)
            weights = self._weights(generated, logits, split.green_mass if split else None)
            return Step(seeds, list(weights), [weight * self._scale for weight in weights], split)
        seeds[marked] = self._composition.hasher.seeds_of(marked, hash_contexts)
        split = self._split(logits, seeds, vocab_size)
        all_weights: list[float | None] = [None] * count
        biases = [0.0] * count
        some_logits = logits[marked] if "logits" in self._needs else None
        some_mass = split.green_mass[marked] if split else None
        weights = self._weights(_only(generated, marked), some_logits, some_mass)
        for row, weight in zip(marked, weights, strict=True):
            all_weights[row] = weight
            biases[row] = weight * self._scale
        return Step(seeds, all_weights, biases, split)

    def _split(self, logits: Any, seeds: npt.NDArray[np.uint64], vocab_size: int) -> Split | None:
        if "green" not in self._needs:
            return None
        return cast("GreenList", self._composition.hasher).split(logits, seeds, vocab_size)

    def _are_text(self, ids: Sequence[int]) -> bool:
        if all(map(self._tokens.is_text, ids)):
            return True
        if any(i < 0 for i in ids):
            raise placeholder(min(ids))
        return False

    def _weights(
        self, generated: Rows | RowStates, logits: Any, green_mass: npt.NDArray[np.float64] | None
    ) -> list[float]:
        pos_contexts: Sequence[Context] = ()
        text: Sequence[str] = ()
        if self._reads_text or self._reads_contexts:
            text, pos_contexts = self._before(generated)
        logits = logits if "logits" in self._needs else None
        positions = Positions(len(generated), pos_contexts, logits, green_mass, self._gamma, text)
        weights: list[float] = checked_weights(self._composition.strength, positions).tolist()
        return weights

    def _before(self, generated: Rows | RowStates) -> tuple[Sequence[str], Sequence[Context]]:
        """The text before the next token of each row, and its POS context, as far as they are needed."""
        contexts = self._contexts if self._reads_contexts else None
        if isinstance(generated, RowStates):
            tails = generated.tails()
            text = [tail[-TAIL:] for tail in tails] if self._reads_text else []
            return text, () if contexts is None else contexts.after(tails)
        rows = generated.tolist() if isinstance(generated, np.ndarray) else generated
        text = [tail_of(ids, self._tokens, TAIL) for ids in rows] if self._reads_text else []
        return text, () if contexts is None else contexts.before_next(rows)


def _only(generated: Rows | RowStates, rows: Sequence[int]) -> Rows | RowStates:
    if isinstance(generated, RowStates):
        return generated.only(rows)
    return generated[rows] if isinstance(generated, np.ndarray) else [generated[row] for row in rows]
