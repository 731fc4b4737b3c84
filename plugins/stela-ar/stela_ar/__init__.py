"""Arabic words with universal part-of-speech tags; ships a model and tables for k = 2, 3 and 4."""

from pathlib import Path

from stela_causal.tagger import CausalTagger

import stela_core as stela

__all__ = ["Arabic", "stela_register_taggers"]


class Arabic(CausalTagger):
    """Arabic, by a small network that looks left only."""

    name = language = "ar"
    unit = "word"
    window = 8
    version = "0.1.0"
    folder = Path(__file__).parent


@stela.hookimpl
def stela_register_taggers() -> type[stela.Tagger]:
    """Register the tagger."""
    return Arabic
