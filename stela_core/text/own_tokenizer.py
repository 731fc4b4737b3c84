"""A model's tokenizer as a profile holds it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tokenizers import Tokenizer

from stela_core.files.fingerprint import sha256
from stela_core.text.canonical_before import canonical_of_file, remember_canonical
from stela_core.text.checked_before import open_tokenizer
from stela_core.text.late_tokenizer import AnyTokenizer
from stela_core.text.token_bytes import TokenBytes
from stela_core.text.tokenizer import canonical_with_content, parse_tokenizer


@dataclass(frozen=True, slots=True)
class OwnTokenizer:
    """The canonical file, and what is made of it: 4 s of 262,144 tokens, nearly nothing if known."""

    data: bytes
    tokenizer: AnyTokenizer
    tokens: TokenBytes

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> OwnTokenizer:
        """Of a model's.

        Raises:
            StelaError: it is of a kind that is not known to be safe, and would be refused in a profile.
        """
        data, content = canonical_with_content(tokenizer)
        return cls(data, *open_tokenizer(data, sha256(data), "the model", content))

    @classmethod
    def of_file(cls, file: Path) -> OwnTokenizer:
        """Of a model's ``tokenizer.json``: what was made of a large one is remembered.

        Raises:
            StelaError: as for :meth:`of`, or it is no tokenizer.
        """
        raw = file.read_bytes()
        digest = sha256(raw)
        data = canonical_of_file(raw, digest)
        if data is not None:
            return cls(data, *open_tokenizer(data, sha256(data), "the model"))
        own = cls.of(parse_tokenizer(raw, str(file)))
        remember_canonical(raw, digest, own.data)
        return own
