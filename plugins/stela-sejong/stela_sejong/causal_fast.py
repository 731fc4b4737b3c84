"""The causal tagger: windows of a text at one pass over it, and ends of texts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise

import numpy as np
from stela_causal.growing import Tags, tags_of
from stela_causal.windows import Span, Windows

import stela_core as stela
from stela_sejong.causal_characters import Ids
from stela_sejong.causal_files import Saved
from stela_sejong.causal_growing import GrowingMorphemes
from stela_sejong.causal_kernels import last_labels
from stela_sejong.causal_network import LATE, CausalNetwork

SAMPLE = "한국"
TEXTS = 256
"""Texts that are looked at together."""


class CausalMorphemes(Windows):
    """Texts to tags of morphemes. No state, any thread may call it.

    A window is tagged as a text is, only by what stands in it. A text's pass
    over itself mostly says the same of the last characters of a window. Where that depends on what stands
    before the window, the window is tagged by itself.
    """

    def __init__(self, saved: Saved) -> None:
        self._network = CausalNetwork(saved)
        self._encode, self._encode_tails = saved.characters.encode, saved.characters.encode_tails
        self._labels = saved.labels
        self.growing = GrowingMorphemes(saved, self._network)
        # Compiles what was not compiled yet: now, and not at the first token.
        self.last_tags([SAMPLE], 1)
        self.last_tags_anew([SAMPLE], 1)

    def tag(self, texts: Sequence[str]) -> list[list[stela.Tag]]:
        """Tags of each text; those of morphemes that share a syllable have its span."""
        return [self._tag(text) for text in texts]

    def last_tags_anew(self, texts: Sequence[str], count: int) -> list[Tags]:
        """The last ``count`` > 0 tags of each text."""
        tags: list[Tags] = []
        for start in range(0, len(texts), TEXTS):
            batch = texts[start : start + TEXTS]
            known = self._of_tails(batch, count)
            left = [text for text, one in zip(batch, known, strict=True) if one is None]
            whole = iter(self._whole(left, count))
            tags += [next(whole) if one is None else one for one in known]
        return tags

    def _of_tails(self, texts: Sequence[str], count: int) -> list[Tags | None]:
        """The last tags of texts; ``None`` where they need more than the labels at the last places."""
        rows, tail = len(texts), self._network.tail
        encoded = self._encode_tails(texts, tail)
        late, early = self._network.labels_of_tails(encoded, rows)
        ends = np.arange(1, rows + 1) * tail
        starts = ends - np.minimum(np.fromiter(map(len, texts), np.int64, rows), tail)
        out = np.zeros((rows, min(count, tail), 2), dtype=np.int64)
        late = late.reshape(rows * tail, 2)
        sizes, unsure = last_labels(
            late, early, np.arange(rows), encoded.space, starts, ends, ends - LATE, out
        )
        return tags_of(self._labels, out[:, :, 1], sizes, unsure, count)

    def _whole(self, texts: Sequence[str], count: int) -> list[Tags]:
        """The last tags of texts, all of whose places are computed."""
        if not texts:
            return []
        known = self._lying(texts, [[(0, len(text))] for text in texts], count)
        return [tags for tags in known if tags is not None]

    def _lying(self, texts: Sequence[str], spans: Sequence[Sequence[Span]], count: int) -> list[Tags | None]:
        """The last tags of windows; ``None`` where what stands before one would show in them."""
        longest = max((end - start for start, end in chain.from_iterable(spans)), default=0)
        rows, sizes, unsure = self._last_labels(texts, spans, min(count, longest))
        return tags_of(self._labels, rows[:, :, 1], sizes, unsure, count)

    def _tag(self, text: str) -> list[stela.Tag]:
        rows, sizes, _ = self._last_labels([text], [[(0, len(text))]], len(text))
        begins = rows[0, : sizes[0]][::-1].tolist()
        # A morpheme ends where the next one begins, or before white space.
        ends = [
            begin + len(text[begin:after].rstrip())
            for (begin, _), (after, _) in pairwise([*begins, (len(text), 0)])
        ]
        return [
            stela.Tag(tag, begin, end)
            for (begin, label), end in zip(begins, ends, strict=True)
            for tag in self._labels[label]
        ]

    def _last_labels(
        self, texts: Sequence[str], spans: Sequence[Sequence[Span]], count: int
    ) -> tuple[Ids, Ids, Ids]:
        """Places, within their text, and labels of windows, from the last on: see :func:`last_labels`."""
        encoded = self._encode(texts, self._network.gap)
        offsets = np.repeat(np.array(encoded.starts, dtype=np.int64), [len(each) for each in spans])
        bounds = np.array(list(chain.from_iterable(spans)), dtype=np.int64).reshape(-1, 2)
        starts, ends = bounds[:, 0] + offsets, bounds[:, 1] + offsets
        # Where a window begins with its text nothing stands before it.
        sure_from = np.where(bounds[:, 0] > 0, starts + self._network.reach, 0)
        lasts, row_of = np.unique(np.maximum(ends - 1, 0), return_inverse=True)
        late, early = self._network.labels(encoded, lasts)
        rows = np.zeros((len(starts), count, 2), dtype=np.int64)
        sizes, unsure = last_labels(late, early, row_of.ravel(), encoded.space, starts, ends, sure_from, rows)
        rows[:, :, 0] -= offsets[:, None]
        return rows, sizes, unsure
