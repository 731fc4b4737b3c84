"""The character map of SentencePiece, ``Precompiled`` in a ``tokenizer.json``: is it one, and a small one.

Its bytes are the size of a trie in bytes (32 bits, little-endian), the trie's units of 32 bits, and then
the texts that characters become, each with a zero byte at its end (sentencepiece/src/normalizer.cc). The
trie is a double array (Darts-clone): a unit holds the offset to its children in bits 10 to 30, times 256
with bit 9; bit 8 says that it has a value, bit 31 that it is one.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any

import numpy as np
import numpy.typing as npt

MAX_MAP = 2 << 20
"""Bytes; NFKC's has 240 kB."""
MAX_TEXT = 64
"""Bytes that one character may become: 33 in NFKC, for the ligature U+FDFA."""


def check_precompiled(encoded: Any) -> None:
    """Refuse what the library would panic on, and what makes a text much longer.

    Raises:
        ValueError: saying what is wrong.
    """
    if not isinstance(encoded, str) or len(encoded) > MAX_MAP:
        raise ValueError("the character map of a Precompiled is missing or too large")
    try:
        data = base64.b64decode(encoded, validate=True)
        size = int.from_bytes(data[:4], "little")
        texts = data[4 + size :]
        texts.decode()
    except (binascii.Error, UnicodeError):
        raise ValueError("the character map of a Precompiled is corrupt") from None
    if len(data) < 8 or size % 4 or not 4 <= size <= len(data) - 4:
        raise ValueError("the character map of a Precompiled is corrupt")
    if not _stays_inside(np.frombuffer(data, "<u4", size // 4, 4).astype(np.int64), texts):
        raise ValueError("the character map of a Precompiled is corrupt")
    if max(map(len, texts.split(b"\0"))) > MAX_TEXT:
        raise ValueError(f"the character map of a Precompiled writes more than {MAX_TEXT} bytes")


def _stays_inside(units: npt.NDArray[np.int64], texts: bytes) -> bool:
    """Whether no byte leads out of the trie, and every value to the beginning of a character."""
    # A value has no children; but the library starts from the root, whatever it says that it is.
    nodes = np.union1d(np.flatnonzero(units >> 31 == 0), [0])
    inner = units[nodes]
    targets = nodes ^ ((inner >> 10) << ((inner & 512) >> 6))
    if int((targets | 255).max()) >= len(units):
        return False
    values = units[targets[inner & 256 != 0]] & 0x7FFFFFFF
    if not len(values):
        return True
    if int(values.max()) >= len(texts):
        return False
    return bool((np.frombuffer(texts, np.uint8)[values] & 0xC0 != 0x80).all())
