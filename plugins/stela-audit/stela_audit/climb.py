"""Forging by a detector's answers: change a word, ask, keep what looks no less marked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import floor, log10
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from stela_core import StelaError

Answers: TypeAlias = Literal["full", "coarse", "yes-no"]
"""What a detector tells: the p-value, its power of ten, or whether it is small enough."""

TARGET = 1e-4
"""The p-value at which a text counts as forged."""

_COMMON = (
    "the of and to in is was that for it with as his on be at by had not are but from or have an they "
    "which one you were her all she there would their we him been has when who will more no if out so "
    "said what up its about into than them can only other new some could time these two may then do "
    "first any my now such like our over man me even most made after also did many before must through "
    "back years where much your way well down should because each just those people how too little "
    "state good very make world still own see men work long get here between both life being under "
    "never day same another know while last might us great old year off come since against go came "
    "right used take three house water city school book light river garden road night winter paper "
    "music letter window family market village teacher doctor summer "
)

WORDS = tuple(_COMMON.split())
"""Common words of English."""


class Climb(NamedTuple):
    """How far the attacker came."""

    queries: int
    """Texts that the detector was asked about."""
    p_value: float
    """p-value of the last text that was kept."""
    text: str
    """The last text that was kept."""


def told(p_value: float, answers: Answers, alpha: float) -> float:
    """What the attacker can order texts by; larger is more marked.

    Args:
        p_value: in [0, 1].
        answers: what the detector tells.
        alpha: largest p-value that is called watermarked.
    """
    if answers == "yes-no":
        return float(p_value <= alpha)
    evidence = -log10(max(p_value, 1e-300))
    return evidence if answers == "full" else float(floor(evidence + 1e-9))


def climb(
    detect: Callable[[str], float],
    answers: Answers,
    draws: np.random.Generator,
    words: Sequence[str] = WORDS,
    length: int = 20,
    target: float = TARGET,
    most: int = 10_000,
    alpha: float = 0.001,
) -> Climb:
    """Start from random words and change one at a time, until a text has the target's p-value.

    A change is kept where the answer is no worse, so equal answers let the text drift. After the sensitivity
    attack (Linnartz and van Dijk, Information Hiding 1998), which removes a mark of an image by such answers.

    Args:
        detect: the p-value of a text; the attacker sees what ``answers`` leaves of it.
        answers: what the detector tells.
        draws: of the words.
        words: at least 2.
        length: words of the text, at least 1.
        target: in (0, 1].
        most: queries, at least 1.
        alpha: largest p-value that the detector calls watermarked.

    Raises:
        StelaError: an argument is out of its range.
    """
    if len(words) < 2 or length < 1 or most < 1 or not 0 < target <= 1:
        raise StelaError(
            f"{len(words)} words, length {length}, {most} queries, target {target:g}: too few.",
            "give 2 words, 1 word of length, 1 query or more, and a target above 0",
        )
    chosen = [words[n] for n in draws.integers(len(words), size=length)]
    p_value = detect(" ".join(chosen))
    best = told(p_value, answers, alpha)
    queries = 1
    while p_value > target and queries < most:
        place = int(draws.integers(length))
        tried = [*chosen]
        tried[place] = words[int(draws.integers(len(words)))]
        tried_p = detect(" ".join(tried))
        queries += 1
        answer = told(tried_p, answers, alpha)
        if answer >= best:
            chosen, best, p_value = tried, answer, tried_p
    return Climb(queries, p_value, " ".join(chosen))
