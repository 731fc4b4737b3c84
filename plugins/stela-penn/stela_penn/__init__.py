"""Penn Treebank tags of English, with a small spaCy model that comes along or any other spaCy model."""

import stela_core as stela
from stela_penn.tagger import Penn

__all__ = ["Penn"]


@stela.hookimpl
def stela_register_taggers() -> type[stela.Tagger]:
    """Register the tagger."""
    return Penn
