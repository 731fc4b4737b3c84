"""Text of users and models, fit for HTML and SVG."""

from __future__ import annotations

import re

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def clean(text: object) -> str:
    """The text with what XML and UTF-8 cannot hold as U+FFFD; escaping is left to the writer."""
    return _FORBIDDEN.sub("\ufffd", str(text))


def slug(*parts: object) -> str:
    """A file name or id of letters, digits and ``. _ = + -``, at most 100 long."""
    return (
        re.sub(r"[^A-Za-z0-9._=+-]+", "-", "-".join(str(part) for part in parts if part != "")).strip("-.")[
            :100
        ]
        or "it"
    )
