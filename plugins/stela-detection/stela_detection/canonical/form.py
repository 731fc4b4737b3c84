"""The canonical form of a text: the same for a text and for what copying and pasting made of it.

It knows no key and no tokenizer. Each step takes linear time. docs/canonical-text.md says what its steps
are, tests/canonical_steps.md has their exact rules, and tests/canonical_vectors.json has texts with their
canonical forms, for other implementations.
"""

from __future__ import annotations

from typing import NamedTuple

from stela_detection.canonical import characters as c
from stela_detection.canonical.draft import Draft, Step
from stela_detection.canonical.escapes import undo_html, undo_json
from stela_detection.canonical.late_pattern import late_pattern
from stela_detection.canonical.lines import (
    UNSPACED,
    unparted,
    unspread,
    unwrapped,
    without_extra_spaces,
    without_quote_marks,
)
from stela_detection.canonical.lookalikes import FOREIGN, latin_lookalikes
from stela_detection.canonical.transfer import undo_misread, undo_percent, undo_quoted_printable

WORK = late_pattern(
    rf"[\\&>%=\n\xc2-\xf4{c.BREAKS}{c.SPACES}{c.FILLERS}{c.CONTROLS}{c.INVISIBLE}{c.COSTUME}{c.UNSURE}{c.SINGLE}"
    f"{FOREIGN}]"
)
SPACED = late_pattern(f" [ {UNSPACED}]|^[^ ] [^ ] ")
"""A text without any of these is canonical."""


class CanonicalText(NamedTuple):
    """A text's canonical form, and the way back."""

    text: str
    steps: tuple[Step, ...]
    """Steps that were taken, as :func:`stela_detection.canonical.draft.in_given` reads them."""


def canonical_text(text: str) -> CanonicalText:
    """The canonical form of any text of well-formed unicode: the same object, where it is canonical."""
    draft = Draft(text)
    if not draft.holds(WORK) and SPACED.search(text) is None:
        return CanonicalText(text, ())
    undo_percent(draft)
    undo_quoted_printable(draft)
    undo_json(draft)
    undo_html(draft)
    undo_misread(draft)
    c.plain_spaces(draft)
    c.without_invisible(draft)
    unspread(draft)
    c.plain_letters(draft)
    c.composed(draft)
    latin_lookalikes(draft)
    without_quote_marks(draft)
    without_extra_spaces(draft)
    unparted(draft)
    unwrapped(draft)
    c.composed(draft)  # an accent on what was a Cyrillic letter, at the beginning of what was a line
    if draft.text == text:
        return CanonicalText(text, ())
    return CanonicalText(draft.text, tuple(draft.steps))
