"""The canonical form of large ``tokenizer.json`` files that were read on this machine, by their SHA-256.

To read and write one of 262,144 tokens takes 4 s. The file ``tokenizer-files`` in the user's folder of state
names the SHA-256 of each file's canonical form, ``canonical-SHA-256`` holds it, deflated.
"""

from __future__ import annotations

import hashlib
import re
import zlib

from stela_core.api import keep
from stela_detection.quickstart.remembered import checker, read_kept, read_lines, write_lines

FILE = "tokenizer-files"
FORM, MOST_FORMS = "canonical", 8
MAX_PACKED, MAX_FORM = 32 << 20, 64 << 20
"""Bytes: deflated, and as in a profile."""

_LINE = re.compile(r"([0-9a-f]{64}) ([0-9a-f]{64}) (\S+)")


def canonical_of_file(digest: str) -> bytes | None:
    """What these versions wrote of a file before, else ``None``.

    Args:
        digest: SHA-256 of the file ``tokenizer.json``, computed from its bytes.
    """
    for line in map(_LINE.fullmatch, read_lines(FILE)):
        if line and line[1] == digest and line[3] == checker():
            return _unpacked(line[2])
    return None


def remember_canonical(digest: str, data: bytes) -> None:
    """Remember the canonical form of a file, if this can be written."""
    form = hashlib.sha256(data).hexdigest()
    packed = zlib.compress(data, 1)
    if len(packed) <= MAX_PACKED and keep(FORM, form, packed, MOST_FORMS):
        kept = [line for line in read_lines(FILE) if _LINE.fullmatch(line) and not line.startswith(digest)]
        write_lines(FILE, [*kept, f"{digest} {form} {checker()}"])


def _unpacked(form: str) -> bytes | None:
    """The canonical form of a SHA-256, if it was kept and is still that."""
    packed = read_kept(f"{FORM}-{form}", MAX_PACKED)
    if packed is None:
        return None
    try:
        data = zlib.decompressobj().decompress(packed, MAX_FORM)
    except zlib.error:
        return None
    return data if hashlib.sha256(data).hexdigest() == form else None
