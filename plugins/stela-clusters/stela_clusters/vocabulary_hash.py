"""Whether two vocabularies have the same ids: for files that speak of token ids."""

from __future__ import annotations

import hashlib

from stela_core.api import Vocabulary


def vocabulary_hash(tokens: Vocabulary) -> str:
    """SHA-256 (64 hex digits) of all ids' bytes in order, each with its length.

    Special tokens count only by their place: they have no bytes.
    """
    digest = hashlib.sha256()
    for index in range(len(tokens)):
        content = tokens[index]
        digest.update(len(content).to_bytes(4, "little") + content)
    return digest.hexdigest()
