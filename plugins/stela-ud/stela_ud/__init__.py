"""Universal parts of speech by spaCy (small models for English, Chinese and Korean come along) and Stanza."""

import stela_core as stela
from stela_ud.spacy_tagger import UdSpacy
from stela_ud.stanza_tagger import UdStanza

__all__ = ["UdSpacy", "UdStanza"]


@stela.hookimpl
def stela_register_taggers() -> list[type[stela.Tagger]]:
    """Register both taggers."""
    return [UdSpacy, UdStanza]
