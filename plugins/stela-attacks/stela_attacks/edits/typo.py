"""Typing errors."""

from __future__ import annotations

import numpy as np
import regex
import stela_run
from stela_run.words import Pieces, drawn, put_back

from stela_attacks.edits.each import EachText, ShareParameters

_ROWS = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm")
_CHARACTER = regex.compile(r"\X")


def _neighbours() -> dict[str, str]:
    """Neighbours of each key of a QWERTY keyboard, in its row and the rows above and below, as shifted."""
    keys: dict[str, str] = {}
    for number, row in enumerate(_ROWS):
        for at, key in enumerate(row):
            above = _ROWS[number - 1][at : at + 2] if number else ""
            below = _ROWS[number + 1][max(at - 1, 0) : at + 1] if number + 1 < len(_ROWS) else ""
            keys[key] = row[max(at - 1, 0) : at] + row[at + 1 : at + 2] + above + below
    return keys


NEIGHBOURS = _neighbours()


class Typo(EachText[ShareParameters]):
    """Put one typing error into each of a share of the words.

    It is one of four: a character is left out, put in, replaced or trades places with the next (Damerau, CACM
    1964). A wrong Latin letter or digit is a neighbour of the right one on a QWERTY keyboard. In other
    scripts it is drawn from the text's own characters.
    """

    name = "edits-typo"

    def change(self, text: str, draws: np.random.Generator, circumstances: stela_run.Circumstances) -> str:
        """One text with as many words in error as the share makes."""
        words, gaps = Pieces.of(text)
        others = _CHARACTER.findall("".join(words))
        for at in drawn(self.parameters.share, len(words), draws):
            words[at] = _mistyped(words[at], others, draws)
        return put_back(words, gaps)


def _mistyped(word: str, others: list[str], draws: np.random.Generator) -> str:
    characters = _CHARACTER.findall(word)
    at = int(draws.integers(len(characters)))
    kind = draws.choice(["omission", "insertion", "substitution", "transposition"])
    if kind == "transposition" and at + 1 < len(characters):
        characters[at : at + 2] = characters[at + 1], characters[at]
    elif kind == "omission" and len(characters) > 1:
        del characters[at]
    elif kind == "insertion":
        characters.insert(at, _wrong(characters[at], others, draws))
    else:
        characters[at] = _wrong(characters[at], others, draws)
    return "".join(characters)


def _wrong(right: str, others: list[str], draws: np.random.Generator) -> str:
    keys = NEIGHBOURS.get(right.lower())
    if keys is None:
        return others[int(draws.integers(len(others)))]
    wrong = keys[int(draws.integers(len(keys)))]
    return wrong.upper() if right.isupper() else wrong
