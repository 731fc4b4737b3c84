"""Marks of the kind of OpenAI's textGrain (Li et al., technical report, 5 October 2026)."""

from __future__ import annotations

import stela_core as stela
from stela_textgrain.hasher import TextGrainHasher


class TextGrain(stela.SamplingScheme):
    """Tilt keyed blocks of the vocabulary by optimal transport, within a share of the entropy."""

    name = "textgrain"
    paper = "Li et al., OpenAI technical report, 2026"
    hasher = "textgrain"
    strength_range = ("budget", 0.0, 1.0, "divergence_per_key")


@stela.hookimpl
def stela_register_hashers() -> list[type[stela.Hasher]]:
    """Register the hasher."""
    return [TextGrainHasher]


@stela.hookimpl
def stela_register_schemes() -> list[type[stela.Scheme]]:
    """Register the scheme."""
    return [TextGrain]
