"""A profile's own copy of a model's tokenizer, read once for all profiles that hold it."""

from __future__ import annotations

from dataclasses import dataclass

from tokenizers import Tokenizer

from stela_core.text.token_bytes import TokenBytes
from stela_core.text.tokenizer import canonical, parse_tokenizer


@dataclass(frozen=True, slots=True)
class OwnTokenizer:
    """The canonical file, and what is made of it: 4 s of 262,144 tokens."""

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
        own = parse_tokenizer(data, "the model")
        return cls(data, own, TokenBytes.of(own))
