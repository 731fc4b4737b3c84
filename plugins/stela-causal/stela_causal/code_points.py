"""Texts as code points, one behind the other, for taggers that read many in one pass."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int64]

OUTSIDE = 0x110000
"""The number that stands between texts: one more than the last code point."""
WHITE_SPACE = tuple(point for point in range(0x3001) if chr(point).isspace())
"""The code points that ``str.isspace()`` takes for white space."""


def code_points(text: str) -> Ids:
    """The code points of ``text``, (n,); it holds no lone surrogates."""
    return np.frombuffer(text.encode("utf-32-le"), np.uint32).astype(np.int64)


def laid_out(texts: Sequence[str], gap: int) -> tuple[Ids, list[int]]:
    """The code points of all texts, (n,), ``gap`` times ``OUTSIDE`` after each, and where each begins."""
    between = OUTSIDE.to_bytes(4, "little") * gap
    parts = [text.encode("utf-32-le") for text in texts]
    points = np.frombuffer(between.join([*parts, b""]), np.uint32).astype(np.int64)
    sizes = np.fromiter(map(len, parts), np.int64, len(parts)) // 4 + gap
    return points, (np.cumsum(sizes) - sizes).tolist()
