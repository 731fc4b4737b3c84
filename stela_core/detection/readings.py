"""What a text may have been before it was copied, pasted or sent: its readings, each tested.

A reading is a function of the text alone and sees no key, so the p-value of each is valid. Each may use up
a share of alpha, fixed before any colour is looked at, and the smallest p-value over its share is valid, too:
on unmarked text P(min p_i / share_i <= a) <= sum a share_i = a (weighted Bonferroni; docs/statistics.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from stela_core.text.canonical.draft import Points, Step, in_given
from stela_core.text.canonical.sentence_case import in_sentence_case
from stela_core.text.canonical.text import canonical_text
from stela_core.text.late_tokenizer import AnyTokenizer
from stela_core.text.prefix import token_places

AS_IT_IS = "as it is"
CANONICAL = "canonical"
SENTENCE_CASE = "in sentence case"

FIRST, OTHERS = 0.9, 0.1
"""Shares of alpha: most texts bear their mark as they are; one found otherwise is seldom weak."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a text."""

    name: str
    """What a detection says of it."""
    text: str
    """What is tested."""
    given: str
    """The text as it was given."""
    steps: tuple[Step, ...] = ()
    """What made the one of the other, where lengths changed."""
    ids: Sequence[int] | None = None
    """Token ids of :attr:`text`; ``None`` for those that the tokenizer gives."""
    places: Sequence[int] | None = None
    """Where its tokens begin, and its length; ``None`` where the bytes of the tokens say it."""

    def in_given(self, points: Points) -> Points:
        """Where boundaries between characters of :attr:`text` lie in :attr:`given`, (n,), ascending."""
        return in_given(points, self.steps)


IDS_ALONE = Reading(AS_IT_IS, "", "", ids=())
"""Of token ids that are all that was given."""

Reader = Callable[[str], list[Reading]]
"""From a text to its readings, the text as it is first, none twice; it knows no key."""


def as_it_is(text: str) -> list[Reading]:
    """The text itself alone."""
    return [Reading(AS_IT_IS, text, text)]


def readings_of(text: str) -> list[Reading]:
    """The text itself, and, where they are other texts, its canonical form and that in sentence case."""
    canonical = canonical_text(text)
    readings = [Reading(AS_IT_IS, text, text)]
    if canonical.text != text:
        readings.append(Reading(CANONICAL, canonical.text, text, canonical.steps))
    cased = in_sentence_case(canonical.text)
    if cased != canonical.text:
        readings.append(Reading(SENTENCE_CASE, cased, text, canonical.steps))
    return readings


def shares(count: int) -> list[float]:
    """What part of alpha each of so many readings of one text may use up, the text as it is first."""
    return [1.0] if count == 1 else [FIRST] + [OTHERS / (count - 1)] * (count - 1)


def located(reading: Reading, tokenizer: AnyTokenizer) -> Reading:
    """The reading with the places of its tokens."""
    return replace(reading, places=token_places(reading.text, tokenizer))
