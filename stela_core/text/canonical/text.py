"""The canonical form of a text: the same for a text and for what copying and pasting made of it.

It knows no key and no tokenizer. Each step takes linear time. docs/canonical-text.md is the definition, and
tests/text/canonical_vectors.json has texts with their canonical forms, for other implementations.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from stela_core.text.canonical import characters as c
from stela_core.text.canonical.draft import Draft, Step
from stela_core.text.canonical.escapes import undo_html, undo_json
from stela_core.text.canonical.lines import unwrapped, without_extra_spaces, without_quote_marks
from stela_core.text.canonical.lookalikes import FOREIGN, latin_lookalikes

WORK = re.compile(
    rf"[\\&>\n{c.BREAKS}{c.SPACES}{c.CONTROLS}{c.INVISIBLE}\u200c\u200d{c.SELECTORS}{c.COSTUME}{c.UNSURE}{c.SINGLE}"
    f"{FOREIGN}]"
)
"""A text without any of these, and without two spaces in a row, is canonical."""


@dataclass(frozen=True, slots=True)
class CanonicalText:
    """A text's canonical form, and the way back."""

    text: str
    steps: tuple[Step, ...]
    """For :func:`stela_core.text.canonical.draft.in_given`."""


def canonical_text(text: str) -> CanonicalText:
    """The canonical form of any text of well-formed unicode: the same object, where it is canonical."""
    draft = Draft(text)
    if not draft.holds(WORK) and "  " not in text:
        return CanonicalText(text, ())
    undo_json(draft)
    undo_html(draft)
    c.plain_spaces(draft)
    c.without_invisible(draft)
    c.plain_letters(draft)
    c.composed(draft)
    latin_lookalikes(draft)
    without_quote_marks(draft)
    without_extra_spaces(draft)
    unwrapped(draft)
    c.composed(draft)  # an accent on what was a Cyrillic letter, at the beginning of what was a line
    if draft.text == text:
        return CanonicalText(text, ())
    return CanonicalText(draft.text, tuple(draft.steps))
