"""Regular English endings, and the irregular ones that WordNet lists."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

Ending = str
"""``""``, or ``s``, ``ed``, ``ing``."""

ENDINGS: Mapping[str, Sequence[Ending]] = {
    "n": ("", "s"),
    "v": ("", "s", "ed", "ing"),
    "a": ("",),
    "r": ("",),
}
"""The endings that are tried for each part of speech; other forms are not changed."""

_SIBILANT = re.compile(r"(s|x|z|ch|sh)$")
_CONSONANT_Y = re.compile(r"(?<![aeiou])y$")
_DOUBLING = re.compile(r"^[^aeiou]*[aeiou][bdgklmnprt]$")
"""One syllable, one vowel, one consonant: stop, stopped. WordNet lists most others that double."""


def inflect(lemma: str, pos: str, ending: Ending, irregular: Sequence[str] = ()) -> str | None:
    """The form of a lemma, or ``None`` where it has none that is known.

    Args:
        lemma: one word, lower case.
        pos: ``n``, ``v``, ``a`` or ``r``.
        ending: one of :data:`ENDINGS`.
        irregular: forms of the lemma in WordNet's list of exceptions.
    """
    if not ending:
        return lemma
    listed = [form for form in irregular if form.endswith(ending)]
    if listed:
        return listed[0]
    if irregular and (pos == "n" or ending == "ed"):
        return None  # men, went: irregular where the ending would stand
    if ending == "s":
        if _SIBILANT.search(lemma) or (pos == "v" and lemma.endswith("o")):
            return f"{lemma}es"
        return _CONSONANT_Y.sub("ie", lemma) + "s"
    if _DOUBLING.match(lemma):
        lemma += lemma[-1]
    if ending == "ed":
        return f"{lemma}d" if lemma.endswith("e") else _CONSONANT_Y.sub("i", lemma) + "ed"
    if lemma.endswith("ie"):
        return f"{lemma[:-2]}ying"
    if lemma.endswith("e") and not lemma.endswith(("ee", "oe", "ye")) and len(lemma) > 2:
        return f"{lemma[:-1]}ing"
    return f"{lemma}ing"


def stems(form: str, ending: Ending) -> list[str]:
    """What a form may be the regular ending of: candidates, to be checked with :func:`inflect`."""
    if not ending:
        return [form]
    if not form.endswith(ending) or len(form) < len(ending) + 2:
        return []
    stem = form[: -len(ending)]
    candidates = [stem, f"{stem}e"]
    if stem.endswith("e"):  # boxes
        candidates.append(stem[:-1])
    if stem.endswith("ie" if ending == "s" else "i"):  # cities, tried
        candidates.append(stem.removesuffix("e").removesuffix("i") + "y")
    if stem[-1] == stem[-2:-1]:  # stopped
        candidates.append(stem[:-1])
    if ending == "ing" and stem.endswith("y"):  # lying
        candidates.append(f"{stem[:-1]}ie")
    return candidates


def with_capitals(word: str, model: str) -> str:
    """The word in capitals as the model is: ``CITY``, ``City`` or ``city``."""
    if len(model) > 1 and model.isupper():
        return word.upper()
    return word[:1].upper() + word[1:] if model[:1].isupper() else word
