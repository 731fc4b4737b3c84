"""Freedom: how much of the mark that free text would take the texts of a model take, as measured.

``python -m benchmarks.freedom`` measures it, at temperature 0.7; docs/detecting.md has the figures. It
differs from model to model more than from scheme to scheme. A profile does not name its model, but its
tokenizer tells: where that is not one of those below, it is taken to lie between them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from stela_core.profile.schema import Profile


class Freedom(NamedTuple):
    """Of the texts of a model, or of several."""

    mean: float
    """Over texts."""
    spread: float
    """Standard deviation over texts."""


class Freedoms(NamedTuple):
    """By what is known of a token."""

    alike: Freedom
    """Nothing: of the gain of a model that is sure of nothing."""
    by_weights: Freedom
    """What the weights say (learned tables, a model's gains): of the gain that they say."""


ANY = Freedoms(Freedom(0.9, 0.15), Freedom(0.97, 0.15))
"""Of a model that was not measured: between those below, with the spread of both."""

TINY = "6f197b1da520553a30dd0ef6b153930723b240c1c973d6e17a69446cf35a8e8f"
"""SHA-256 of the tokenizer of the embedded model in a profile."""

GEMMA = "3feec3979045060298b8b97ba30d8f0a98e63c852e95dc44fe34874a2b2aacf2"
"""Of Gemma 3 270M, as ``scripts/real_model.py`` saves it."""

MEASURED: Mapping[tuple[str, str], Freedoms] = {
    (TINY, "en"): Freedoms(Freedom(0.98, 0.06), Freedom(1.05, 0.06)),
    (TINY, "ko"): Freedoms(Freedom(1.02, 0.06), Freedom(0.93, 0.06)),
    (TINY, "zh"): Freedoms(Freedom(1.02, 0.06), ANY.by_weights),
    (GEMMA, "en"): Freedoms(Freedom(0.82, 0.1), Freedom(0.85, 0.1)),
}
"""By tokenizer and language."""


def freedoms_of(profile: Profile) -> Freedoms:
    """What is known of the model that a profile was made for."""
    return MEASURED.get((profile.tokenizer_sha256, profile.language or ""), ANY)
