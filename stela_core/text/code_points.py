"""Texts as unicode: well-formed, and as arrays of code points, one text behind the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from stela_core.errors import StelaError

Ids = npt.NDArray[np.int64]

OUTSIDE = 0x110000
"""Stands between texts; one more than the last code point."""
WHITE_SPACE = tuple(point for point in range(0x3001) if chr(point).isspace())
"""What ``str.isspace()`` holds for white space."""


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


def code_points(text: str) -> Ids:
    """(n,) code points of ``text``, which holds no lone surrogates."""
    return np.frombuffer(text.encode("utf-32-le"), np.uint32).astype(np.int64)


def laid_out(texts: Sequence[str], gap: int) -> tuple[Ids, list[int]]:
    """(n,) code points of all texts, ``gap`` times ``OUTSIDE`` after each, and where each begins."""
    between = OUTSIDE.to_bytes(4, "little") * gap
    parts = [text.encode("utf-32-le") for text in texts]
    points = np.frombuffer(between.join([*parts, b""]), np.uint32).astype(np.int64)
    sizes = np.fromiter(map(len, parts), np.int64, len(parts)) // 4 + gap
    return points, (np.cumsum(sizes) - sizes).tolist()
