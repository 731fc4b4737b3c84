"""Human text and treebanks as STELA reads them, and short names for text that plugins bring."""

from __future__ import annotations

import logging
from types import ModuleType

import stela_core as stela
from stela_corpora.text_source import TextSource

__all__ = ["TextSource", "stela_add_hooks"]

logging.getLogger(__name__).addHandler(logging.NullHandler())


@stela.hookimpl
def stela_add_hooks() -> ModuleType:
    """Add the hook of text sources."""
    from stela_corpora import hookspecs

    return hookspecs
