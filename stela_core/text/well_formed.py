"""Refuse texts that are not well-formed unicode."""

from __future__ import annotations

from collections.abc import Sequence

from stela_core.errors import StelaError


def require_well_formed(texts: Sequence[str], what: str = "a text") -> None:
    """Check that texts can be written as UTF-8; call it first in ``tag`` and ``last_tags``.

    Libraries differ on lone surrogates (half of a character cut in two by UTF-16 software): some
    raise, some give a tag, some crash.

    Raises:
        StelaError: a text holds a lone surrogate.
    """
    for text in texts:
        if not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError as error:
                raise StelaError(
                    f"{what} is not well-formed unicode: lone surrogate at character {error.start}.",
                    'read the file with errors="strict" or errors="replace"',
                ) from None
