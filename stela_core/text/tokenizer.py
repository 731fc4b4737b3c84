"""Tokenizers: a canonical file, and whether a model's tokenizer is the profile's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tokenizers import Tokenizer

from stela_core.errors import StelaError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


def canonical(tokenizer: Tokenizer) -> bytes:
    """``tokenizer.json`` without padding and truncation, which a call may change; keys sorted."""
    content: dict[str, Any] = json.loads(tokenizer.to_str())
    content["padding"] = None
    content["truncation"] = None
    return json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def backend_of(tokenizer: PreTrainedTokenizerBase | Tokenizer) -> Tokenizer:
    """The ``tokenizers.Tokenizer`` behind a transformers tokenizer.

    Raises:
        StelaError: it has none (a slow, pure-Python tokenizer).
    """
    if isinstance(tokenizer, Tokenizer):
        return tokenizer
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if not isinstance(backend, Tokenizer):
        raise StelaError(
            f"{type(tokenizer).__name__} has no fast tokenizer behind it.",
            "load it with AutoTokenizer.from_pretrained(NAME, use_fast=True)",
        )
    return backend


def parse_tokenizer(data: bytes, source: str) -> Tokenizer:
    """A tokenizer from the bytes of a ``tokenizer.json``."""
    try:
        return Tokenizer.from_str(data.decode())
    except Exception as error:  # the library raises bare Exception
        raise StelaError(
            f"the tokenizer in {source} cannot be read: {error}", "make the profile anew"
        ) from None


def check_same_vocabulary(ours: Tokenizer, theirs: Tokenizer) -> None:
    """Refuse a model whose tokenizer gives ids another meaning than the profile's.

    Raises:
        StelaError: says what differs: the size, or the first id whose token differs.
    """
    mine, other = (t.get_vocab(with_added_tokens=True) for t in (ours, theirs))
    if mine == other:
        return
    hint = "use the model the profile was made for, or make a profile for this one"
    if len(mine) != len(other):
        raise StelaError(
            f"wrong tokenizer: the profile's has {len(mine)} tokens, the model's has {len(other)}.", hint
        )
    by_id = {index: token for token, index in other.items()}
    index, token = min((i, t) for t, i in mine.items() if by_id.get(i) != t)
    raise StelaError(
        f"wrong tokenizer: id {index} is {token!r} in the profile and {by_id.get(index)!r} in the model.",
        hint,
    )
