"""Large tokenizers that were found safe on this machine, by their SHA-256: to check one takes a second.

The file ``tokenizers`` lies in the user's folder of state, and the index of each (:mod:`.token_index`), by
which a short text is cut without reading the tokenizer, which takes as long.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from typing import Any

from tokenizers import Tokenizer

from stela_core.api import TokenBytes, keep
from stela_detection.quickstart.index_building import index_of
from stela_detection.quickstart.late_tokenizer import LateTokenizer
from stela_detection.quickstart.remembered import checker, read_kept, read_lines, write_lines
from stela_detection.quickstart.token_index import MAX_INDEX, TokenIndex

FILE = "tokenizers"
INDEX, MOST_INDEXES = "tokenizer", 8
"""Files ``tokenizer-SHA-256``: 13 MB for 262,144 tokens."""

NONE = "none"
"""Word in place of an index's SHA-256: the tokenizer can have none."""

_LINE = re.compile(r"([0-9a-f]{64}) (\d{1,7}) (\S+)(?: ([0-9a-f]{64}|none))?")


def open_tokenizer(
    digest: str,
    check: Callable[[], tuple[Tokenizer, TokenBytes]],
    read: Callable[[], Tokenizer],
    content: dict[str, Any] | None,
) -> tuple[Tokenizer | LateTokenizer, TokenBytes]:
    """A tokenizer and its bytes, checked unless it was checked here before.

    Args:
        digest: SHA-256 of its file, computed from the file's bytes.
        check: reads the file and checks it.
        read: reads the file where it was checked.
        content: of the file, where the library wrote it.

    Raises:
        StelaError: as for ``check`` and ``read``.
    """
    known = _known(digest)
    if known is None:
        tokenizer, tokens = check()
        size, kept = len(tokens), None
    else:
        size, kept = int(known[2]), known[4]
        index = _index(digest, kept)
        if index is not None:
            late = LateTokenizer(index, read)
            return late, TokenBytes.of_known_size(late, size)
        tokenizer = read()
        tokens = TokenBytes.of_known_size(tokenizer, size)
    # Who comes once may never come again: what costs more than it saves the first time is made the second.
    if kept != NONE and (known or content):
        kept = _keep_index(digest, content or json.loads(tokenizer.to_str()), tokenizer)
    if known is None or kept != known[4]:
        remember_checked(digest, size, kept)
    return tokenizer, tokens


def remember_checked(digest: str, ids: int, index: str | None = None) -> None:
    """Remember a tokenizer that was checked; nothing where the folder cannot be written."""
    line = f"{digest} {ids} {checker()}"
    others = [other for other in map(_LINE.fullmatch, read_lines(FILE)) if other]
    kept = [other[0] for other in others if not other[0].startswith(line)]
    write_lines(FILE, [*kept, line if index is None else f"{line} {index}"])


def _known(digest: str) -> re.Match[str] | None:
    lines = map(_LINE.fullmatch, read_lines(FILE))
    known = [line for line in lines if line and line[1] == digest and line[3] == checker()]
    return known[-1] if known else None


def _index(digest: str, kept: str | None) -> TokenIndex | None:
    """The index that was kept, if its bytes are still the same."""
    if kept in (None, NONE):
        return None
    data = read_kept(f"{INDEX}-{digest}", MAX_INDEX)
    return TokenIndex(data) if data is not None and hashlib.sha256(data).hexdigest() == kept else None


def _keep_index(digest: str, content: dict[str, Any], tokenizer: Tokenizer) -> str | None:
    """The SHA-256 of a tokenizer's index, which is made and written; ``None`` where it cannot be written."""
    index = index_of(content, tokenizer)
    if index is None:
        return NONE
    return hashlib.sha256(index).hexdigest() if keep(INDEX, digest, index, MOST_INDEXES) else None
