"""A tagger to copy: learn universal tags from a treebank of your language."""

import stela_core as stela
from stela_template.tagger import Template

__all__ = ["Template", "stela_register_taggers"]


@stela.hookimpl
def stela_register_taggers() -> type[stela.Tagger]:
    """Register the tagger."""
    return Template
