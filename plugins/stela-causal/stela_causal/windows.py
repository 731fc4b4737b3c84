"""Windows of texts, each tagged as it would be by itself: at one pass over a text, or as one that grows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from stela_causal.growing import Growing, Tags

SPANS = 4_096
"""Windows of one text that are looked at together."""

Span = tuple[int, int]


class Windows(ABC):
    """What a causal tagger's ``last_tags`` and ``last_tags_within`` are, given its passes over texts."""

    growing: Growing | None = None
    """What knows the texts that windows go on from."""

    def last_tags(self, texts: Sequence[str], count: int) -> list[Tags]:
        """The last ``count`` > 0 tags of each text: of one that goes on from one before, by what is new."""
        tags = None if self.growing is None else self.growing.last_tags(texts, count)
        return self.last_tags_anew(texts, count) if tags is None else tags

    @abstractmethod
    def last_tags_anew(self, texts: Sequence[str], count: int) -> list[Tags]:
        """What :meth:`last_tags` returns, computed only from the texts' characters."""

    @abstractmethod
    def _lying(self, texts: Sequence[str], spans: Sequence[Sequence[Span]], count: int) -> list[Tags | None]:
        """The last tags of windows, text after text; ``None`` where what stands before one would show in
        them, which is not a rule but looked at for each.
        """

    def last_tags_within(
        self, texts: Sequence[str], spans: Sequence[Sequence[Span]], count: int
    ) -> list[list[Tags]]:
        """The last ``count`` > 0 tags of windows of texts."""
        tags: list[list[Tags]] = []
        for text, each in zip(texts, spans, strict=True):
            of_text: list[Tags] = []
            for start in range(0, len(each), SPANS):
                of_text += self._of_one(text, each[start : start + SPANS], count)
            tags.append(of_text)
        return tags

    def _of_one(self, text: str, spans: Sequence[Span], count: int) -> list[Tags]:
        first, last = min(start for start, _ in spans), max(end for _, end in spans)
        known = self._lying([text[first:last]], [[(a - first, b - first) for a, b in spans]], count)
        left = [text[a:b] for (a, b), tags in zip(spans, known, strict=True) if tags is None]
        alone = iter(self.last_tags_anew(left, count))
        return [next(alone) if tags is None else tags for tags in known]
