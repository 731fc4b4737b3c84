"""Large tokenizers that were found safe on this machine, by their SHA-256: to check one takes a second.

The file ``tokenizers`` lies in the user's folder of state (:mod:`stela_core.files.state`).
"""

from __future__ import annotations

import re
from functools import cache

import tokenizers
from tokenizers import Tokenizer

from stela_core.files.state import read_state, write_state
from stela_core.libraries import core_version
from stela_core.text.token_bytes import TokenBytes
from stela_core.text.tokenizer import parse_tokenizer, read_checked

FILE = "tokenizers"
LEAST = 1 << 20
"""Bytes: a smaller tokenizer is checked in no time."""

MOST = 100
"""Lines; the oldest go first."""

_LINE = re.compile(r"([0-9a-f]{64}) (\d{1,7}) (\S+)")


def open_tokenizer(data: bytes, digest: str, source: str) -> tuple[Tokenizer, TokenBytes]:
    """A tokenizer and its bytes, checked unless it was checked here before.

    Args:
        data: of the file ``tokenizer.json``.
        digest: its SHA-256, computed from these bytes.
        source: where it is from, for errors.

    Raises:
        StelaError: as for :func:`.parse_tokenizer` and :meth:`.TokenBytes.of`.
    """
    size = ids_of_checked(data, digest)
    if size is not None:
        tokenizer = read_checked(data, source)
        return tokenizer, TokenBytes.of_known_size(tokenizer, size)
    tokenizer = parse_tokenizer(data, source)
    tokens = TokenBytes.of(tokenizer)
    remember_checked(data, digest, len(tokens))
    return tokenizer, tokens


def ids_of_checked(data: bytes, digest: str) -> int | None:
    """Number of ids of a tokenizer that these versions checked before, else ``None``.

    Args:
        data: of the file ``tokenizer.json``.
        digest: its SHA-256, computed from these bytes.
    """
    if len(data) < LEAST:
        return None
    lines = [_LINE.fullmatch(line) for line in read_state(FILE)]
    known = [line for line in lines if line and line[1] == digest and line[3] == _checker()]
    return int(known[-1][2]) if known else None


def remember_checked(data: bytes, digest: str, ids: int) -> None:
    """Remember a tokenizer that was checked, if it is large; nothing where the folder cannot be written."""
    if len(data) >= LEAST:
        line = f"{digest} {ids} {_checker()}"
        kept = [other for other in read_state(FILE) if _LINE.fullmatch(other) and other != line]
        write_state(FILE, [*kept[-MOST + 1 :], line])


@cache
def _checker() -> str:
    return f"{core_version()}/{tokenizers.__version__}"
