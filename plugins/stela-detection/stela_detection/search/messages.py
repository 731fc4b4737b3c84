"""A text under several messages: which its parts may hold, its evidence under each, what a window names.

Which messages are tried may depend on the text in any way: p-values of windows are times the number of all
messages that there are, so they hold for every message and window at once (union bound).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from stela_core import Message
from stela_core.api import Composition, Evidence
from stela_detection.search.windows import SHORTEST, Candidate

LONGEST_PART = 1024
"""Scored tokens of the longest part that is read by itself: a longer passage holds such a part."""

MOST_TRIED = 16
"""Messages that are tried in one text, besides that of the whole."""


class Carried:
    """What one text holds of messages.

    Args:
        evidence: of at least one scored token, under the message that fits the whole text best.
        composition: with the key, and an encoder.
    """

    def __init__(self, evidence: Evidence, composition: Composition) -> None:
        encoder = composition.encoder
        assert encoder is not None
        assert evidence.message is not None
        self._evidence = evidence
        self._encoder: Any = encoder
        self._whole: Any = evidence.message
        mark = composition.hasher
        contexts, tokens = evidence.hashed(mark)
        self._text = encoder.scored(
            mark,
            mark.seeds(contexts),
            tokens,
            evidence.weights,
            evidence.groups,
            composition.scorer,
        )

    def under(self, message: int) -> Evidence:
        """The evidence of all tokens under this message."""
        if message == self._whole.value:
            return self._evidence
        mark, seeds, tokens, *_ = self._text
        green, draws = mark.colours(self._encoder.seeds(seeds, message, mark.key), tokens)
        carried = replace(self._whole, value=message)
        return replace(self._evidence, green=green, draws=draws, message=carried, whole=None)

    def best(self, start: int, end: int) -> int:
        """The message that fits the scored tokens ``start .. end - 1`` best."""
        best: int = self._encoder.best(self._text.part(start, end))
        return best

    def named(self, message: int, window: Candidate) -> Message | None:
        """What is sure of a message in a window, both chosen in any way.

        Bounds are over the window's share of the error rate, so they hold for all windows at once. That
        share is one of p-values, and has the number of messages in it.
        """
        times = 1 / (window.share * self._evidence.choices)
        named: Message | None = self._encoder.sure_of(
            self._text.part(window.start, window.end), message, times
        )
        return named

    def likely(self) -> list[int]:
        """The message of the whole, and those that parts of the text may hold, the best first.

        A part adds its own where that explains it better than those before by more than their number.
        """
        known, choices = [self._whole.value], self._encoder.choices
        for own, message, start, end in sorted(self._of_parts()):
            if choices * own > 1 or len(known) > MOST_TRIED:
                break
            if message not in known and choices * own < min(self._p(each, start, end) for each in known):
                known.append(message)
        return known

    def _of_parts(self) -> Iterator[tuple[float, int, int, int]]:
        """p-value, best message and place of each part: lengths double, and half of it lies between two."""
        count, length, parts = len(self._text.tokens), SHORTEST, list[tuple[int, int]]()
        while length <= min(count, LONGEST_PART):
            parts += [(start, start + length) for start in range(0, count - length + 1, length // 2)]
            length *= 2
        read = self._encoder.best_of_parts(self._text, parts)
        for message, (start, end) in zip(read, parts, strict=True):
            yield self._p(message, start, end), message, start, end

    def _p(self, message: int, start: int, end: int) -> float:
        """The scorer's p-value of a part under a message."""
        part = self._text.part(start, end)
        signals = part.signals(self._encoder.seeds(part.seeds, message, part.mark.key))
        return float(part.scorer.score_signals(signals).p_value)
