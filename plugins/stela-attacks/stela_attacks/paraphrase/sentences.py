"""Sentences of a text, without any data to download."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from stela_core.api import require

if TYPE_CHECKING:
    from nltk.tokenize.punkt import PunktSentenceTokenizer

ABBREVIATIONS = frozenset(
    """
    mr mrs ms dr prof sr jr st rev hon gen col maj capt lt sgt gov sen rep pres etc vs al e.g i.e cf viz ca
    approx inc ltd co corp bros dept univ est fig figs eq no nos vol vols pp ed eds jan feb mar apr jun jul
    aug sep sept oct nov dec mon tue wed thu fri sat sun u.s u.k u.n a.m p.m ph.d b.c a.d d.c
    """.split()  # noqa: SIM905
)
"""English abbreviations after which a full stop ends no sentence."""

_FULL_WIDTH = re.compile(r"[^。！？]*[。！？]+[”’」』）]*|[^。！？]+")


def sentences(text: str) -> list[str]:
    """The sentences in their order, white space around them left out; none is empty.

    NLTK's Punkt (Kiss and Strunk 2006) with a fixed list of abbreviations in place of a trained model,
    and full-width stops, after which no space is written.
    """
    split = []
    for part in _FULL_WIDTH.findall(text):
        split += [sentence.strip() for sentence in _punkt().tokenize(part)]
    return [sentence for sentence in split if sentence]


def require_nltk(attack: str) -> None:
    """Find out whether NLTK is installed, which cuts texts into sentences.

    Raises:
        MissingLibraryError: it is not.
    """
    require("nltk", f'attack "{attack}"', '"stela-attacks[paraphrase]"')


def windows(text: str, size: int) -> list[str]:
    """Runs of ``size`` sentences, joined by a space; the last may be shorter."""
    split = sentences(" ".join(text.split()))
    return [" ".join(split[start : start + size]) for start in range(0, len(split), size)]


@lru_cache(maxsize=1)
def _punkt() -> PunktSentenceTokenizer:
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

    parameters = PunktParameters()
    parameters.abbrev_types = set(ABBREVIATIONS)
    return PunktSentenceTokenizer(parameters)
