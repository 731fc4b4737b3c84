"""Texts to tags of words: windows of a text at one pass over it, and ends of texts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import chain

import numpy as np

import stela_core as stela
from stela_causal.code_points import Ids
from stela_causal.growing import Growing, Tags, tags_of
from stela_causal.walk import walked
from stela_causal.word_files import WordModel
from stela_causal.word_network import WordNetwork
from stela_core.api import own_process

SAMPLE = "a b"
TEXTS = 256
"""Texts that are looked at together."""
SPANS = 4_096
"""Windows of one text that are looked at together."""

Span = tuple[int, int]


class CausalWords:
    """A model at work. It has no state, and any thread may call it.

    A window is tagged as a text is, only by what stands in it. Where the pass over a text cannot tell what
    the window would say by itself, since its scores depend on what stands before, it is tagged by itself.
    """

    def __init__(self, model: WordModel) -> None:
        self._network, self._model = WordNetwork(model), model
        self._encode, self._labels = model.alphabet.encode, model.labels
        if not own_process:
            # Compiles what was not compiled yet: now, and not at the first token. A command may need none.
            self.last_tags([SAMPLE], 1)
            self.last_tags_anew([SAMPLE], 1)

    @cached_property
    def growing(self) -> Growing:
        """What knows the texts that windows go on from: for texts that are generated, and compiled."""
        from stela_causal.growing_words import GrowingWords

        return GrowingWords(self._model, self._network)

    def tag(self, texts: Sequence[str]) -> list[list[stela.Tag]]:
        """Tags of each text; those of words that are written as one share its span."""
        return [self._tag(text) for text in texts]

    def last_tags(self, texts: Sequence[str], count: int) -> list[Tags]:
        """The last ``count`` > 0 tags of each text: of one that goes on from one before, by what is new."""
        tags = self.growing.last_tags(texts, count)
        return self.last_tags_anew(texts, count) if tags is None else tags

    def last_tags_within(
        self, texts: Sequence[str], spans: Sequence[Sequence[Span]], count: int
    ) -> list[list[Tags]]:
        """The last ``count`` > 0 tags of windows of texts."""
        tags: list[list[Tags]] = []
        for text, each in zip(texts, spans, strict=True):
            parts = (each[start : start + SPANS] for start in range(0, len(each), SPANS))
            tags.append([one for part in parts for one in self._of_one(text, part, count)])
        return tags

    def _of_one(self, text: str, spans: Sequence[Span], count: int) -> list[Tags]:
        first, last = min(start for start, _ in spans), max(end for _, end in spans)
        known = self._lying([text[first:last]], [[(a - first, b - first) for a, b in spans]], count)
        left = [text[a:b] for (a, b), tags in zip(spans, known, strict=True) if tags is None]
        alone = iter(self.last_tags_anew(left, count))
        return [next(alone) if tags is None else tags for tags in known]

    def last_tags_anew(self, texts: Sequence[str], count: int) -> list[Tags]:
        """What :meth:`last_tags` returns, computed only from the texts' characters."""
        tags: list[Tags] = []
        for start in range(0, len(texts), TEXTS):
            batch = texts[start : start + TEXTS]
            known = self._lying(batch, [[(0, len(text))] for text in batch], count)
            tags += [one for one in known if one is not None]
        return tags

    def _lying(self, texts: Sequence[str], spans: Sequence[Sequence[Span]], count: int) -> list[Tags | None]:
        """The last tags of windows; ``None`` where what stands before one would show in them."""
        longest = max((end - start for start, end in chain.from_iterable(spans)), default=0)
        words, sizes, unsure = self._last_words(texts, spans, min(count, longest), labels_only=True)
        return tags_of(self._labels, words[:, :, 2], sizes, unsure, count)

    def _tag(self, text: str) -> list[stela.Tag]:
        words, sizes, _ = self._last_words([text], [[(0, len(text))]], len(text), labels_only=False)
        return [
            stela.Tag(tag, begin, end)
            for begin, end, label in words[0, : sizes[0]][::-1].tolist()
            for tag in self._labels[label]
        ]

    def _last_words(
        self, texts: Sequence[str], spans: Sequence[Sequence[Span]], count: int, labels_only: bool
    ) -> tuple[Ids, Ids, Ids]:
        """Words of windows from the last on, placed within their text: see :func:`last_words`."""
        encoded = self._encode(texts, self._network.gap)
        offsets = np.repeat(np.array(encoded.starts, dtype=np.int64), [len(each) for each in spans])
        bounds = np.array(list(chain.from_iterable(spans)), dtype=np.int64).reshape(-1, 2)
        starts, ends = bounds[:, 0] + offsets, bounds[:, 1] + offsets
        # Where a window begins with its text nothing stands before it.
        sure_from = np.where(bounds[:, 0] > 0, starts + self._network.reach, 0)
        lasts, row_of = np.unique(np.maximum(ends - 1, 0), return_inverse=True)
        late, early = self._network.scores(encoded, lasts)
        words = np.zeros((len(starts), count, 3), dtype=np.int64)
        where = row_of.ravel(), encoded.space, starts, ends, sure_from
        given = late, early, *where, words, self._model.labels_at, labels_only
        if self._model.alphabet.start.is_due(0):
            from stela_causal.last_words import last_words

            sizes, unsure = last_words(*given)
        else:
            sizes, unsure = walked(*given)
        words[:, :, :2] -= offsets[:, None, None]
        return words, sizes, unsure
