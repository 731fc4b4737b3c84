"""Tokenizers that are opened: a profile's, and a model's as a profile holds it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from stela_core.catalogue import lent
from stela_core.files.fingerprint import sha256
from stela_core.text.token_bytes import TokenBytes
from stela_core.text.tokenizer import AnyTokenizer, canonical_with_content, parse_tokenizer, read_checked

LARGE = 1 << 17
"""Bytes of a file: a smaller tokenizer is checked in no time."""

Opened = tuple[AnyTokenizer, TokenBytes]


@cache
def _lent() -> Any:
    return lent("quick_start")


def quick_start(data: bytes) -> Any:
    """What remembers between processes what was made of large tokenizers, by SHA-256 (stela-detection);
    ``None`` for a small one, or where nobody lends it.
    """
    return _lent() if len(data) >= LARGE else None


def open_tokenizer(data: bytes, digest: str, source: str, content: dict[str, Any] | None = None) -> Opened:
    """A tokenizer and its bytes, checked unless it was checked here before.

    Args:
        data: of the file ``tokenizer.json``.
        digest: its SHA-256, computed from these bytes.
        source: where it is from, for errors.
        content: of the file, where the library wrote it.

    Raises:
        StelaError: as for :func:`.parse_tokenizer` and :meth:`.TokenBytes.of`.
    """

    def check() -> tuple[Tokenizer, TokenBytes]:
        tokenizer = parse_tokenizer(data, source, content)
        return tokenizer, TokenBytes.of(tokenizer)

    quick = quick_start(data)
    if quick is None:
        return check()
    opened: Opened = quick.open_tokenizer(digest, check, partial(read_checked, data, source), content)
    return opened


@dataclass(frozen=True, slots=True)
class OwnTokenizer:
    """The canonical file, and what is made of it: 4 s of 262,144 tokens, nearly nothing if known."""

    data: bytes
    tokenizer: AnyTokenizer
    tokens: TokenBytes

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> OwnTokenizer:
        """The tokenizer of a model.

        Raises:
            StelaError: it is of a kind that is not known to be safe, and would be refused in a profile.
        """
        data, content = canonical_with_content(tokenizer)
        return cls(data, *open_tokenizer(data, sha256(data), "the model", content))

    @classmethod
    def of_file(cls, file: Path) -> OwnTokenizer:
        """The tokenizer of a model's ``tokenizer.json``: what was made of a large one is remembered.

        Raises:
            StelaError: as for :meth:`of`, or it is not a tokenizer.
        """
        raw = file.read_bytes()
        quick = quick_start(raw)
        if quick is None:
            return cls.of(parse_tokenizer(raw, str(file)))
        digest = sha256(raw)
        data = quick.canonical_of_file(digest)
        if data is not None:
            return cls(data, *open_tokenizer(data, sha256(data), "the model"))
        own = cls.of(parse_tokenizer(raw, str(file)))
        quick.remember_canonical(digest, own.data)
        return own
