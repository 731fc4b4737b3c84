"""Misspellings that people make: codespell's dictionary, which began as Wikipedia's list of common ones."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from importlib.util import find_spec

import numpy as np
import stela_run
from stela_run.words import Pieces, put_back, share_of

from stela_attacks.edits.each import EachText, ShareParameters
from stela_core import StelaError


class Misspelling(EachText[ShareParameters]):
    """Write a share of the words as people misspell them; where fewer have a misspelling, all of those.

    As in MarkMyWords and HELM (Liang et al., TMLR 2023). Capitals are kept.
    """

    name = "edits-misspelling"
    languages = frozenset({"en"})

    def check(self, preflight: stela_run.Preflight) -> None:
        """Look for the dictionary.

        Raises:
            StelaError: codespell is not installed.
        """
        require_codespell()

    def change(self, text: str, draws: np.random.Generator, circumstances: stela_run.Circumstances) -> str:
        """One text.

        Raises:
            StelaError: codespell is not installed.
        """
        known = misspellings()
        words, gaps = Pieces.of(text)
        able = [at for at, word in enumerate(words) if word.lower() in known]
        for at in draws.permutation(able)[: share_of(self.parameters.share, len(words))].tolist():
            wrong = known[words[at].lower()]
            words[at] = with_capitals(wrong[int(draws.integers(len(wrong)))], words[at])
        return put_back(words, gaps)


def require_codespell() -> None:
    """Check that codespell is installed.

    Raises:
        StelaError: it is not.
    """
    if find_spec("codespell_lib") is None:
        raise StelaError(
            "misspellings come from codespell, which is not installed.",
            'pip install "stela-attacks[misspelling]"',
        )


@cache
def misspellings() -> dict[str, list[str]]:
    """Misspellings that people write for each word in small letters, sorted.

    Raises:
        StelaError: codespell is not installed.
    """
    require_codespell()
    file = files("codespell_lib") / "data" / "dictionary.txt"
    known: dict[str, set[str]] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        wrong, _, right = line.partition("->")
        # A word that may be for several has a comma, and who reads it cannot tell which was meant.
        if right and "," not in right and Pieces.of(right).gaps == ["", ""] == Pieces.of(wrong).gaps:
            known.setdefault(right.lower(), set()).add(wrong.lower())
    return {right: sorted(wrong) for right, wrong in known.items()}


def with_capitals(word: str, like: str) -> str:
    """A word in small letters with the capitals of another."""
    if like.isupper() and len(like) > 1:
        return word.upper()
    return word.capitalize() if like[0].isupper() else word
