"""A model's tokenizer as a profile holds it."""

from __future__ import annotations

from dataclasses import dataclass

from tokenizers import Tokenizer

from stela_core.files.fingerprint import sha256
from stela_core.text.checked_before import open_tokenizer
from stela_core.text.token_bytes import TokenBytes
from stela_core.text.tokenizer import canonical


@dataclass(frozen=True, slots=True)
class OwnTokenizer:
    """The canonical file, and what is made of it: 4 s of 262,144 tokens, half of it if checked before."""

    data: bytes
    tokenizer: Tokenizer
    tokens: TokenBytes

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> OwnTokenizer:
        """Of a model's.

        Raises:
            StelaError: it is of a kind that is not known to be safe, and would be refused in a profile.
        """
        data = canonical(tokenizer)
        return cls(data, *open_tokenizer(data, sha256(data), "the model"))
