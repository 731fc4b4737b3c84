"""Scrubbing: how many words of a marked text change until its mark is not found, by access to a detector.

Without a detector words change blindly. With its answers a change is kept where the text looks no more
marked, and at the end each change that was not needed is taken back (the sensitivity attack of Linnartz and
van Dijk, Information Hiding 1998; kinds of access as in TextSeal's ``README_attack.md``, 2026). With
the key an attacker tests every word, and changes the one that carries most.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from stela_audit.climb import WORDS, Answers, told
from stela_core import StelaError

Access: TypeAlias = Literal["none", "yes-no", "coarse", "full", "key"]
"""What the attacker has: nothing, one kind of answers of a detector, or the profile and its key."""

Detect: TypeAlias = Callable[[str], float]
"""The p-value of a text."""


class Scrubbed(NamedTuple):
    """What became of a text."""

    changed: int
    """Words that are others than in the marked text."""
    words: int
    """Words of the text."""
    queries: int
    """Texts that the detector was asked about."""
    p_value: float
    """p-value of the changed text."""
    text: str
    """The changed text."""


def scrub(
    text: str,
    detect: Detect,
    access: Access,
    draws: np.random.Generator,
    words: Sequence[str] = WORDS,
    most: int = 5_000,
    alpha: float = 0.001,
) -> Scrubbed:
    """Change words of a text until its p-value is above ``alpha``.

    Args:
        text: marked; its words are what white space separates.
        detect: the p-value of a text; the attacker sees what ``access`` leaves of it.
        access: what the attacker has.
        draws: of places and words.
        words: what may stand in a word's place, at least 2.
        most: queries after which the attacker gives up, at least 1.
        alpha: largest p-value that the detector calls watermarked.

    Raises:
        StelaError: the text has no word, or an argument is out of its range.
    """
    before = text.split()
    if not before or len(words) < 2 or most < 1:
        raise StelaError(
            f"{len(before)} words of text, {len(words)} to put in, {most} queries: too little to scrub with.",
            "give a text, 2 words and 1 query or more",
        )
    attacker = _Attacker(before, detect, draws, words, most, alpha)
    if access == "none":
        after = attacker.blindly()
    elif access == "key":
        after = attacker.by_key()
    else:
        after = attacker.by_answers(access)
    changed = sum(one != other for one, other in zip(before, after, strict=True))
    joined = " ".join(after)
    queries = 0 if access in ("none", "key") else attacker.queries
    return Scrubbed(changed, len(before), queries, detect(joined), joined)


class _Attacker:
    def __init__(
        self,
        before: list[str],
        detect: Detect,
        draws: np.random.Generator,
        words: Sequence[str],
        most: int,
        alpha: float,
    ) -> None:
        self.before, self.detect, self.draws, self.words = before, detect, draws, words
        self.most, self.alpha = most, alpha
        self.queries = 0

    def ask(self, words: list[str]) -> float:
        """The p-value of a text, counted."""
        self.queries += 1
        return self.detect(" ".join(words))

    def other(self, word: str) -> str:
        """A word that is not this one."""
        while (drawn := self.words[int(self.draws.integers(len(self.words)))]) == word:
            pass
        return drawn

    def blindly(self) -> list[str]:
        """Words change in a random order; how many had to is seen by whoever has the detector."""
        now = [*self.before]
        for place in self.draws.permutation(len(now)).tolist():
            now[place] = self.other(now[place])
            if self.ask(now) > self.alpha:
                break
        return now

    def by_answers(self, answers: Answers) -> list[str]:
        """A change is kept where the answer is no worse; then what can go back goes back."""
        now, p_value = [*self.before], self.ask(self.before)
        best = told(p_value, answers, self.alpha)
        while p_value <= self.alpha and self.queries < self.most:
            place = int(self.draws.integers(len(now)))
            tried = [*now]
            tried[place] = self.other(now[place])
            p_tried = self.ask(tried)
            answer = told(p_tried, answers, self.alpha)
            if answer <= best:
                now, best, p_value = tried, answer, p_tried
        if p_value > self.alpha:
            for place in self.draws.permutation(len(now)).tolist():
                if now[place] != self.before[place] and self.queries < self.most:
                    tried = [*now]
                    tried[place] = self.before[place]
                    if self.ask(tried) > self.alpha:
                        now = tried
        return now

    def by_key(self) -> list[str]:
        """Change words one by one: of a drawn word at each place, the one that leaves the largest p-value."""
        now, p_value = [*self.before], self.ask(self.before)
        left = set(range(len(now)))
        while p_value <= self.alpha and left:
            options = []
            for place in sorted(left):
                tried = [*now]
                tried[place] = self.other(now[place])
                options.append((self.ask(tried), place, tried))
            p_value, place, now = max(options)
            left.remove(place)
        return now
