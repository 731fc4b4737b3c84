"""Evidence of a text: which tokens are scored, their signals, weights and groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from stela_core.composition import Composition
from stela_core.detection.readings import AS_IT_IS, Reading
from stela_core.detection.token_evidence import TokenEvidence
from stela_core.interfaces import Bernoulli, Context, Law, Mark, Score, Signals
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
    """Colours; where the mark is no green list, whether the signal is above the :attr:`.Law.middle`."""
    weights: npt.NDArray[np.float64]
    groups: npt.NDArray[np.int64]
    contexts: Sequence[Context]
    """POS contexts of the scored tokens; empty where the scheme uses none."""
    token_bytes: TokenBytes
    reading: Reading | None = None
    """What the ids are of; ``None`` where they are all that was given."""
    law: Law = field(default_factory=Bernoulli)
    """Of a token's signal on unmarked text."""
    draws: npt.NDArray[np.float64] | None = None
    """Of each token's signal, (n, parts); ``None`` for a green list, whose draws are its colours."""
    before: Sequence[int] = ()
    """Ids of the prompt's end, where hash contexts reach into it."""
    whole: Score | None = None
    """Of a scorer that looked at the whole text itself (``score_text``)."""
    share: float = 1.0
    """What part of alpha its reading may use up (:func:`stela_core.detection.readings.shares`)."""

    def __reduce__(self) -> tuple[Any, ...]:
        # In a file or another process: the bytes of this text's tokens, not those of the whole vocabulary.
        values = [getattr(self, name) for name in self.__slots__]
        values[self.__slots__.index("token_bytes")] = self.token_bytes.only(self.ids)
        return Evidence, tuple(values)

    @property
    def reading_name(self) -> str:
        """How its text was read."""
        return AS_IT_IS if self.reading is None else self.reading.name

    @property
    def signals(self) -> Signals:
        """What a scorer is given."""
        draws = self.green.astype(np.float64)[:, None] if self.draws is None else self.draws
        return Signals(draws, self.weights, self.groups, self.law)

    @property
    def signal(self) -> npt.NDArray[np.float64]:
        """Each token's signal, (n,)."""
        return self.green.astype(np.float64) if self.draws is None else self.law.signal(self.draws)

    def alike(self) -> Evidence:
        """The same with weight 1 for every token."""
        return replace(self, weights=np.ones(len(self.weights)))

    def laid_out(self) -> tuple[str, list[int], int]:
        """The text, where its tokens end, and how many characters in front its reader does not see.

        Token t is ``text[ends[t]:ends[t + 1]]``. A tokenizer may write a space before the text, unseen. Where
        the text was rewritten before it was cut, this is the text that was given.
        """
        reading = self.reading
        if reading is not None and reading.places is not None:
            text, ends, unseen = reading.text, list(reading.places), 0
        else:
            text, ends = prefix_ends(self.ids, self.token_bytes)
            ends.append(len(text))
            cut = reading.text if reading is not None and reading.ids is None else None
            unseen = len(text) - len(self.token_bytes.decode(self.ids) if cut is None else cut)
        if reading is None or reading.text == reading.given:
            return text, ends, unseen
        points = np.clip(np.array(ends) - unseen, 0, len(reading.text))
        return reading.given, reading.in_given(points).tolist(), 0

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
    ids: npt.NDArray[np.int64],
    hasher: Mark[Any],
    is_text: npt.NDArray[np.bool_],
    before: Sequence[int] = (),
) -> npt.NDArray[np.intp]:
    """Positions whose token and hash context are ordinary text tokens, and where the hasher marks.

    No token decides whether it is scored, but by being none of the text's; no key does.

    Args:
        ids: the text's token ids, (tokens,).
        hasher: under any key.
        is_text: by id, with one entry more, ``False``, for ids past the vocabulary.
        before: ids of the prompt's end, at most ``context_width``.
    """
    width = hasher.context_width
    ordinary = is_text[np.clip(ids, -1, len(is_text) - 1)]
    given = width if hasher.padding is not None or len(before) else 0
    ordinary = np.concatenate([np.ones(given, dtype=np.bool_), ordinary])
    if len(ordinary) <= width:
        return np.empty(0, dtype=np.intp)
    runs = np.lib.stride_tricks.sliding_window_view(ordinary, width + 1)
    positions = np.flatnonzero(runs.all(axis=1)) + (width - given)
    return first_of_each(positions, ids, hasher, before) if hasher.first_only else positions


def first_of_each(
    positions: npt.NDArray[np.intp], ids: npt.NDArray[np.int64], hasher: Mark[Any], before: Sequence[int]
) -> npt.NDArray[np.intp]:
    """Those of the positions, (n,), ascending, whose hash context is at none before."""
    contexts = hash_contexts(ids, positions, hasher, before) & 0xFFFFFFFF  # ids in front of a text are -1
    numbers = group_pairs(contexts, np.zeros(len(positions), dtype=np.int64))
    return positions[np.sort(np.unique(numbers, return_index=True)[1])][: hasher.most_contexts]


def hash_contexts(
    ids: npt.NDArray[np.int64], positions: npt.NDArray[np.intp], hasher: Mark[Any], before: Sequence[int]
) -> npt.NDArray[np.int64]:
    """The hasher's contexts at these positions of a text, after ids of a prompt."""
    return hasher.contexts(*after_prompt(ids, positions, before))


def after_prompt(
    ids: npt.NDArray[np.int64], positions: npt.NDArray[np.intp], before: Sequence[int]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.intp]]:
    """A text's ids behind those of the prompt's end, and its positions there."""
    if not len(before):
        return ids, positions
    return np.concatenate([np.asarray(before, dtype=np.int64), ids]), positions + len(before)


def gather(
    ids: npt.NDArray[np.int64],
    positions: npt.NDArray[np.intp],
    contexts: Sequence[Context],
    weights: npt.NDArray[np.float64],
    composition: Composition,
    tokens: TokenBytes,
    before: Sequence[int] = (),
) -> Evidence:
    """Signals and groups of the scored tokens of one text, beside their weights.

    The weights were there before any signal was looked at: they cannot depend on the key.
    """
    hasher, scored = composition.hasher, ids[positions]
    seeds = hasher.seeds(hash_contexts(ids, positions, hasher, before))
    kept = hasher.independent(seeds, scored)
    if kept is not None and not kept.all():
        seeds, scored, positions, weights = seeds[kept], scored[kept], positions[kept], weights[kept]
        contexts = [contexts[n] for n in np.flatnonzero(kept).tolist()] if len(contexts) else contexts
    law, draws = hasher.law, hasher.draws(seeds, scored)
    green = law.signal(draws) > law.middle
    return Evidence(
        ids=ids.tolist(),
        positions=positions,
        green=green,
        weights=weights,
        groups=coin_groups(hasher, seeds, scored),
        contexts=contexts,
        token_bytes=tokens,
        law=law,
        draws=None if law.is_green_list else draws,
        before=before,
    )


def coin_groups(
    hasher: Mark[Any], seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Numbers of the draws of n tokens, (n,): equal where a token's signal is one draw for certain."""
    coins = ranks(hasher.coins(seeds, tokens))
    return group_pairs(coins, np.zeros_like(tokens) if hasher.coins_hold_token else tokens)
