"""What a text may have been before it was copied, pasted or sent: its readings, each tested.

A reading depends only on the text and sees no key, so the p-value of each is valid. Each may use up
a share of alpha, fixed before any colour is looked at, and the smallest p-value over its share is valid, too:
on unmarked text P(min p_i / share_i <= a) <= sum a share_i = a (weighted Bonferroni; docs/statistics.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from stela_core.interfaces import Reading, Readings
from stela_core.registry.components import Registry
from stela_core.text.prefix import token_places
from stela_core.text.tokenizer import AnyTokenizer

AS_IT_IS = "as it is"

FIRST, OTHERS = 0.9, 0.1
"""Shares of alpha: most texts have their mark as they are; one found otherwise is seldom weak."""

IDS_ALONE = Reading(AS_IT_IS, "", "", ids=())
"""Reading of token ids that were given without a text."""

Reader = Callable[[str], list[Reading]]
"""Function from a text to its distinct readings, the text as it is first; it knows no key."""


def as_it_is(text: str) -> list[Reading]:
    """The text itself as its one reading."""
    return [Reading(AS_IT_IS, text, text)]


def reader_of(registry: Registry) -> Reader:
    """The reader that tests a text as it is, and in all other readings that plugins give."""
    kinds = [registry.get(Readings, name) for name in registry.names(Readings)]

    def read(text: str) -> list[Reading]:
        readings = as_it_is(text)
        for other in (other for kind in kinds for other in kind.of(text)):
            if all(other.text != known.text for known in readings):
                readings.append(other)
        return readings

    return read


def shares(count: int) -> list[float]:
    """Share of alpha that each of ``count`` readings of one text may use up, the text as it is first."""
    return [1.0] if count == 1 else [FIRST] + [OTHERS / (count - 1)] * (count - 1)


def with_offsets(reading: Reading, tokenizer: AnyTokenizer) -> Reading:
    """The reading with the places of its tokens."""
    return replace(reading, places=token_places(reading.text, tokenizer))
