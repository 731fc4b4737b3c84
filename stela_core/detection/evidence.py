"""Evidence of a text: which tokens are scored, their signals, weights and groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stela_core.composition import Composition
from stela_core.detection.readings import IDS_ALONE
from stela_core.interfaces import (
    Bernoulli,
    Context,
    Hasher,
    Law,
    Message,
    Reading,
    Score,
    Signals,
)
from stela_core.text.token_bytes import TokenBytes


class TokenEvidence(NamedTuple):
    """One token of the text; the last three are ``None`` where it is not scored."""

    text: str
    """The characters it completed: the texts of all tokens, joined, are the text."""
    green: bool | None
    weight: float | None
    context: Context | None
    """POS context before it, where the scheme uses one."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Arrays over the n scored tokens of one text, and what is needed to list all its tokens."""

    ids: Sequence[int]
    positions: npt.NDArray[np.intp]
    """Index in ``ids`` of each scored token, (n,)."""
    green: npt.NDArray[np.bool_]
    """Colours; where the mark is not a green list, whether the signal is above the :attr:`.Law.middle`."""
    weights: npt.NDArray[np.float64]
    groups: npt.NDArray[np.int64]
    contexts: Sequence[Context]
    """POS contexts of the scored tokens; empty where the scheme uses none."""
    token_bytes: TokenBytes
    reading: Reading = IDS_ALONE
    """What the ids are of."""
    law: Law = field(default_factory=Bernoulli)
    """Distribution of a token's signal on unmarked text."""
    draws: npt.NDArray[np.float64] | None = None
    """Draws of each token's signal, (n, parts); ``None`` for a green list, whose draws are its colours."""
    before: Sequence[int] = ()
    """Ids of the prompt's end, where hash contexts reach into it."""
    whole: Score | None = None
    """Score of a scorer that looked at the whole text itself (``score_text``)."""
    share: float = 1.0
    """What part of alpha its reading may use up (:func:`stela_core.detection.readings.shares`)."""
    message: Message | None = None
    """Message in the text, where the mark carries one: the colours are those under it."""
    choices: float = 1.0
    """How many messages that one was chosen among: p-values are times their number."""

    def __reduce__(self) -> tuple[Any, ...]:
        # In a file or another process: the bytes of this text's tokens, not those of the whole vocabulary.
        values = [getattr(self, name) for name in self.__slots__]
        values[self.__slots__.index("token_bytes")] = self.token_bytes.only(self.ids)
        return Evidence, tuple(values)

    @property
    def signals(self) -> Signals:
        """What a scorer is given."""
        draws = self.green.astype(np.float64)[:, None] if self.draws is None else self.draws
        return Signals(draws, self.weights, self.groups, self.law)

    @property
    def signal(self) -> npt.NDArray[np.float64]:
        """Each token's signal, (n,)."""
        return self.green.astype(np.float64) if self.draws is None else self.law.signal(self.draws)

    @property
    def pairs(self) -> int:
        """How many distinct (hash context, token) pairs there are among the scored tokens."""
        return int(self.groups.max()) + 1 if len(self.groups) else 0

    def hashed(
        self, hasher: Hasher[Any], at: npt.NDArray[np.intp] | None = None
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Hash contexts (n, width) and tokens (n,): of all scored tokens, or of those ``at`` some of them."""
        ids, positions = np.asarray(self.ids, dtype=np.int64), self.positions
        positions = positions if at is None else positions[at]
        return hasher.contexts_after(self.before, ids, positions), ids[positions]

    def unweighted(self) -> Evidence:
        """The same with weight 1 for every token."""
        return replace(self, weights=np.ones(len(self.weights)))

    def token_spans(self) -> tuple[str, list[int], int]:
        """The text, where its tokens end, and how many characters in front its reader does not see.

        Token t is ``text[ends[t]:ends[t + 1]]``. A tokenizer may write a space before the text, unseen. Where
        the text was rewritten before it was cut, this is the text that was given.
        """
        reading = self.reading
        if reading.places is not None:
            text, ends, unseen = reading.text, list(reading.places), 0
        else:
            text, ends = self.token_bytes.text_and_ends(self.ids)
            ends.append(len(text))
            seen = reading.text if reading.ids is None else self.token_bytes.decode(self.ids)
            unseen = len(text) - len(seen)
        if reading.text == reading.given:
            return text, ends, unseen
        points = np.clip(np.array(ends) - unseen, 0, len(reading.text))
        return reading.given, reading.in_given(points).tolist(), 0

    def tokens(self) -> list[TokenEvidence]:
        """One entry per token of the text."""
        text, ends, _ = self.token_spans()
        pieces = [text[start:end] for start, end in pairwise(ends)]
        listed = [TokenEvidence(piece, None, None, None) for piece in pieces]
        for n, position in enumerate(self.positions.tolist()):
            context = self.contexts[n] if len(self.contexts) else None
            listed[position] = TokenEvidence(
                pieces[position], bool(self.green[n]), float(self.weights[n]), context
            )
        return listed


def collect_evidence(
    ids: npt.NDArray[np.int64],
    positions: npt.NDArray[np.intp],
    contexts: Sequence[Context],
    weights: npt.NDArray[np.float64],
    composition: Composition,
    tokens: TokenBytes,
    before: Sequence[int] = (),
    reading: Reading = IDS_ALONE,
    share: float = 1.0,
) -> Evidence:
    """Signals and groups of the scored tokens of one text, with their weights.

    The weights were there before any signal was looked at: they cannot depend on the key.
    """
    hasher, scored = composition.hasher, ids[positions]
    seeds = hasher.seeds(hasher.contexts_after(before, ids, positions))
    free = hasher.independent(seeds, scored)
    if free is not None and not free.all():
        seeds, scored, positions, weights = seeds[free], scored[free], positions[free], weights[free]
        contexts = [contexts[n] for n in np.flatnonzero(free).tolist()] if len(contexts) else contexts
    groups = hasher.groups(seeds, scored)
    message, encoder = None, composition.encoder
    if encoder is not None:
        message = encoder.read(encoder.scored(hasher, seeds, scored, weights, groups, composition.scorer))
        seeds = encoder.seeds(seeds, message.value, hasher.key)
    green, draws = hasher.colours(seeds, scored)
    return Evidence(
        ids=ids.tolist(),
        positions=positions,
        green=green,
        weights=weights,
        groups=groups,
        contexts=contexts,
        token_bytes=tokens,
        reading=reading,
        law=hasher.law,
        draws=draws,
        before=before,
        share=share,
        message=message,
        choices=1.0 if encoder is None else encoder.choices,
    )
