"""The cache test: a prompt's answers change once the deployment has answered it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from scipy.stats import fisher_exact

from stela_audit.finding import Ask, Finding
from stela_core import StelaError

MEANING = "answers to one prompt change with time: a mark with a memory"


def cache(ask: Ask, prompt: str, queries: int) -> Finding:
    """Whether the first half of the answers to a prompt differs from the second.

    After Gloaguen et al., "Black-Box Detection of Language Model Watermarks" (ICLR 2025), section 4. A mark
    that leaves contexts out that it has seen answers a prompt with the mark first, and without it later.

    Assumption: a plain model's answers are independent draws from one law, at all times.

    Args:
        ask: the deployment; a memory must not be emptied between its calls.
        prompt: one whose answers begin with one of a few words.
        queries: answers to ask for, at least 2.

    Raises:
        StelaError: fewer than 2 queries, or no answer has a word.
    """
    if queries < 2:
        raise StelaError(f"{queries} queries cannot be split in two halves.", "ask for 2 or more")
    half = queries // 2
    before, after = ask(prompt, half), ask(prompt, queries - half)
    p_value = changed([first_word(one) for one in before], [first_word(one) for one in after])
    return Finding("cache", p_value, queries, queries, MEANING)


def changed(before: Sequence[str], after: Sequence[str]) -> float:
    """Two-sided p-value of Fisher's exact test: how often the most frequent answer is given.

    Which one that is depends on both lists together, so the test remains exact.

    Args:
        before: answers, at least 1.
        after: later ones, at least 1.

    Returns:
        float in (0, 1].

    Raises:
        StelaError: a list is empty.
    """
    if not before or not after:
        raise StelaError("there are no answers to compare.", "give one or more on each side")
    counts = Counter([*before, *after])
    most = min(counts, key=lambda word: (-counts[word], word))
    table = [
        [sum(word == most for word in side), sum(word != most for word in side)] for side in (before, after)
    ]
    return float(min(1.0, fisher_exact(table).pvalue))


def first_word(answer: str) -> str:
    """The first word of an answer; of one without words, nothing."""
    return next(iter(answer.split()), "")
