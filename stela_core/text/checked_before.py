"""Large tokenizers that were found safe on this machine, by their SHA-256: to check one takes a second.

The file ``tokenizers`` lies in the user's folder of state (:mod:`stela_core.files.state`), and the index of
each (:mod:`.token_index`), by which a short text is cut without reading the tokenizer, which takes as long.
"""

from __future__ import annotations

import json
import re
from functools import cache, partial
from typing import Any

import tokenizers
from tokenizers import Tokenizer

from stela_core.files.fingerprint import sha256
from stela_core.files.state import keep, read_kept, read_state, write_state
from stela_core.libraries import core_version
from stela_core.text.index_building import index_of
from stela_core.text.late_tokenizer import AnyTokenizer, LateTokenizer
from stela_core.text.token_bytes import TokenBytes
from stela_core.text.token_index import MAX_INDEX, TokenIndex
from stela_core.text.tokenizer import parse_tokenizer, read_checked

FILE = "tokenizers"
LEAST = 1 << 17
"""Bytes: a smaller tokenizer is checked in no time."""

MOST = 100
"""Lines; the oldest go first."""

INDEX, MOST_INDEXES = "tokenizer", 8
"""Files ``tokenizer-SHA-256``: 13 MB for 262,144 tokens."""

NONE = "none"
"""In place of an index's SHA-256: the tokenizer can have none."""

_LINE = re.compile(r"([0-9a-f]{64}) (\d{1,7}) (\S+)(?: ([0-9a-f]{64}|none))?")


def open_tokenizer(
    data: bytes, digest: str, source: str, content: dict[str, Any] | None = None
) -> tuple[AnyTokenizer, TokenBytes]:
    """A tokenizer and its bytes, checked unless it was checked here before.

    Args:
        data: of the file ``tokenizer.json``.
        digest: its SHA-256, computed from these bytes.
        source: where it is from, for errors.
        content: of the file, where the library wrote it.

    Raises:
        StelaError: as for :func:`.parse_tokenizer` and :meth:`.TokenBytes.of`.
    """
    known = _known(data, digest)
    if known is None:
        tokenizer = parse_tokenizer(data, source, content)
        tokens = TokenBytes.of(tokenizer)
        size, kept = len(tokens), None
    else:
        size, kept = int(known[2]), known[4]
        index = _index(digest, kept)
        if index is not None:
            late = LateTokenizer(index, partial(read_checked, data, source))
            return late, TokenBytes.of_known_size(late, size)
        tokenizer = read_checked(data, source)
        tokens = TokenBytes.of_known_size(tokenizer, size)
    # Who comes once may never come again: what costs more than it saves the first time is made the second.
    if len(data) >= LEAST and kept != NONE and (known or content):
        kept = _keep_index(digest, content or json.loads(tokenizer.to_str()), tokenizer)
    if known is None or kept != known[4]:
        remember_checked(data, digest, size, kept)
    return tokenizer, tokens


def ids_of_checked(data: bytes, digest: str) -> int | None:
    """Number of ids of a tokenizer that these versions checked before, else ``None``.

    Args:
        data: of the file ``tokenizer.json``.
        digest: its SHA-256, computed from these bytes.
    """
    known = _known(data, digest)
    return None if known is None else int(known[2])


def remember_checked(data: bytes, digest: str, ids: int, index: str | None = None) -> None:
    """Remember a tokenizer that was checked, if it is large; nothing where the folder cannot be written."""
    if len(data) >= LEAST:
        line = f"{digest} {ids} {checker()}"
        others = [other for other in map(_LINE.fullmatch, read_state(FILE)) if other]
        kept = [other[0] for other in others if not other[0].startswith(line)]
        write_state(FILE, [*kept[-MOST + 1 :], line if index is None else f"{line} {index}"])


@cache
def checker() -> str:
    """The versions of what checks and reads tokenizers."""
    return f"{core_version()}/{tokenizers.__version__}"


def _known(data: bytes, digest: str) -> re.Match[str] | None:
    if len(data) < LEAST:
        return None
    lines = map(_LINE.fullmatch, read_state(FILE))
    known = [line for line in lines if line and line[1] == digest and line[3] == checker()]
    return known[-1] if known else None


def _index(digest: str, kept: str | None) -> TokenIndex | None:
    """The index that was kept, if its bytes are still the same."""
    if kept in (None, NONE):
        return None
    data = read_kept(f"{INDEX}-{digest}", MAX_INDEX)
    return TokenIndex(data) if data is not None and sha256(data) == kept else None


def _keep_index(digest: str, content: dict[str, Any], tokenizer: Tokenizer) -> str | None:
    """The SHA-256 of a tokenizer's index, which is made and written; ``None`` where it cannot be written."""
    index = index_of(content, tokenizer)
    if index is None:
        return NONE
    return sha256(index) if keep(INDEX, digest, index, MOST_INDEXES) else None
