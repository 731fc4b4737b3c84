"""Contractions of English."""

from __future__ import annotations

import re
from typing import Literal

import numpy as np
import stela_run

import stela_core as stela
from stela_attacks.edits.each import EachText

_BEFORE_NOT = (
    *("are", "is", "was", "were", "do", "does", "did", "have", "has", "had"),
    *("could", "must", "need", "should", "would"),
)
SHORT = {
    **{f"{verb} not": f"{verb}n't" for verb in _BEFORE_NOT},
    "cannot": "can't",
    "will not": "won't",
    "i am": "i'm",
    "let us": "let's",
    **{f"{who} are": f"{who}'re" for who in ("you", "we", "they")},
    **{f"{who} have": f"{who}'ve" for who in ("i", "you", "we", "they")},
    **{f"{who} will": f"{who}'ll" for who in ("i", "you", "he", "she", "it", "we", "they")},
    **{f"{who} is": f"{who}'s" for who in ("he", "she", "it", "that", "there", "what", "who", "where")},
}
"""Long forms and their short ones. ``'d`` is left out: it is *had* or *would*."""

LONG = {short: long for long, short in SHORT.items()}


class ContractionParameters(stela.Parameters):
    """Which way."""

    to: Literal["short", "long"] = "short"
    """``do not`` becomes ``don't``, or the other way round."""


class Contraction(EachText[ContractionParameters]):
    """Write every long form as its contraction, or every contraction as its long form."""

    name = "edits-contraction"
    languages = frozenset({"en"})

    def change(self, text: str, draws: np.random.Generator, circumstances: stela_run.Circumstances) -> str:
        """One text; capitals are kept, nothing is drawn. ``it's`` is read as ``it is``."""
        return _SHORTENED.sub(_other, text) if self.parameters.to == "short" else _EXPANDED.sub(_other, text)


def _any_of(forms: dict[str, str]) -> re.Pattern[str]:
    longest_first = sorted(forms, key=len, reverse=True)
    pattern = "|".join(form.replace(" ", " +").replace("'", "['’]") for form in longest_first)
    return re.compile(rf"(?<!\w)(?a:{pattern})(?!\w)", re.IGNORECASE)


_SHORTENED, _EXPANDED = _any_of(SHORT), _any_of(LONG)


def _other(match: re.Match[str]) -> str:
    form = " ".join(match.group().replace("’", "'").split())
    other = SHORT.get(form.lower()) or LONG[form.lower()]
    return other.upper() if form.isupper() else form[0] + other[1:]
