"""Evidence of a text: which tokens are scored, their colours, weights and groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from stela_core.composition import Composition
from stela_core.detection.readings import AS_IT_IS, Reading
from stela_core.detection.token_evidence import TokenEvidence
from stela_core.interfaces import Context
from stela_core.statistics.grouping import group_pairs, ranks
from stela_core.text.prefix import prefix_ends
from stela_core.text.token_bytes import TokenBytes


@dataclass(frozen=True, slots=True)
class Evidence:
    """Arrays over the n scored tokens of one text, and what is needed to list all its tokens."""

    ids: Sequence[int]
    positions: npt.NDArray[np.intp]
    """Index in ``ids`` of each scored token, (n,)."""
    green: npt.NDArray[np.bool_]
    weights: npt.NDArray[np.float64]
    groups: npt.NDArray[np.int64]
    contexts: Sequence[Context]
    """POS contexts of the scored tokens; empty where the scheme uses none."""
    token_bytes: TokenBytes
    reading: Reading | None = None
    """What the ids are of; ``None`` where they are all that was given."""

    def __reduce__(self) -> tuple[Any, ...]:
        # In a file or another process: the bytes of this text's tokens, not those of the whole vocabulary.
        values = [getattr(self, name) for name in self.__slots__]
        values[self.__slots__.index("token_bytes")] = self.token_bytes.only(self.ids)
        return Evidence, tuple(values)

    @property
    def reading_name(self) -> str:
        """How its text was read."""
        return AS_IT_IS if self.reading is None else self.reading.name

    def alike(self) -> Evidence:
        """The same with weight 1 for every token."""
        return replace(self, weights=np.ones(len(self.weights)))

    def laid_out(self) -> tuple[str, list[int], int]:
        """The text, where its tokens end, and how many characters in front its reader does not see.

        Token t is ``text[ends[t]:ends[t + 1]]``. A tokenizer may write a space before the text, unseen. Where
        the text was rewritten before it was cut, this is the text that was given.
        """
        text, ends = prefix_ends(self.ids, self.token_bytes)
        ends.append(len(text))
        unseen = len(text) - len(self.token_bytes.decode(self.ids))
        if self.reading is None or self.reading.text == self.reading.given:
            return text, ends, unseen
        points = np.clip(np.array(ends) - unseen, 0, len(self.reading.text))
        return self.reading.given, self.reading.in_given(points).tolist(), 0

    def tokens(self) -> list[TokenEvidence]:
        """One entry per token of the text."""
        text, ends, _ = self.laid_out()
        pieces = [text[start:end] for start, end in pairwise(ends)]
        listed = [TokenEvidence(piece, None, None, None) for piece in pieces]
        for n, position in enumerate(self.positions.tolist()):
            context = self.contexts[n] if len(self.contexts) else None
            listed[position] = TokenEvidence(
                pieces[position], bool(self.green[n]), float(self.weights[n]), context
            )
        return listed


def scored_positions(
    ids: npt.NDArray[np.int64], width: int, is_text: npt.NDArray[np.bool_]
) -> npt.NDArray[np.intp]:
    """Positions t >= width whose token and ``width`` preceding ones are ordinary text tokens.

    Args:
        ids: the text's token ids, (tokens,).
        width: length of a hash context.
        is_text: by id, with one entry more, ``False``, for ids past the vocabulary.
    """
    if len(ids) <= width:
        return np.empty(0, dtype=np.intp)
    ordinary = is_text[np.clip(ids, -1, len(is_text) - 1)]
    runs = np.lib.stride_tricks.sliding_window_view(ordinary, width + 1)
    return np.flatnonzero(runs.all(axis=1)) + width


def gather(
    ids: npt.NDArray[np.int64],
    positions: npt.NDArray[np.intp],
    contexts: Sequence[Context],
    weights: npt.NDArray[np.float64],
    composition: Composition,
    tokens: TokenBytes,
) -> Evidence:
    """Colours and groups of the scored tokens of one text, beside their weights.

    The weights were there before any colour was looked at: they cannot depend on the key.
    """
    width = composition.hasher.context_width
    offsets = positions[:, None] + np.arange(-width, 0)
    before, scored = ids[offsets], ids[positions]
    seeds = composition.hasher.seeds(before)
    return Evidence(
        ids=ids.tolist(),
        positions=positions,
        green=composition.hasher.green(seeds, scored),
        weights=weights,
        groups=group_pairs(ranks(composition.hasher.coins(seeds, scored)), scored),
        contexts=contexts,
        token_bytes=tokens,
    )
