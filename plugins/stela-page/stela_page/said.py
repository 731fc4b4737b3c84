"""What the page says, for pages that are made in Python: its English words, and p-values as odds.

The rules are those of ``web/page/odds.ts`` and ``web/page/filled.ts``.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any

RAREST = 1e-9
"""Odds beyond 1 in a billion mean nothing to a reader: p itself stands next to them."""

LIKELY = 0.8
"""Share of marked texts like it from which a text is not short, as for the table of ``stela detect``."""

LARGE = ((9, "billion"), (6, "million"))
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@cache
def words() -> Mapping[str, Any]:
    """The page's English words by their names."""
    read: dict[str, Any] = json.loads((files("stela_page") / "built/en.json").read_text(encoding="utf-8"))
    return read


def filled(name: str, **values: object) -> str:
    """A sentence of the page; ``{name}`` in it stands for the value of that name."""
    sentence: str = words()[name]
    return re.sub(r"\{(\w+)\}", lambda gap: str(values.get(gap[1], gap[0])), sentence)


def share_of(power: float) -> str:
    """How many of marked texts like one are found, in tenths; empty where they are :data:`LIKELY`."""
    tenths = round(10 * power)
    if power >= LIKELY:
        return ""
    return f"≈\u00a0{tenths}0%" if tenths else "<\u00a010%"


def rounded_down(p: float) -> tuple[int, int]:
    """D and e of the largest ``d * 10**e``, d from 1 to 9, with p <= 1 / (d * 10**e)."""
    bounded = min(1.0, max(p, 5e-324))
    exponent = max(0, math.floor(-math.log10(bounded)))

    def scaled(power: int) -> float:
        # 1/p may be beyond the largest number: p times the power, in two steps, is not.
        return float(bounded * 10.0 ** min(power, 300) * 10.0 ** max(0, power - 300))

    while exponent > 0 and scaled(exponent) > 1:
        exponent -= 1
    while scaled(exponent + 1) <= 1:
        exponent += 1
    digit = next(digit for digit in range(9, 0, -1) if digit == 1 or digit * scaled(exponent) <= 1)
    return digit, exponent


def one_in(p: float) -> str:
    """``1/p`` with one digit that counts, rounded down, and at most a billion: as ``4 million``."""
    digit, exponent = rounded_down(max(p, RAREST))
    for power, name in LARGE:
        if exponent >= power:
            return f"{digit * 10 ** (exponent - power)} {name}"
    return f"{digit * 10**exponent:,}"


def in_digits(p: float) -> str:
    """The number itself in three digits: as ``0.042``, or ``1.32 × 10⁻²³``."""
    if p >= 1e-4:
        return f"{p:.3g}"
    digits, power = f"{p:.2e}".split("e")
    return f"{digits} × 10{str(int(power)).translate(SUPERSCRIPT)}"


def at_most(bound: float) -> str:
    """A bound in one digit, rounded up: as ``0.002``, or ``8 × 10⁻³⁸``."""
    digits, power = f"{Decimal(repr(bound)):e}".split("e")
    first, exponent = int(digits[0]) + (Decimal(digits) % 1 > 0), int(power)
    if first == 10:
        first, exponent = 1, exponent + 1
    if exponent >= -4:
        return f"{first * 10.0**exponent:.1g}"
    return f"{first} × 10{str(exponent).translate(SUPERSCRIPT)}"


def odds_of_none(p: float) -> str:
    """The sentence that goes with a verdict of "no mark found"."""
    if p > 0.5:
        return filled("mostOdds")
    if p >= 0.01:
        return filled("commonOdds", n=math.ceil(p * 100))
    return filled("rareOdds", odds=one_in(p))


def odds_cell(p: float) -> str:
    """The same in a cell of a table."""
    if p >= 0.01:
        return filled("shareCell", n=min(100, math.ceil(p * 100)))
    return filled("rarestCell" if p < RAREST else "oddsCell", odds=one_in(p))


LANGUAGES = {
    "ar": "Arabic",
    "de": "German",
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "hi": "Hindi",
    "id": "Indonesian",
    "ja": "Japanese",
    "ko": "Korean",
    "pt": "Portuguese",
    "ru": "Russian",
    "tr": "Turkish",
    "vi": "Vietnamese",
    "zh": "Chinese",
}


def language_name(code: str) -> str:
    """A language as a reader calls it; its code where the name is not known here."""
    return LANGUAGES.get(code, code)
